import Model

// Encodes and decodes a person's alarms. The zone's fields of an alarm are not encoded: they come
// from the configuration.

extension AlarmMachine {
    /// - Parameter stay: the person's stay in an alert zone; nil if the person is neither inside
    ///   nor near.
    mutating func code(
        _ coder: inout StateCoder, stay: (ZoneID) -> AlarmStay?
    ) throws(StateError) {
        let flags = try coder.flags(!isArmed, isStartPending)
        (isArmed, isStartPending) = (!flags[0], flags[1])
        var last: ZoneID?
        try coder.code(list: &alarms, bytesMin: 49) {
            (alarm: inout ActiveAlarm, coder: inout StateCoder) throws(StateError) in
            try coder.code(&alarm.zone.id, after: &last)
            if coder.isDecoding {
                guard let stay = stay(alarm.zone.id) else {
                    throw StateError(
                        .mismatch, coder.operation, "alarm of a zone without presence")
                }
                (alarm.zone, alarm.presence) = (stay.zone, stay.presence)
            }
            try alarm.code(&coder)
        }
        try coder.check(
            isArmed || alarms.isEmpty && !isStartPending, "alarms of a disarmed person")
    }
}

extension ActiveAlarm: StateCodable {
    static var blank: ActiveAlarm {
        let zone = AlarmZone(
            id: .blank, name: "", category: "", priority: 0, circle: nil, set: nil,
            alarm: ZoneAlarm())
        return ActiveAlarm(
            id: .blank, zone: zone, presence: .inside, rings: 0, phase: .awake(nextRing: .blank))
    }

    /// Everything but the zone.
    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&id)
        var count = UInt64(rings)
        try coder.code(&count)
        try coder.check(count <= UInt64(Int.max), "number of rings is out of range")
        rings = Int(clamping: count)
        let isAsleep = try coder.flags(!isAwake)[0]
        var time: Timestamp
        switch phase {
        case .awake(let next), .asleep(let next): time = next
        }
        try coder.code(&time)
        phase = isAsleep ? .asleep(until: time) : .awake(nextRing: time)
    }
}
