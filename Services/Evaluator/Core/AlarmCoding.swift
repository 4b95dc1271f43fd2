import Model

// A person's alarms and what their phone was told, as parts of the state of a partition. What an
// alarm says of its zone is configured.

extension StateWriter {
    mutating func put(_ life: AlarmLife) {
        put(flags: [!life.isArmed, life.isOwed])
        put(list: life.alarms) { writer, alarm in
            writer.put(alarm.zone.id)
            writer.put(alarm.id)
            writer.put(UInt64(alarm.rings))
            writer.put(flags: [!alarm.isAwake])
            switch alarm.phase {
            case .awake(let time), .asleep(let time): writer.put(time)
            }
        }
    }

    mutating func put(_ policy: PolicyLife) {
        put(flags: [policy.isStale, policy.told != nil])
        guard let told = policy.told else { return }
        put(told.device)
        put(told.mode.code)
        switch told.mode {
        case .standard: put(told.filterMetres ?? 0)
        case .region:
            let watch = told.watch
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
    /// - Parameter stay: where the person is, seen from an alert zone; nil if that is nowhere near.
    mutating func alarms(
        _ stay: (ZoneID) -> AlarmStay?
    ) throws(StateError) -> AlarmLife {
        var life = AlarmLife()
        let flags = try flags(2)
        life.isArmed = flags & 1 == 0
        life.isOwed = flags & 2 != 0
        var last: ZoneID?
        for _ in 0..<(try count(bytesMin: 49)) {
            let zone: ZoneID = try id(after: &last)
            guard let stay = stay(zone) else {
                throw StateError(.mismatch, operation, "an alarm of a zone where nobody is")
            }
            life.alarms.append(try alarm(stay))
        }
        guard life.isArmed || life.alarms.isEmpty && !life.isOwed else {
            throw refusal("alarms of somebody who is disarmed")
        }
        return life
    }

    private mutating func alarm(_ stay: AlarmStay) throws(StateError) -> ZoneAlarming {
        let id: AlarmID = try id()
        guard let rings = Int(exactly: try number(UInt64.self)) else {
            throw refusal("more rings than there can be")
        }
        let isAsleep = try flags(1) == 1
        let time = try time()
        return ZoneAlarming(
            id: id, zone: stay.zone, presence: stay.presence, rings: rings,
            phase: isAsleep ? .asleep(until: time) : .awake(nextRing: time))
    }

    mutating func policy() throws(StateError) -> PolicyLife {
        let flags = try flags(2)
        var policy = PolicyLife()
        policy.isStale = flags & 1 == 1
        guard flags & 2 != 0 else { return policy }
        let device: DeviceID = try id()
        let code: UInt8 = try number()
        guard let mode = ReportingMode(code: code) else {
            throw refusal("a way to report that nobody knows")
        }
        var told = PolicyLife.Told(device: device, mode: mode)
        switch mode {
        case .standard: told.filterMetres = try number()
        case .region: told.watch = try watch()
        case .significant, .event: break
        }
        policy.told = told
        return policy
    }

    private mutating func watch() throws(StateError) -> PolicyLife.Watch {
        let chosen = Coordinate(latitudeE7: try number(), longitudeE7: try number())
        let closest: Int64 = try number()
        guard (0...Int64(Int32.max)).contains(closest) else {
            throw refusal("a distance that is none")
        }
        var regions: [WatchedRegion] = []
        for _ in 0..<(try count(bytesMin: 28)) {
            let zone: ZoneID = try id()
            let center = Coordinate(latitudeE7: try number(), longitudeE7: try number())
            regions.append(
                WatchedRegion(zone: zone, center: center, radiusMetres: try number()))
        }
        return PolicyLife.Watch(regions: regions, chosen: chosen, closest: closest)
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
