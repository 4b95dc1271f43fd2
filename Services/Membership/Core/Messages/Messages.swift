import Directory
import Model

/// Decides changes of messages, and confirms their numbers.
struct Messages {
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
            codes: isNumberNew ? [.remove(.message(id))] + invitation(to: message, code) : [])
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
            changed + [.messageRemoved(ZoneMessageRemoval(message: id))],
            context.answer(toRemovalFrom: owner),
            codes: [.remove(.message(id))])
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
        if let rejection = context.tooOften(.code, to: message.number) {
            return .rejected(rejection)
        }
        return .done([], .message(message), codes: invitation(to: message, code))
    }

    /// Confirms the number if the code is right. The confirmation covers all messages of the owner.
    func enterCode(_ code: CodeDigest, for id: MessageID, of owner: ZoneOwner) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) { return .rejected(rejection) }
        guard let message = message(id, of: owner) else { return .rejected(.missing("message")) }
        if let rejection = context.outdated(message.version) { return .rejected(rejection) }
        guard message.confirmed == nil else { return .done([], .message(message)) }
        return context.enter(code, for: .message(id), sentTo: message.number) ?? confirmed(message)
    }

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
            codes: confirmed.map { .remove(.message($0.id)) })
    }

    /// The changes that send a code to an unconfirmed number; none if the rate limit is reached.
    private func invitation(to message: ZoneMessage, _ code: CodeDigest) -> [CodeChange] {
        guard message.confirmed == nil, context.tooOften(.code, to: message.number) == nil else {
            return []
        }
        let requester = Actor(context.command.principal)
        let expires = context.now + Limits.codeAgeMax
        let pending = PendingCode(
            subject: .message(message.id), address: message.number,
            code: OneTimeCode(code, expires: expires))
        let sender = context.sender(inNameOf: message.owner)
        return [
            .save(pending),
            .requested(
                CodeRequest(
                    kind: .code, number: message.number, by: requester, at: context.now)),
            .send(
                CodeOrder(
                    number: message.number, sender: sender.name, locale: sender.locale,
                    expires: expires)),
        ]
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
