// Configuration that ingest distributes to evaluators: zones, circles, sets and people.

/// The part of a zone that evaluators need.
public struct ConfiguredZone: Hashable, Sendable, Codable {
    public var id: ZoneID
    public var name: String
    public var kind: ZoneKind
    public var category: String
    public var active: Bool
    public var priority: Int
    public var geometry: PreparedGeometry
    public var hysteresisMetres: Int
    public var transitions: [Transition]
    /// 0 = no position is near.
    public var alertDistanceMetres: Int
    /// 0 = no dwell event.
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

    /// Decodes missing fields as their defaults.
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

/// All zones of a circle, for partitions in which it has members.
public struct ConfiguredCircle: EventPayload {
    public var circle: CircleID
    public var zones: [ConfiguredZone]

    public init(circle: CircleID, zones: [ConfiguredZone]) {
        self.circle = circle
        self.zones = zones
    }
}

/// One page of a set's zones, for partitions with members of subscribed circles.
///
/// A page that becomes empty is distributed once without zones.
public struct ConfiguredSet: EventPayload {
    /// Number of pages. A zone's page is the first two bytes of its id, modulo this number.
    public static let pages = 512

    public var set: ZoneSetID
    /// 0 to 511.
    public var page: Int
    public var zones: [ConfiguredZone]

    public init(set: ZoneSetID, page: Int, zones: [ConfiguredZone]) {
        self.set = set
        self.page = page
        self.zones = zones
    }

    /// The page of a zone.
    public static func page(of zone: ZoneID) -> Int { Int(zone.raw.high >> 48) % pages }
}

/// A set no longer applies to anybody of the partition.
public struct SetRemoval: DirectoryPayload {
    public var set: ZoneSetID
    public init(set: ZoneSetID) { self.set = set }
    public var entity: ID128 { self.set.raw }
}

/// Circle with which a person does not share their position now.
public struct UnsharedCircle: Hashable, Sendable, Codable {
    public var circle: CircleID
    /// End of the pause; nil = until the person resumes sharing.
    public var until: Timestamp?

    public init(circle: CircleID, until: Timestamp? = nil) {
        self.circle = circle
        self.until = until
    }
}

/// Configuration of a person: circles, sets and private zones that apply to them, and their primary
/// device.
public struct ConfiguredPerson: PersonPayload {
    public var person: PersonID
    public var primaryDevice: DeviceID?
    /// Ascending.
    public var circles: [CircleID]
    /// The person's private zones.
    public var zones: [ConfiguredZone]
    /// Sets to which their circles subscribe; ascending.
    public var sets: [ZoneSetID]
    /// Those of ``circles`` that do not share; ascending.
    public var unshared: [UnsharedCircle]
    /// Zones that they opted out of; ascending.
    public var zoneOptOuts: [ZoneID]

    public init(
        person: PersonID, primaryDevice: DeviceID?, circles: [CircleID], zones: [ConfiguredZone],
        sets: [ZoneSetID] = [], unshared: [UnsharedCircle] = [], zoneOptOuts: [ZoneID] = []
    ) {
        self.person = person
        self.primaryDevice = primaryDevice
        self.circles = circles
        self.zones = zones
        self.sets = sets
        self.unshared = unshared
        self.zoneOptOuts = zoneOptOuts
    }

    /// Decodes missing fields as their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            person: try values.decode(PersonID.self, forKey: .person),
            primaryDevice: try values.decodeIfPresent(DeviceID.self, forKey: .primaryDevice),
            circles: try values.decode([CircleID].self, forKey: .circles),
            zones: try values.decode([ConfiguredZone].self, forKey: .zones),
            sets: try values.decode(forKey: .sets, or: []),
            unshared: try values.decode(forKey: .unshared, or: []),
            zoneOptOuts: try values.decode(forKey: .zoneOptOuts, or: []))
    }
}
