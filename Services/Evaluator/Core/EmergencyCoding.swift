import Model

// Encodes a person's emergency as a part of a partition's state.

extension StateWriter {
    mutating func put(_ fix: Fix) {
        put(fix.time)
        put(fix.position.latitudeE7)
        put(fix.position.longitudeE7)
        put(fix.accuracyCentimetres)
        let more = [
            fix.altitudeCentimetres, fix.speedCentimetresPerSecond, fix.courseDegrees,
        ]
        put(flags: more.map { $0 != nil })
        for number in more { if let number { put(number) } }
    }

    /// At most eight flags; the first one is the lowest bit.
    mutating func put(flags: [Bool]) {
        put(flags.reversed().reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) })
    }

    mutating func put(_ emergencies: EmergencyMachine) {
        put(list: emergencies.handled) { writer, handled in
            writer.put(handled.signal)
            writer.put(handled.at)
        }
        put(flags: [emergencies.active != nil])
        if let active = emergencies.active { put(active) }
    }

    /// The countdown's deadline is derived from the other fields.
    private mutating func put(_ emergency: ActiveEmergency) {
        put(list: emergency.signals) { $0.put($1) }
        put(emergency.trigger.rawValue)
        put(emergency.raised)
        put(emergency.countdownEnds)
        put(emergency.signalled)
        put(flags: [
            emergency.late, emergency.note != nil, emergency.fix != nil, emergency.battery != nil,
        ])
        if let note = emergency.note { put(note) }
        if let fix = emergency.fix { put(fix) }
        if let battery = emergency.battery { put(battery) }
        switch emergency.phase {
        case .counting: put(UInt8(0))
        case .open: put(UInt8(1))
        case .acknowledged(let by, let at):
            put(UInt8(by == nil ? 2 : 3))
            put(at)
            if let by { put(by) }
        }
    }
}

extension StateReader {
    mutating func fix() throws(StateError) -> Fix {
        let time = try time()
        let position = Coordinate(latitudeE7: try number(), longitudeE7: try number())
        let accuracy: Int32 = try number()
        let flags = try flags(3)
        return Fix(
            time: time, position: position, accuracyCentimetres: accuracy,
            altitudeCentimetres: flags & 1 == 0 ? nil : try number(),
            speedCentimetresPerSecond: flags & 2 == 0 ? nil : try number(),
            courseDegrees: flags & 4 == 0 ? nil : try number())
    }

    mutating func emergencies(of person: PersonID) throws(StateError) -> EmergencyMachine {
        var handled: [EmergencyMachine.HandledSignal] = []
        let count = try count(bytesMin: 24)
        guard count <= EvaluatorLimits.signalsKeptMax else {
            throw invalid("\(count) handled signals exceed the limit")
        }
        for _ in 0..<count {
            handled.append(EmergencyMachine.HandledSignal(signal: try id(), at: try time()))
        }
        let active = try flags(1) == 0 ? nil : try emergency(of: person)
        return EmergencyMachine(active: active, handled: handled)
    }

    private mutating func emergency(of person: PersonID) throws(StateError) -> ActiveEmergency {
        var signals: [EmergencyID] = []
        for _ in 0..<(try count(bytesMin: 16)) { signals.append(try id()) }
        guard let first = signals.first, let trigger = EmergencyTrigger(rawValue: try text()) else {
            throw invalid("emergency without signals or with an unknown trigger")
        }
        let raised = try time()
        let countdownEnds = try time()
        let signalled = try time()
        let flags = try flags(4)
        let note = flags & 2 == 0 ? nil : try text()
        let fix = flags & 4 == 0 ? nil : try fix()
        let battery: UInt8? = flags & 8 == 0 ? nil : try number()
        let phase = try phase {
            EmergencyMachine.countdownDeadline(of: person, first, due: countdownEnds)
        }
        return ActiveEmergency(
            id: first, trigger: trigger, raised: raised, late: flags & 1 == 1, note: note,
            countdownEnds: countdownEnds, phase: phase, fix: fix, battery: battery,
            signals: signals, signalled: signalled)
    }

    private mutating func phase(
        _ deadline: () -> Deadline
    ) throws(StateError) -> ActiveEmergency.Phase {
        let code: UInt8 = try number()
        switch code {
        case 0: return .counting(deadline())
        case 1: return .open
        case 2: return .acknowledged(by: nil, at: try time())
        case 3:
            let at = try time()
            return .acknowledged(by: try id(), at: at)
        default: throw invalid("unknown emergency phase \(code)")
        }
    }
}
