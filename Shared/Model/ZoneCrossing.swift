/// Presence of a person relative to a zone.
public enum Presence: String, Sendable, Codable, CaseIterable {
    /// Not decided yet.
    case unknown
    case outside
    /// Outside, at most the zone's alert distance away.
    case near
    case inside
}

/// Why a presence changed, or did not.
public enum CrossingReason: String, Sendable, Codable, CaseIterable {
    /// First decision for this person and zone.
    case initial
    /// Inside by more than the margin.
    case insideBeyondMargin = "inside-beyond-margin"
    /// On or over the edge of an alert zone, which prefers early alarms.
    case onEdgeOfAlertZone = "on-edge-of-alert-zone"
    /// Outside by more than the margin.
    case outsideBeyondMargin = "outside-beyond-margin"
    /// Outside, within the alert distance.
    case withinAlertDistance = "within-alert-distance"
    /// Farther away than the alert distance and the margin.
    case beyondAlertDistance = "beyond-alert-distance"
    /// The line from one fix to the next crosses the zone, although neither is inside.
    case passedThrough = "passed-through"
    /// Inside for the zone's dwell time.
    case stayed
    /// The zone was edited, and the person did not move.
    case zoneChanged = "zone-changed"
    /// The zone's schedule opened while the person was there.
    case scheduleOpened = "schedule-opened"
    /// The zone's schedule closed while the person was there.
    case scheduleClosed = "schedule-closed"
    /// The zone does not apply to the person any more: it was removed, the person opted out of it,
    /// or shares nothing with its circle.
    case notApplicable = "not-applicable"
    /// No change: beyond the edge, but within the margin.
    case withinMargin = "within-margin"
    /// No change: only one fix is beyond the margin. One fix is enough only if it agrees with the
    /// previous fix at the reported speed, or is far beyond.
    case unconfirmed
    /// No change: the fix is too inaccurate for entering the zone.
    case tooCoarse = "too-coarse"
    /// Outside by more than the margin according to one fix that no other fix contradicted.
    case uncontradicted
    /// No change: the fix contradicts the previous ones.
    case suspect
    /// A suspect fix, accepted because no other arrived.
    case silence
}

/// Decision about a person and a zone: presence before and after, and the reason.
public struct ZoneCrossing: PersonPayload {
    public var person: PersonID
    public var device: DeviceID
    public var zone: ZoneID
    public var zoneName: String
    public var zoneKind: ZoneKind
    /// The circle that owns the zone; nil for a private zone and for a zone of a set.
    public var circle: CircleID?
    /// The set that owns the zone.
    public var set: ZoneSetID?
    public var before: Presence
    public var after: Presence
    public var fix: Fix
    /// Signed distance to the edge without margin, centimetres; negative inside.
    public var distanceCentimetres: Int32
    public var marginCentimetres: Int32
    public var reason: CrossingReason
    /// Whether it was decided by the line between two fixes, neither of which was inside.
    public var interpolated: Bool
    /// Whether ``after`` is `near` because the fix is too inaccurate, so that no alarm rings.
    public var coarse: Bool
    /// For a dwell: whether there is no fix newer than 15 min, or than the phone's usual interval.
    public var isFixOld: Bool
    /// The report that caused it.
    public var report: ReportID

    /// Whether the person is inside after the decision.
    public var inside: Bool { after == .inside }

    /// Whether it proves that the person came into the zone from outside.
    ///
    /// A first decision, an edited zone, an opened schedule, a line between two fixes and a suspect
    /// fix do not.
    public var isConfirmedEntry: Bool {
        after == .inside && (before == .outside || before == .near) && !interpolated
            && reason == .insideBeyondMargin
    }

    public init(
        person: PersonID, device: DeviceID, zone: ZoneID, zoneName: String, zoneKind: ZoneKind,
        circle: CircleID?, set: ZoneSetID? = nil, before: Presence, after: Presence, fix: Fix,
        distanceCentimetres: Int32, marginCentimetres: Int32, reason: CrossingReason,
        interpolated: Bool = false, coarse: Bool = false, isFixOld: Bool = false,
        report: ReportID
    ) {
        self.person = person
        self.device = device
        self.zone = zone
        self.zoneName = zoneName
        self.zoneKind = zoneKind
        self.circle = circle
        self.set = set
        self.before = before
        self.after = after
        self.fix = fix
        self.distanceCentimetres = distanceCentimetres
        self.marginCentimetres = marginCentimetres
        self.reason = reason
        self.interpolated = interpolated
        self.coarse = coarse
        self.isFixOld = isFixOld
        self.report = report
    }

