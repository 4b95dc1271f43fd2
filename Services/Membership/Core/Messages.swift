import Directory
import Model

extension Attempt {
    func createMessage(
        _ id: MessageID, for owner: ZoneOwner, _ patch: MessagePatch, _ code: CodeDigest
    ) -> Verdict {
        if let refusal = denial(ofZonesOf: owner) ?? missing(owner) { return .refused(refusal) }
        guard let number = patch.number else {
            return .refused(Refusal(.invalid, "a message goes to a number", field: "number"))
        }
        guard directory.messages(of: owner).count < Limits.messagesPerOwnerMax else {
            return .refused(.full("messages \(owner.inWords)", Limits.messagesPerOwnerMax))
        }
        var message = ZoneMessage(id: id, owner: owner, number: number)
        patch.apply(to: &message)
        message.confirmed = confirmation(of: number, for: owner)
        return .done(
            [.messageChanged(message)], .message(message), codes: invitation(to: message, code))
    }

    /// Another number has not agreed to anything yet.
    func updateMessage(
        _ id: MessageID, of owner: ZoneOwner, _ patch: MessagePatch, _ code: CodeDigest
    ) -> Verdict {
        if let refusal = denial(ofZonesOf: owner) { return .refused(refusal) }
        guard let old = message(id, of: owner) else { return .refused(.missing("message")) }
        if let refusal = outdated(old.version) { return .refused(refusal) }
        var message = old
        patch.apply(to: &message)
        if message.number != old.number {
            message.confirmed = confirmation(of: message.number, for: owner)
        }
        guard message != old else { return .done([], .message(old)) }
        message.version += 1
        let isNumberNew = message.number != old.number
        return .done(
            [.messageChanged(message)], .message(message),
            codes: isNumberNew ? [.forget(id)] + invitation(to: message, code) : [])
    }

    /// Zones that send it do so no longer.
    func removeMessage(_ id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let refusal = denial(ofZonesOf: owner) { return .refused(refusal) }
        guard let message = message(id, of: owner) else { return .refused(.missing("message")) }
        if let refusal = outdated(message.version) { return .refused(refusal) }
        let senders = directory.zones(of: owner).filter { $0.messages.contains(id) }
        let changed = senders.map { zone -> EventBody in
            var zone = zone
            zone.messages.removeAll { $0 == id }
            zone.version += 1
            return .zoneChanged(zone)
        }
        return .done(
            changed + [.messageRemoved(ZoneMessageRemoval(message: id))], .gone,
            codes: [.forget(id)])
    }

    /// The operator has the word of whoever is at that number.
    func confirmMessage(_ id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let refusal = denial(.administer, on: .suite) { return .refused(refusal) }
        guard let message = message(id, of: owner) else { return .refused(.missing("message")) }
        if let refusal = outdated(message.version) { return .refused(refusal) }
        guard message.confirmed == nil else { return .done([], .message(message)) }
        return agreed(message)
    }

    // MARK: Codes

    /// Whoever has the number gets another code.
    func sendCode(_ code: CodeDigest, for id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let refusal = denial(ofZonesOf: owner) { return .refused(refusal) }
        guard let message = message(id, of: owner) else { return .refused(.missing("message")) }
        guard message.confirmed == nil else {
            return .refused(Refusal(.conflict, "this number has agreed already"))
        }
        if let next = nextAsk(of: message.number) {
            return .refused(
                Refusal(
                    .tooOften(next - now), "too many codes were sent within a day",
                    hint: "at most \(Limits.codesPerNumberMax) a day go to one number, and "
                        + "\(Limits.codesPerPersonMax) for one person"))
        }
        return .done([], .message(message), codes: invitation(to: message, code))
    }

    /// The right one lets texts go to this number, from everything of this owner.
    func enterCode(_ code: CodeDigest, for id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let refusal = denial(ofZonesOf: owner) { return .refused(refusal) }
        guard let message = message(id, of: owner) else { return .refused(.missing("message")) }
        if let refusal = outdated(message.version) { return .refused(refusal) }
        guard message.confirmed == nil else { return .done([], .message(message)) }
        guard var known = codes.pending[id], known.number == message.number else {
            return .refused(
                Refusal(.conflict, "no code waits for this number", hint: Attempt.askAgain))
        }
        guard now < known.expires else {
            return .refused(Refusal(.conflict, "the code has expired", hint: Attempt.askAgain))
        }
        guard known.triesLeft > 0 else {
            return .refused(
                Refusal(
                    .conflict, "a wrong code was entered too often", hint: Attempt.askAgain))
        }
        if known.digest == code { return agreed(message) }
        known.triesLeft -= 1
        let left = known.triesLeft
        let refusal = Refusal(
            .invalid, "this is not the code", field: "code",
            hint: left == 0 ? Attempt.askAgain : "\(left) more tries")
        return .done([], .refused(refusal), codes: [.keep(known)])
    }

    private static let askAgain = "have another one sent: POST …/code"

    /// The number of a message has agreed, and with it that of every message beside it.
    private func agreed(_ message: ZoneMessage) -> Verdict {
        let same = directory.messages(of: message.owner).filter {
            $0.number == message.number && $0.confirmed == nil
        }
        let confirmed = same.map { message -> ZoneMessage in
            var message = message
            message.confirmed = now
            message.version += 1
            return message
        }
        let answer = confirmed.first { $0.id == message.id } ?? message
        return .done(
            confirmed.map { .messageChanged($0) }, .message(answer),
            codes: confirmed.map { .forget($0.id) })
    }

    /// A code for a number that has not agreed, unless too many were sent: the message is then
    /// there without one.
    private func invitation(to message: ZoneMessage, _ code: CodeDigest) -> [CodeChange] {
        guard message.confirmed == nil, nextAsk(of: message.number) == nil else { return [] }
        let asker = command.principal.person
        let expires = now + Limits.codeAgeMax
        let pending = PendingCode(
            message: message.id, number: message.number, digest: code, expires: expires,
            triesLeft: Limits.codeTriesMax)
        let sender = sender(inNameOf: message.owner)
        return [
            .keep(pending), .asked(CodeAsk(number: message.number, by: asker, at: now)),
            .send(
                CodeOrder(
                    number: message.number, sender: sender.name, locale: sender.locale,
                    expires: expires)),
        ]
    }

    private func nextAsk(of number: String) -> Timestamp? {
        codes.nextAsk(of: number, by: command.principal.person, at: now)
    }

    /// Whom the recipient of something knows: the person who asks, or whose it is.
    func sender(inNameOf owner: ZoneOwner) -> (name: String, locale: String) {
        if let person = command.principal.person.flatMap(directory.person) {
            return (person.name, person.locale)
        }
        switch owner {
        case .person(let id):
            return directory.person(id).map { ($0.name, $0.locale) } ?? ("?", "en")
        case .circle(let id): return (directory.circle(id)?.name ?? "?", "en")
        case .set(let id): return (directory.set(id)?.name ?? "?", "en")
        }
    }

    // MARK: Numbers

    private func message(_ id: MessageID, of owner: ZoneOwner) -> ZoneMessage? {
        directory.message(id).flatMap { $0.owner == owner ? $0 : nil }
    }

    /// When the number agreed to texts of the same owner; nil = it did not. Contact points say
    /// nothing: anybody may write any number into their own.
    private func confirmation(of number: String, for owner: ZoneOwner) -> Timestamp? {
        directory.messages(of: owner).lazy.filter { $0.number == number }
            .compactMap(\.confirmed).first
    }
}
