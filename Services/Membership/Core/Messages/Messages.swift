import Directory
import Model

/// Decides changes of messages, and confirms their numbers.
struct Messages {
    typealias Verdict = MembershipCore.Verdict

    let context: CommandContext

    func createMessage(
        _ id: MessageID, for owner: ZoneOwner, _ patch: MessagePatch, _ code: CodeDigest
    ) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) ?? context.missing(owner) {
            return .rejected(rejection)
        }
        guard let number = patch.number else {
            return .rejected(
                CommandRejection(.invalid, "a message needs a number", field: "number"))
        }
        guard context.directory.messages(of: owner).count < Limits.messagesPerOwnerMax else {
            return .rejected(.full("messages \(owner.phrase)", Limits.messagesPerOwnerMax))
        }
        var message = ZoneMessage(id: id, owner: owner, number: number)
        patch.apply(to: &message)
        message.confirmed = confirmation(of: number, for: owner)
        return .done(
            [.messageChanged(message)], .message(message), codes: invitation(to: message, code))
    }

    /// Updates a message. A changed number has to be confirmed.
    func updateMessage(
        _ id: MessageID, of owner: ZoneOwner, _ patch: MessagePatch, _ code: CodeDigest
    ) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) { return .rejected(rejection) }
        guard let old = message(id, of: owner) else { return .rejected(.missing("message")) }
        if let rejection = context.outdated(old.version) { return .rejected(rejection) }
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
            codes: isNumberNew ? [.remove(id)] + invitation(to: message, code) : [])
    }

    /// Removes a message from the zones that send it.
    func removeMessage(_ id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) { return .rejected(rejection) }
        guard let message = message(id, of: owner) else { return .rejected(.missing("message")) }
        if let rejection = context.outdated(message.version) { return .rejected(rejection) }
        let senders = context.directory.zones(of: owner).filter { $0.messages.contains(id) }
        let changed = senders.map { zone -> EventBody in
            var zone = zone
            zone.messages.removeAll { $0 == id }
            zone.version += 1
            return .zoneChanged(zone)
        }
        return .done(
            changed + [.messageRemoved(ZoneMessageRemoval(message: id))], .gone,
            codes: [.remove(id)])
    }

    /// Confirms the number of a message. The operator vouches that its owner agreed.
    func confirmMessage(_ id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        guard let message = message(id, of: owner) else { return .rejected(.missing("message")) }
        if let rejection = context.outdated(message.version) { return .rejected(rejection) }
        guard message.confirmed == nil else { return .done([], .message(message)) }
        return confirmed(message)
    }

    // MARK: Codes

    /// Sends another code to the number of a message.
    func sendCode(_ code: CodeDigest, for id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) { return .rejected(rejection) }
        guard let message = message(id, of: owner) else { return .rejected(.missing("message")) }
        guard message.confirmed == nil else {
            return .rejected(CommandRejection(.conflict, "this number is already confirmed"))
        }
        if let next = nextRequest(of: message.number) {
            return .rejected(
                CommandRejection(
                    .tooOften(next - context.now), "the daily limit for codes is reached",
                    hint: "at most \(Limits.codesPerNumberMax) a day to one number and "
                        + "\(Limits.codesPerPersonMax) a day for one person"))
        }
        return .done([], .message(message), codes: invitation(to: message, code))
    }

    /// Confirms the number if the code is right. The confirmation covers all messages of the owner.
    func enterCode(_ code: CodeDigest, for id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) { return .rejected(rejection) }
        guard let message = message(id, of: owner) else { return .rejected(.missing("message")) }
        if let rejection = context.outdated(message.version) { return .rejected(rejection) }
        guard message.confirmed == nil else { return .done([], .message(message)) }
        guard var known = context.codes.pending[id], known.number == message.number else {
            return .rejected(
                CommandRejection(
                    .conflict, "there is no pending code for this number",
                    hint: Messages.requestAnother))
        }
        guard context.now < known.expires else {
            return .rejected(
                CommandRejection(
                    .conflict, "the code has expired", hint: Messages.requestAnother))
        }
        guard known.triesLeft > 0 else {
            return .rejected(
                CommandRejection(
                    .conflict, "too many wrong codes were entered",
                    hint: Messages.requestAnother))
        }
        if known.digest == code { return confirmed(message) }
        known.triesLeft -= 1
        let left = known.triesLeft
        let rejection = CommandRejection(
            .invalid, "the code is wrong", field: "code",
            hint: left == 0 ? Messages.requestAnother : "\(left) attempts left")
        return .done([], .rejected(rejection), codes: [.save(known)])
    }

    private static let requestAnother = "request another code: POST …/code"

    /// Confirms the number of a message in all messages of the same owner.
    private func confirmed(_ message: ZoneMessage) -> Verdict {
        let same = context.directory.messages(of: message.owner).filter {
            $0.number == message.number && $0.confirmed == nil
        }
        let confirmed = same.map { message -> ZoneMessage in
            var message = message
            message.confirmed = context.now
            message.version += 1
            return message
        }
        let answer = confirmed.first { $0.id == message.id } ?? message
        return .done(
            confirmed.map { .messageChanged($0) }, .message(answer),
            codes: confirmed.map { .remove($0.id) })
    }

    /// The changes that send a code to an unconfirmed number; none if the rate limit is reached.
    private func invitation(to message: ZoneMessage, _ code: CodeDigest) -> [CodeChange] {
        guard message.confirmed == nil, nextRequest(of: message.number) == nil else { return [] }
        let requester = context.command.principal.person
        let expires = context.now + Limits.codeAgeMax
        let pending = PendingCode(
            message: message.id, number: message.number, digest: code, expires: expires,
            triesLeft: Limits.codeTriesMax)
        let sender = context.sender(inNameOf: message.owner)
        return [
            .save(pending),
            .requested(CodeRequest(number: message.number, by: requester, at: context.now)),
            .send(
                CodeOrder(
                    number: message.number, sender: sender.name, locale: sender.locale,
                    expires: expires)),
        ]
    }

    private func nextRequest(of number: String) -> Timestamp? {
        context.codes.nextRequest(of: number, by: context.command.principal.person, at: context.now)
    }

    // MARK: Numbers

    private func message(_ id: MessageID, of owner: ZoneOwner) -> ZoneMessage? {
        context.directory.message(id).flatMap { $0.owner == owner ? $0 : nil }
    }

    /// When the number was confirmed for the same owner; nil = never.
    ///
    /// Contact points do not count: people can enter any number as their own.
    private func confirmation(of number: String, for owner: ZoneOwner) -> Timestamp? {
        context.directory.messages(of: owner).lazy.filter { $0.number == number }
            .compactMap(\.confirmed).first
    }
}
