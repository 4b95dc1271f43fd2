import Model

// Encodes and decodes a person's contact state and battery warnings. The deadline that raises an
// emergency is derived from the other fields.

extension ContactMachine {
    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        let has = try coder.flags(
            expectation != nil, watch != nil, batteryNotice.notifiedMark != nil)
        try coder.code(&expectation, if: has[0])
        if has[0] {
            var code = phase.rawValue
            try coder.code(&code)
            guard let phase = Phase(rawValue: code) else {
                throw StateError(.invalid, coder.operation, "unknown contact phase")
            }
            self.phase = phase
            try coder.code(&lastContact)
            try coder.code(&due)
        }
        try coder.code(&watch, if: has[1])
        try coder.check(
            expectation.map { $0.contactTimeoutSeconds > 0 } ?? true,
            "contact timeout is not positive")
        try coder.code(&batteryNotice.notifiedMark, if: has[2])
        deadline = emergencyDue
    }
}

extension ContactMachine.Expectation: StateCodable {
    static var blank: Self { Self(device: .blank, contactTimeoutSeconds: 0) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&device)
        try coder.code(&contactTimeoutSeconds)
    }
}

extension ContactMachine.Watch: StateCodable {
    static var blank: Self { Self(id: .blank, until: .blank) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&id)
        try coder.code(&until)
    }
}
