/// Where a person is, seen from a zone.
public enum Presence: String, Sendable, Codable, CaseIterable {
    /// Nothing was decided yet.
    case unknown
    case outside
    /// Outside, at most the zone's alert distance away.
    case near
    case inside
}

/// Why presence became what it is, or did not.
public enum CrossingReason: String, Sendable, Codable, CaseIterable {
    /// First decision ever for this person and zone.
    case initial
    /// Inside by more than the margin.
    case insideBeyondMargin = "inside-beyond-margin"
    /// On or over the edge of an alert zone, which errs early.
    case onEdgeOfAlertZone = "on-edge-of-alert-zone"
    /// Outside by more than the margin.
    case outsideBeyondMargin = "outside-beyond-margin"
    /// Outside, and not farther away than the alert distance.
    case withinAlertDistance = "within-alert-distance"
    /// Farther away than the alert distance and the margin.
    case beyondAlertDistance = "beyond-alert-distance"
    /// The way from one fix to the next goes through the zone, though neither is inside.
    case passedThrough = "passed-through"
    /// Inside for as long as the zone asks for.
    case stayed
    /// The zone was edited around somebody who did not move.
    case zoneChanged = "zone-changed"
    /// The zone's schedule opened around somebody.
    case scheduleOpened = "schedule-opened"
    /// The zone's schedule closed around somebody.
    case scheduleClosed = "schedule-closed"
    /// The zone is gone, or nothing is shared with its circle, or the person refuses it: it judges
    /// them no longer.
    case notJudged = "not-judged"
    /// On the other side of the edge, but not by more than the margin: nothing changed.
    case withinMargin = "within-margin"
    /// Beyond the margin by one fix alone. One is enough only where it agrees with the fix before
    /// it at the reported speed, or is far beyond: nothing changed.
    case unconfirmed
    /// The fix is too inaccurate for the zone: nobody enters by it.
    case tooCoarse = "too-coarse"
    /// Outside by more than the margin by one fix, and no other came to agree or contradict.
    case uncontradicted
    /// The fix contradicts those before it: nothing changed.
    case suspect
    /// A fix that looked wrong, believed because no other came.
    case silence
}

/// A decision about a person and a zone: what was known before, what after, and why.
public struct ZoneCrossing: Hashable, Sendable, Codable {
    public var person: PersonID
    public var device: DeviceID
    public var zone: ZoneID
    public var zoneName: String
    public var zoneKind: ZoneKind
    /// Nil for a private zone and for one of a set.
    public var circle: CircleID?
    /// The set that the zone is of.
    public var set: ZoneSetID?
    public var before: Presence
    public var after: Presence
    public var fix: Fix
    /// Signed distance to the true edge in centimetres: negative inside.
    public var distanceCentimetres: Int32
    public var marginCentimetres: Int32
    public var reason: CrossingReason
    /// Neither fix was inside: decided by the way between them.
    public var interpolated: Bool
    /// Of ``after`` `near`: the fix is too inaccurate to say more, so no alarm rings.
    public var coarse: Bool
    /// Of a long stay: no fix is newer than 15 min, or than the phone usually takes.
    public var isFixOld: Bool
    /// The report that caused it.
    public var report: ReportID

    /// Whether the person is inside after it.
    public var inside: Bool { after == .inside }

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

    /// Reads records without `before` and `after` by `inside`.
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

/// Somebody is not where they should be by a time of day.
public struct ZoneAbsence: Hashable, Sendable, Codable {
    public var person: PersonID
    public var zone: ZoneID
    public var zoneName: String
    public var circle: CircleID?
    public var set: ZoneSetID?
    /// The time by which they should have been inside.
    public var by: Timestamp
    /// Their last fix; nil = there never was one.
    public var fix: Fix?
    /// False: no fix is newer than 15 min and the phone does not keep its contact, so nothing is
    /// known but that there is no contact, wherever the last fix was.
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

/// Zones with messages fired together.
public struct DueMessages: Hashable, Sendable, Codable {
    public var person: PersonID
    /// Those that fired, the most urgent first.
    public var zones: [ZoneID]
    public var zoneNames: [String]
    /// What happened in each: of an alert zone, how its alarm began.
    public var transitions: [Transition]
    /// All that they name; ascending, each once.
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
