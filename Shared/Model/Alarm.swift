/// A person's devices shall alarm of zones, or shall not.
public struct Arming: Hashable, Sendable, Codable {
    public var person: PersonID
    public var armed: Bool
    public var at: Timestamp
    public var trace: String

    public init(person: PersonID, armed: Bool, at: Timestamp, trace: String = "") {
        self.person = person
        self.armed = armed
        self.at = at
        self.trace = trace
    }
}

/// What a person answers to an alarm of a zone.
public struct AlarmAnswer: Hashable, Sendable, Codable {
    public enum Action: String, Sendable, Codable, CaseIterable {
        /// This ring is heard; the next one comes after the cycle time.
        case close
        /// Silent for the zone's sleep time.
        case sleep
    }

    public var person: PersonID
    /// Nil = all that alarm.
    public var zone: ZoneID?
    public var action: Action
    public var at: Timestamp
    public var trace: String

    public init(
        person: PersonID, zone: ZoneID? = nil, action: Action, at: Timestamp, trace: String = ""
    ) {
        self.person = person
        self.zone = zone
        self.action = action
        self.at = at
        self.trace = trace
    }
}

/// Why an alarm is over.
public enum AlarmEnd: String, Sendable, Codable, CaseIterable {
    /// The person went out of the zone, and out of its alert distance.
    case exit
    case disarmed
    /// The zone, or the person's part in its circle, is gone or switched off, or its schedule
    /// ended.
    case removed
    /// The zone was edited, and the person is outside now.
    case zoneChanged = "zone-changed"
}

/// An alert zone alarms a person's own devices; guardians hear its start and its end.
public struct AlarmNews: Hashable, Sendable, Codable {
    /// One stay in one zone.
    public var alarm: AlarmID
    public var person: PersonID
    public var zone: ZoneID
    public var zoneName: String
    public var category: String
    public var priority: Int
    public var circle: CircleID?
    public var set: ZoneSetID?
    public var vibrates: Bool
    /// Empty = the default sound.
    public var sound: String
    /// Inside or near; at the end where the person is then.
    public var presence: Presence
    /// Rings so far, this one included: 1 at the start, 0 where it began without a sound.
    public var rings: Int
    /// Found so, not entered.
    public var initial: Bool
    /// Whether this zone speaks now: false where a more urgent one does.
    public var speaks: Bool
    /// Nil while it lasts.
    public var end: AlarmEnd?
    /// The last fix.
    public var fix: Fix

    public init(
        alarm: AlarmID, person: PersonID, zone: ZoneID, zoneName: String, category: String,
        priority: Int, circle: CircleID?, set: ZoneSetID? = nil, vibrates: Bool, sound: String,
        presence: Presence, rings: Int, initial: Bool = false, speaks: Bool = true,
        end: AlarmEnd? = nil, fix: Fix
    ) {
        self.alarm = alarm
        self.person = person
        self.zone = zone
        self.zoneName = zoneName
        self.category = category
        self.priority = priority
        self.circle = circle
        self.set = set
        self.vibrates = vibrates
        self.sound = sound
        self.presence = presence
        self.rings = rings
        self.initial = initial
        self.speaks = speaks
        self.end = end
        self.fix = fix
    }
}
