import Model

/// A zone as a file tells it: not yet anybody's, its shape not yet looked at.
///
/// What a file does not say is as for a zone that is made without it.
public struct ZoneDraft: Hashable, Sendable {
    public var name: String
    public var kind: ZoneKind
    public var category: String
    public var active: Bool
    /// Lower is more urgent.
    public var priority: Int
    /// As drawn, before the inset.
    public var shape: ZoneShape
    public var hysteresisMetres: Int
    /// Nil = to go in and out, and whatever the other fields measure.
    public var transitions: [Transition]?
    /// Taken off all around, centimetres; negative grows.
    public var insetCentimetres: Int32
    /// 0 = nothing outside is near.
    public var alertDistanceMetres: Int
    /// 0 = a long stay is not told.
    public var dwellSeconds: Int
    public var alarm: ZoneAlarm
    /// Rows of a PAD file with keys that mean nothing here, kept for writing them back.
    public var extra: [String]

    public init(
        name: String, kind: ZoneKind = .safe, category: String = "", active: Bool = true,
        priority: Int = 100, shape: ZoneShape, hysteresisMetres: Int = 20,
        transitions: [Transition]? = nil, insetCentimetres: Int32 = 0,
        alertDistanceMetres: Int = 0, dwellSeconds: Int = 0, alarm: ZoneAlarm = ZoneAlarm(),
        extra: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.category = category
        self.active = active
        self.priority = priority
        self.shape = shape
        self.hysteresisMetres = hysteresisMetres
        self.transitions = transitions
        self.insetCentimetres = insetCentimetres
        self.alertDistanceMetres = alertDistanceMetres
        self.dwellSeconds = dwellSeconds
        self.alarm = alarm
        self.extra = extra
    }

    /// What a file can tell of a zone.
    public init(_ zone: Zone) {
        self.init(
            name: zone.name, kind: zone.kind, category: zone.category, active: zone.active,
            priority: zone.priority, shape: zone.shape, hysteresisMetres: zone.hysteresisMetres,
            transitions: ZoneDraft.unusual(zone), insetCentimetres: zone.insetCentimetres,
            alertDistanceMetres: zone.alertDistanceMetres, dwellSeconds: zone.dwellSeconds,
            alarm: zone.alarm, extra: zone.extra)
    }

    /// The transitions that matter: those said, else those that follow from the other fields.
    ///
    /// - Parameter times: what the file tells beyond the draft
    public func transitionsInForce(_ times: ZoneTimes) -> [Transition] {
        if let transitions { return transitions }
        var usual: [Transition] = [.enter, .exit]
        if alertDistanceMetres > 0 { usual.append(.approach) }
        if dwellSeconds > 0 { usual.append(.dwell) }
        if times.absentByMinute != nil { usual.append(.absent) }
        return usual
    }

    /// The transitions that matter to a zone; nil for those that follow from its other fields.
    private static func unusual(_ zone: Zone) -> [Transition]? {
        var usual: Set<Transition> = [.enter, .exit]
        if zone.alertDistanceMetres > 0 { usual.insert(.approach) }
        if zone.dwellSeconds > 0 { usual.insert(.dwell) }
        if zone.absentByMinute != nil { usual.insert(.absent) }
        return Set(zone.transitions) == usual ? nil : zone.transitions
    }
}
