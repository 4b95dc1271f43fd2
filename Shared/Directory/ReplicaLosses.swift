import Model

extension Replica {
    /// Whether an event of the `directory` stream may take something away: a right, a way to be
    /// told, a place in a circle. A removal does; a change does where the thing is known.
    ///
    /// Whoever passed over such an event would let somebody do, or be told, what they may not.
    public func mayTakeAway(_ body: EventBody) -> Bool {
        switch body {
        case .personRemoved, .deviceRemoved, .credentialRemoved, .circleRemoved, .zoneRemoved,
            .setRemoved, .messageRemoved:
            true
        case .personChanged(let person): people[person.id] != nil
        case .deviceChanged(let device): devices[device.id] != nil
        case .credentialChanged(let credential): credentials[credential.id] != nil
        case .circleChanged(let circle): circles[circle.id] != nil
        case .messageChanged(let message): messages[message.id] != nil
        default: false
        }
    }
}
