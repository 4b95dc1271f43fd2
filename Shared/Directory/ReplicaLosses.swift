import Model

extension Replica {
    /// Whether an event of the `directory` stream may revoke something: a right, a contact point or
    /// a membership. Removals may, and so may changes of known entities.
    ///
    /// A service that skipped such an event would grant rights or notify people wrongly.
    public func mayRevoke(_ body: EventBody) -> Bool {
        switch body {
        case .personRemoved, .deviceRemoved, .credentialRemoved, .circleRemoved, .zoneRemoved,
            .setRemoved, .messageRemoved, .neverNotifyChanged:
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
