// What ingest tells evaluators of zones, circles, sets and people.

/// A zone as an evaluator needs it.
public struct PlacedZone: Hashable, Sendable, Codable {
    public var id: ZoneID
    public var name: String
    public var kind: ZoneKind
    public var category: String
    public var active: Bool
    public var priority: Int
    public var geometry: PreparedGeometry
    public var hysteresisMetres: Int
    public var transitions: [Transition]
    /// 0 = nothing is near.
    public var alertDistanceMetres: Int
    /// 0 = a long stay is not told.
    public var dwellSeconds: Int
    public var clock: ZoneClock?
    public var schedule: ZoneSchedule?
    public var absentByMinute: Int?
    public var alarm: ZoneAlarm
    public var messages: [MessageID]
    public var version: Int64

    public init(_ zone: Zone) {
        id = zone.id
        name = zone.name
        kind = zone.kind
        category = zone.category
        active = zone.active
        priority = zone.priority
        geometry = zone.prepared
        hysteresisMetres = zone.hysteresisMetres
        transitions = zone.transitions
        alertDistanceMetres = zone.alertDistanceMetres
        dwellSeconds = zone.dwellSeconds
        clock = zone.clock
        schedule = zone.schedule
        absentByMinute = zone.absentByMinute
        alarm = zone.alarm
        messages = zone.messages
        version = zone.version
    }

    /// What a record does not say is as if it had never been set.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(ZoneID.self, forKey: .id)
        name = try values.decode(String.self, forKey: .name)
        kind = try values.decode(ZoneKind.self, forKey: .kind)
        category = try values.decode(forKey: .category, or: "")
        active = try values.decode(Bool.self, forKey: .active)
        priority = try values.decode(Int.self, forKey: .priority)
        geometry = try values.decode(PreparedGeometry.self, forKey: .geometry)
        hysteresisMetres = try values.decode(Int.self, forKey: .hysteresisMetres)
        transitions = try values.decode([Transition].self, forKey: .transitions)
        alertDistanceMetres = try values.decode(forKey: .alertDistanceMetres, or: 0)
        dwellSeconds = try values.decode(forKey: .dwellSeconds, or: 0)
        clock = try values.decodeIfPresent(ZoneClock.self, forKey: .clock)
        schedule = try values.decodeIfPresent(ZoneSchedule.self, forKey: .schedule)
        absentByMinute = try values.decodeIfPresent(Int.self, forKey: .absentByMinute)
        alarm = try values.decode(forKey: .alarm, or: ZoneAlarm())
        messages = try values.decode(forKey: .messages, or: [])
        version = try values.decode(Int64.self, forKey: .version)
    }
}

/// A circle's zones, whole, for a partition in which it has a member.
public struct PlacedCircle: Hashable, Sendable, Codable {
    public var circle: CircleID
    public var zones: [PlacedZone]

    public init(circle: CircleID, zones: [PlacedZone]) {
        self.circle = circle
        self.zones = zones
    }
}

/// Some of a set's zones: those of one page, whole, for a partition in which a circle with a member
/// there subscribes to the set. A page that becomes empty is told once without zones.
public struct PlacedSet: Hashable, Sendable, Codable {
    /// A zone's page is the first two bytes of its id, modulo this.
    public static let pages = 512

    public var set: ZoneSetID
    /// 0 to 511.
    public var page: Int
    public var zones: [PlacedZone]

    public init(set: ZoneSetID, page: Int, zones: [PlacedZone]) {
        self.set = set
        self.page = page
        self.zones = zones
    }

    /// The page of a zone.
    public static func page(of zone: ZoneID) -> Int { Int(zone.raw.high >> 48) % pages }
}

/// Nobody of the partition is judged by the set any more.
public struct SetRemoval: Hashable, Sendable, Codable {
    public var set: ZoneSetID
    public init(set: ZoneSetID) { self.set = set }
}

/// A circle with which a person shares nothing at the moment.
public struct UnsharedCircle: Hashable, Sendable, Codable {
    public var circle: CircleID
    /// Nil = until they say otherwise.
    public var until: Timestamp?

    public init(circle: CircleID, until: Timestamp? = nil) {
        self.circle = circle
        self.until = until
    }
}

/// A person of a partition: which circles' zones judge them, which device leads, what is their own.
public struct PlacedPerson: Hashable, Sendable, Codable {
    public var person: PersonID
    public var leadingDevice: DeviceID?
    /// Ascending.
    public var circles: [CircleID]
    /// The person's private zones.
    public var zones: [PlacedZone]
    /// Those to which their circles subscribe; ascending.
    public var sets: [ZoneSetID]
    /// Of ``circles``; ascending.
    public var unshared: [UnsharedCircle]
    /// Zones by which they do not want to be judged; ascending.
    public var refused: [ZoneID]

    public init(
        person: PersonID, leadingDevice: DeviceID?, circles: [CircleID], zones: [PlacedZone],
        sets: [ZoneSetID] = [], unshared: [UnsharedCircle] = [], refused: [ZoneID] = []
    ) {
        self.person = person
        self.leadingDevice = leadingDevice
        self.circles = circles
        self.zones = zones
        self.sets = sets
        self.unshared = unshared
        self.refused = refused
    }

    /// What a record does not say is as if it had never been set.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            person: try values.decode(PersonID.self, forKey: .person),
            leadingDevice: try values.decodeIfPresent(DeviceID.self, forKey: .leadingDevice),
            circles: try values.decode([CircleID].self, forKey: .circles),
            zones: try values.decode([PlacedZone].self, forKey: .zones),
            sets: try values.decode(forKey: .sets, or: []),
            unshared: try values.decode(forKey: .unshared, or: []),
            refused: try values.decode(forKey: .refused, or: []))
    }
}
