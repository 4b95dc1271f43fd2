import Model

// A person's emergency as a part of the state of a partition.

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

    /// Eight at most, the first is the lowest bit.
    mutating func put(flags: [Bool]) {
        put(flags.reversed().reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) })
    }

    mutating func put(_ life: EmergencyLife) {
        put(list: life.answered) { writer, answered in
            writer.put(answered.signal)
            writer.put(answered.at)
        }
        put(flags: [life.active != nil])
        if let active = life.active { put(active) }
    }

    /// The clock of a countdown follows from the rest.
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

    mutating func emergencies(of person: PersonID) throws(StateError) -> EmergencyLife {
        var answered: [EmergencyLife.Answered] = []
        let count = try count(bytesMin: 24)
        guard count <= EvaluatorLimits.signalsKeptMax else {
            throw refusal("\(count) signals answered")
        }
        for _ in 0..<count {
            answered.append(EmergencyLife.Answered(signal: try id(), at: try time()))
        }
        let active = try flags(1) == 0 ? nil : try emergency(of: person)
        return EmergencyLife(active: active, answered: answered)
    }

    private mutating func emergency(of person: PersonID) throws(StateError) -> ActiveEmergency {
        var signals: [EmergencyID] = []
        for _ in 0..<(try count(bytesMin: 16)) { signals.append(try id()) }
        guard let first = signals.first, let trigger = EmergencyTrigger(rawValue: try text()) else {
            throw refusal("an emergency without a trigger that is known")
        }
        let raised = try time()
        let countdownEnds = try time()
        let signalled = try time()
        let flags = try flags(4)
        let note = flags & 2 == 0 ? nil : try text()
        let fix = flags & 4 == 0 ? nil : try fix()
        let battery: UInt8? = flags & 8 == 0 ? nil : try number()
        let phase = try phase {
            EmergencyLife.countdownClock(of: person, first, due: countdownEnds)
        }
        return ActiveEmergency(
            id: first, trigger: trigger, raised: raised, late: flags & 1 == 1, note: note,
            countdownEnds: countdownEnds, phase: phase, fix: fix, battery: battery,
            signals: signals, signalled: signalled)
    }

    private mutating func phase(
        _ clock: () -> WantedClock
    ) throws(StateError) -> ActiveEmergency.Phase {
        let code: UInt8 = try number()
        switch code {
        case 0: return .counting(clock())
        case 1: return .open
        case 2: return .acknowledged(by: nil, at: try time())
        case 3:
            let at = try time()
            return .acknowledged(by: try id(), at: at)
        default: throw refusal("an emergency in phase \(code)")
        }
    }
}
