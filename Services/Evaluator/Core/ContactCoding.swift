import Model

// Encodes a person's contact state and battery warnings as parts of a partition's state. The
// deadline that raises an emergency is derived from the other fields.

extension StateWriter {
    mutating func put(_ contact: ContactMachine, _ battery: BatteryNotice) {
        put(flags: [
            contact.expectation != nil, contact.watch != nil, battery.notifiedMark != nil,
        ])
        if let expectation = contact.expectation {
            put(expectation.device)
            put(expectation.contactTimeoutSeconds)
            put(contact.phase.rawValue)
            put(contact.lastContact)
            put(contact.due)
        }
        if let watch = contact.watch {
            put(watch.id)
            put(watch.until)
        }
        if let mark = battery.notifiedMark { put(mark) }
    }
}

extension StateReader {
    mutating func contact() throws(StateError) -> (ContactMachine, BatteryNotice) {
        let flags = try flags(3)
        var contact = ContactMachine()
        if flags & 1 != 0 {
            contact.expectation = ContactMachine.Expectation(
                device: try id(), contactTimeoutSeconds: try number())
            guard let phase = ContactMachine.Phase(rawValue: try number()) else {
                throw invalid("unknown contact phase")
            }
            contact.phase = phase
            contact.lastContact = try time()
            contact.due = try time()
        }
        if flags & 2 != 0 { contact.watch = ContactMachine.Watch(id: try id(), until: try time()) }
        guard contact.expectation.map({ $0.contactTimeoutSeconds > 0 }) ?? true else {
            throw invalid("contact timeout is not positive")
        }
        contact.deadline = contact.emergencyDue
        return (contact, BatteryNotice(notifiedMark: flags & 4 == 0 ? nil : try number()))
    }
}
