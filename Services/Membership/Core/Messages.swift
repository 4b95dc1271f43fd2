import Directory
import Model

extension Attempt {
    func createMessage(
        _ id: MessageID, for owner: ZoneOwner, _ patch: MessagePatch
    ) -> Verdict {
        if let refusal = missing(owner) ?? denial(ofZonesOf: owner) { return .refused(refusal) }
        guard let number = patch.number else {
            return .refused(Refusal(.invalid, "a message goes to a number", field: "number"))
        }
        guard directory.messages(of: owner).count < Limits.messagesPerOwnerMax else {
            return .refused(.full("messages \(owner.inWords)", Limits.messagesPerOwnerMax))
        }
        var message = ZoneMessage(id: id, owner: owner, number: number)
        patch.apply(to: &message)
        message.confirmed = confirmation(of: number, for: owner)
        return .done([.messageChanged(message)], .message(message))
    }

    /// Another number has not agreed to anything yet.
    func updateMessage(
        _ id: MessageID, of owner: ZoneOwner, _ patch: MessagePatch
    ) -> Verdict {
        guard let old = message(id, of: owner) else { return .refused(.missing("message")) }
        if let refusal = denial(ofZonesOf: owner) ?? outdated(old.version) {
            return .refused(refusal)
        }
        var message = old
        patch.apply(to: &message)
        if message.number != old.number {
            message.confirmed = confirmation(of: message.number, for: owner)
        }
        guard message != old else { return .done([], .message(old)) }
        message.version += 1
        return .done([.messageChanged(message)], .message(message))
    }

    /// Zones that send it do so no longer.
    func removeMessage(_ id: MessageID, of owner: ZoneOwner) -> Verdict {
        guard let message = message(id, of: owner) else { return .refused(.missing("message")) }
        if let refusal = denial(ofZonesOf: owner) ?? outdated(message.version) {
            return .refused(refusal)
        }
        let senders = directory.zones(of: owner).filter { $0.messages.contains(id) }
        let changed = senders.map { zone -> EventBody in
            var zone = zone
            zone.messages.removeAll { $0 == id }
            zone.version += 1
            return .zoneChanged(zone)
        }
        return .done(
            changed + [.messageRemoved(ZoneMessageRemoval(message: id))], .gone)
    }

    /// The operator has the word of whoever is at that number.
    func confirmMessage(_ id: MessageID, of owner: ZoneOwner) -> Verdict {
        guard var message = message(id, of: owner) else { return .refused(.missing("message")) }
        if let refusal = denial(.administer, on: .suite) ?? outdated(message.version) {
            return .refused(refusal)
        }
        guard message.confirmed == nil else { return .done([], .message(message)) }
        message.confirmed = now
        message.version += 1
        return .done([.messageChanged(message)], .message(message))
    }

    private func message(_ id: MessageID, of owner: ZoneOwner) -> ZoneMessage? {
        directory.message(id).flatMap { $0.owner == owner ? $0 : nil }
    }

    /// Now, where the number is the registered phone of somebody who is in the same circle anyway.
    private func confirmation(of number: String, for owner: ZoneOwner) -> Timestamp? {
        let circles: [CircleID]
        switch owner {
        case .circle(let circle): circles = [circle]
        case .person(let person): circles = directory.circles(of: person)
        case .set: circles = []
        }
        let fellows = circles.compactMap(directory.circle).flatMap(\.members)
            .filter { $0.joined != nil }.compactMap { directory.person($0.person) }
        let isKnown = fellows.contains { person in
            person.contacts.contains { $0.channel == .sms && $0.address == number }
        }
        return isKnown ? now : nil
    }
}