    private enum CodingKeys: String, CodingKey {
        case person, device, zone, zoneName, zoneKind, circle, set, inside, before, after, fix
        case distanceCentimetres, marginCentimetres, reason, interpolated, coarse, isFixOld, report
    }

    /// Decodes missing `before` and `after` from `inside`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let inside = try values.decode(Bool.self, forKey: .inside)
        self.init(
            person: try values.decode(PersonID.self, forKey: .person),
            device: try values.decode(DeviceID.self, forKey: .device),
            zone: try values.decode(ZoneID.self, forKey: .zone),
            zoneName: try values.decode(String.self, forKey: .zoneName),
            zoneKind: try values.decode(ZoneKind.self, forKey: .zoneKind),
            circle: try values.decodeIfPresent(CircleID.self, forKey: .circle),
            set: try values.decodeIfPresent(ZoneSetID.self, forKey: .set),
            before: try values.decode(forKey: .before, or: .unknown),
            after: try values.decode(forKey: .after, or: inside ? .inside : .outside),
            fix: try values.decode(Fix.self, forKey: .fix),
            distanceCentimetres: try values.decode(Int32.self, forKey: .distanceCentimetres),
            marginCentimetres: try values.decode(Int32.self, forKey: .marginCentimetres),
            reason: try values.decode(CrossingReason.self, forKey: .reason),
            interpolated: try values.decode(forKey: .interpolated, or: false),
            coarse: try values.decode(forKey: .coarse, or: false),
            isFixOld: try values.decode(forKey: .isFixOld, or: false),
            report: try values.decode(ReportID.self, forKey: .report))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(person, forKey: .person)
        try values.encode(device, forKey: .device)
        try values.encode(zone, forKey: .zone)
        try values.encode(zoneName, forKey: .zoneName)
        try values.encode(zoneKind, forKey: .zoneKind)
        try values.encodeIfPresent(circle, forKey: .circle)
        try values.encodeIfPresent(set, forKey: .set)
        try values.encode(inside, forKey: .inside)
        try values.encode(before, forKey: .before)
        try values.encode(after, forKey: .after)
        try values.encode(fix, forKey: .fix)
        try values.encode(distanceCentimetres, forKey: .distanceCentimetres)
        try values.encode(marginCentimetres, forKey: .marginCentimetres)
        try values.encode(reason, forKey: .reason)
        if interpolated { try values.encode(true, forKey: .interpolated) }
        if coarse { try values.encode(true, forKey: .coarse) }
        if isFixOld { try values.encode(true, forKey: .isFixOld) }
        try values.encode(report, forKey: .report)
    }
}

/// A person is not in a zone by the time of day at which they should be.
public struct ZoneAbsence: PersonPayload {
    public var person: PersonID
    public var zone: ZoneID
    public var zoneName: String
    public var circle: CircleID?
    public var set: ZoneSetID?
    /// The time by which they should have been inside.
    public var by: Timestamp
    /// Their last fix; nil = there is none.
    public var fix: Fix?
    /// Whether a fix is newer than 15 min or the phone is in contact; if false, the person's
    /// position is unknown, wherever the last fix was.
    public var hasContact: Bool

    public init(
        person: PersonID, zone: ZoneID, zoneName: String, circle: CircleID?,
        set: ZoneSetID? = nil, by: Timestamp, fix: Fix?, hasContact: Bool
    ) {
        self.person = person
        self.zone = zone
        self.zoneName = zoneName
        self.circle = circle
        self.set = set
        self.by = by
        self.fix = fix
        self.hasContact = hasContact
    }
}

/// Messages of zones that fired together.
public struct DueMessages: PersonPayload {
    public var person: PersonID
    /// Zones that fired, the most urgent first.
    public var zones: [ZoneID]
    public var zoneNames: [String]
    /// The transition of each zone; for an alert zone, the one that started its alarm.
    public var transitions: [Transition]
    /// Messages of all these zones; ascending, without duplicates.
    public var messages: [MessageID]
    public var fix: Fix

    public init(
        person: PersonID, zones: [ZoneID], zoneNames: [String], transitions: [Transition],
        messages: [MessageID], fix: Fix
    ) {
        self.person = person
        self.zones = zones
        self.zoneNames = zoneNames
        self.transitions = transitions
        self.messages = messages
        self.fix = fix
    }
}
