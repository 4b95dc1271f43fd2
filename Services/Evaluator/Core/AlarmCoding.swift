import Model

// Encodes a person's alarms and reporting policy as parts of a partition's state. The zone's fields
// of an alarm are not encoded: they come from the configuration.

extension StateWriter {
    mutating func put(_ alarms: AlarmMachine) {
        put(flags: [!alarms.isArmed, alarms.isStartPending])
        put(list: alarms.alarms) { writer, alarm in
            writer.put(alarm.zone.id)
            writer.put(alarm.id)
            writer.put(UInt64(alarm.rings))
            writer.put(flags: [!alarm.isAwake])
            switch alarm.phase {
            case .awake(let time), .asleep(let time): writer.put(time)
            }
        }
    }

    mutating func put(_ policy: ReportingMachine) {
        put(flags: [policy.isStale, policy.sent != nil])
        guard let sent = policy.sent else { return }
        put(sent.device)
        put(sent.mode.code)
        switch sent.mode {
        case .standard: put(sent.filterMetres ?? 0)
        case .region:
            let watch = sent.watch
            put(watch?.chosen.latitudeE7 ?? 0)
            put(watch?.chosen.longitudeE7 ?? 0)
            put(watch?.closest ?? 0)
            put(list: watch?.regions ?? []) { writer, region in
                writer.put(region.zone)
                writer.put(region.center.latitudeE7)
                writer.put(region.center.longitudeE7)
                writer.put(region.radiusMetres)
            }
        case .significant, .event: break
        }
    }
}

extension StateReader {
    /// - Parameter stay: the person's stay in an alert zone; nil if the person is neither inside
    ///   nor near.
    mutating func alarms(
        _ stay: (ZoneID) -> AlarmStay?
    ) throws(StateError) -> AlarmMachine {
        var alarms = AlarmMachine()
        let flags = try flags(2)
        alarms.isArmed = flags & 1 == 0
        alarms.isStartPending = flags & 2 != 0
        var last: ZoneID?
        for _ in 0..<(try count(bytesMin: 49)) {
            let zone: ZoneID = try id(after: &last)
            guard let stay = stay(zone) else {
                throw StateError(.mismatch, operation, "alarm of a zone without presence")
            }
            alarms.alarms.append(try alarm(stay))
        }
        guard alarms.isArmed || alarms.alarms.isEmpty && !alarms.isStartPending else {
            throw invalid("alarms of a disarmed person")
        }
        return alarms
    }

    private mutating func alarm(_ stay: AlarmStay) throws(StateError) -> ActiveAlarm {
        let id: AlarmID = try id()
        guard let rings = Int(exactly: try number(UInt64.self)) else {
            throw invalid("number of rings is out of range")
        }
        let isAsleep = try flags(1) == 1
        let time = try time()
        return ActiveAlarm(
            id: id, zone: stay.zone, presence: stay.presence, rings: rings,
            phase: isAsleep ? .asleep(until: time) : .awake(nextRing: time))
    }

    mutating func policy() throws(StateError) -> ReportingMachine {
        let flags = try flags(2)
        var policy = ReportingMachine()
        policy.isStale = flags & 1 == 1
        guard flags & 2 != 0 else { return policy }
        let device: DeviceID = try id()
        let code: UInt8 = try number()
        guard let mode = ReportingMode(code: code) else {
            throw invalid("unknown reporting mode")
        }
        var sent = ReportingMachine.SentPolicy(device: device, mode: mode)
        switch mode {
        case .standard: sent.filterMetres = try number()
        case .region: sent.watch = try watch()
        case .significant, .event: break
        }
        policy.sent = sent
        return policy
    }

    private mutating func watch() throws(StateError) -> ReportingMachine.Watch {
        let chosen = Coordinate(latitudeE7: try number(), longitudeE7: try number())
        let closest: Int64 = try number()
        guard (0...Int64(Int32.max)).contains(closest) else {
            throw invalid("distance is out of range")
        }
        var regions: [WatchedRegion] = []
        for _ in 0..<(try count(bytesMin: 28)) {
            let zone: ZoneID = try id()
            let center = Coordinate(latitudeE7: try number(), longitudeE7: try number())
            regions.append(
                WatchedRegion(zone: zone, center: center, radiusMetres: try number()))
        }
        return ReportingMachine.Watch(regions: regions, chosen: chosen, closest: closest)
    }
}

extension ReportingMode {
    fileprivate init?(code: UInt8) {
        guard let mode = ReportingMode.allCases.first(where: { $0.code == code }) else {
            return nil
        }
        self = mode
    }

    fileprivate var code: UInt8 {
        switch self {
        case .region: 0
        case .significant: 1
        case .standard: 2
        case .event: 3
        }
    }
}
