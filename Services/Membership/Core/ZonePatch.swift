import Model

/// A zone to create, with its id.
public struct NewZone: Hashable, Sendable {
    public var id: ZoneID
    public var patch: ZonePatch

    public init(id: ZoneID, patch: ZonePatch) {
        self.id = id
        self.patch = patch
    }
}

/// Fields of a zone that a request sets. Nil = not given; `.some(nil)` = removed.
public struct ZonePatch: Hashable, Sendable {
    /// A shape with its inset, and the prepared geometry of both.
    public struct Drawing: Hashable, Sendable {
        public var shape: ZoneShape
        public var insetCentimetres: Int32
        public var prepared: PreparedGeometry

        public init(
            shape: ZoneShape, insetCentimetres: Int32 = 0, prepared: PreparedGeometry
        ) {
            self.shape = shape
            self.insetCentimetres = insetCentimetres
            self.prepared = prepared
        }
    }

    /// Fields of a zone's alarm.
    public struct Alarm: Hashable, Sendable {
        public var vibrates: Bool?
        public var sound: String?
        public var cycleSeconds: Int?
        public var sleepSeconds: Int?

        public init() {}

        fileprivate func apply(to alarm: inout ZoneAlarm) {
            if let vibrates { alarm.vibrates = vibrates }
            if let sound { alarm.sound = sound }
            if let cycleSeconds { alarm.cycleSeconds = cycleSeconds }
            if let sleepSeconds { alarm.sleepSeconds = sleepSeconds }
        }
    }

    public var name: String?
    public var kind: ZoneKind?
    public var category: String?
    public var active: Bool?
    public var priority: Int?
    public var drawing: Drawing?
    public var hysteresisMetres: Int?
    public var transitions: [Transition]?
    public var alertDistanceMetres: Int?
    public var dwellSeconds: Int?
    /// The requested time zone with its offsets.
    public var clock: ZoneClock?
    public var schedule: ZoneSchedule??
    public var absentByMinute: Int??
    public var alarm = Alarm()
    public var audience: ZoneAudience??
    /// Ascending.
    public var messages: [MessageID]?
    public var extra: [String]?

    public init() {}

    /// Applies the patch. Without explicit transitions, those that depend on a measure follow it:
    /// setting a dwell time also enables `dwell`.
    func apply(to zone: inout Zone) {
        let measuredBefore = zone.measured
        if let name { zone.name = name }
        if let kind { zone.kind = kind }
        if let category { zone.category = category }
        if let active { zone.active = active }
        if let priority { zone.priority = priority }
        if let drawing {
            zone.shape = drawing.shape
            zone.insetCentimetres = drawing.insetCentimetres
            zone.prepared = drawing.prepared
        }
        if let hysteresisMetres { zone.hysteresisMetres = hysteresisMetres }
        if let alertDistanceMetres { zone.alertDistanceMetres = alertDistanceMetres }
        if let dwellSeconds { zone.dwellSeconds = dwellSeconds }
        applyTimes(to: &zone)
        alarm.apply(to: &zone.alarm)
        if let audience { zone.audience = audience }
        if let messages { zone.messages = messages }
        if let extra { zone.extra = extra }
        if let transitions {
            zone.transitions = transitions
        } else {
            zone.followMeasures(before: measuredBefore)
        }
    }

    private func applyTimes(to zone: inout Zone) {
        if let schedule { zone.schedule = schedule }
        if let absentByMinute { zone.absentByMinute = absentByMinute }
        if let clock {
            zone.clock = clock
        } else if zone.schedule == nil, zone.absentByMinute == nil {
            zone.clock = nil
        }
    }
}

extension Zone {
    /// Transitions whose measure is set.
    fileprivate var measured: [Transition] {
        var measured: [Transition] = []
        if alertDistanceMetres > 0 { measured.append(.approach) }
        if dwellSeconds > 0 { measured.append(.dwell) }
        if absentByMinute != nil { measured.append(.absent) }
        return measured
    }

    fileprivate mutating func followMeasures(before: [Transition]) {
        let now = measured
        transitions.removeAll { before.contains($0) && !now.contains($0) }
        transitions += now.filter { !before.contains($0) && !transitions.contains($0) }
    }
}
