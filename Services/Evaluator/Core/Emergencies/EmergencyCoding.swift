import Model

// Encodes and decodes a person's emergency. The countdown's deadline is derived from other fields.

extension EmergencyMachine {
    mutating func code(of person: PersonID, _ coder: inout StateCoder) throws(StateError) {
        try coder.code(list: &handled, bytesMin: 24)
        try coder.check(
            handled.count <= EvaluatorLimits.signalsKeptMax,
            "\(handled.count) handled signals exceed the limit")
        let isActive = try coder.flags(active != nil)
        guard isActive[0] else { return }
        var emergency = active ?? .blank
        try emergency.code(of: person, &coder)
        active = emergency
    }
}

extension EmergencyMachine.HandledSignal: StateCodable {
    static var blank: Self { Self(signal: .blank, at: .blank) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&signal)
        try coder.code(&at)
    }
}

extension ActiveEmergency {
    fileprivate static var blank: ActiveEmergency {
        ActiveEmergency(
            id: .blank, trigger: .panic, raised: .blank, late: false, note: nil,
            countdownEnds: .blank, phase: .open, fix: nil, battery: nil, signals: [],
            signalled: .blank)
    }

    fileprivate mutating func code(
        of person: PersonID, _ coder: inout StateCoder
    ) throws(StateError) {
        try coder.code(list: &signals, bytesMin: 16)
        var name = trigger.rawValue
        if !signals.isEmpty || !coder.isDecoding { try coder.code(&name) }
        guard let first = signals.first, let trigger = EmergencyTrigger(rawValue: name) else {
            throw StateError(
                .invalid, coder.operation,
                "emergency without signals or with an unknown trigger")
        }
        (id, self.trigger) = (first, trigger)
        try coder.code(&raised)
        try coder.code(&countdownEnds)
        try coder.code(&signalled)
        let has = try coder.flags(late, note != nil, fix != nil, battery != nil)
        late = has[0]
        try coder.code(&note, if: has[1])
        try coder.code(&fix, if: has[2])
        try coder.code(&battery, if: has[3])
        try codePhase(of: person, &coder)
    }

    private mutating func codePhase(
        of person: PersonID, _ coder: inout StateCoder
    ) throws(StateError) {
        var code: UInt8 =
            switch phase {
            case .counting: 0
            case .open: 1
            case .acknowledged(nil, _): 2
            case .acknowledged(_?, _): 3
            }
        try coder.code(&code)
        var (by, at) = (PersonID?.none, Timestamp.blank)
        if case .acknowledged(let person, let time) = phase { (by, at) = (person, time) }
        switch code {
        case 0:
            let deadline = EmergencyMachine.countdownDeadline(of: person, id, due: countdownEnds)
            phase = .counting(deadline)
        case 1: phase = .open
        case 2, 3:
            try coder.code(&at)
            try coder.code(&by, if: code == 3)
            phase = .acknowledged(by: by, at: at)
        default:
            throw StateError(.invalid, coder.operation, "unknown emergency phase \(code)")
        }
    }
}
