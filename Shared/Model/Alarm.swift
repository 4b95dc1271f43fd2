/// A person armed or disarmed the zone alarms of their devices.
public struct Arming: PersonPayload {
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

/// A person's response to a zone alarm.
public struct AlarmAnswer: PersonPayload {
    public enum Action: String, Sendable, Codable, CaseIterable {
        /// Dismiss this ring; the alarm rings again after the cycle time.
        case close
        /// Snooze for the zone's sleep time.
        case sleep
    }

    public var person: PersonID
    /// Nil = all zones with an active alarm.
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

/// Why an alarm ended.
public enum AlarmEnd: String, Sendable, Codable, CaseIterable {
    /// The person left the zone and its alert distance.
    case exit
    case disarmed
    /// The zone was removed or deactivated, its schedule closed, or the person left its circle.
    case removed
    /// The zone was edited, and the person is outside it now.
    case zoneChanged = "zone-changed"
}

/// Start, ring or end of an alert zone's alarm on the person's own devices.
///
/// Guardians are notified about start and end.
public struct AlarmChange: PersonPayload {
    /// Identifies one stay in one zone.
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
    /// Inside or near; for the end, where the person is now.
    public var presence: Presence
    /// Rings so far, including this one: 1 at the start, 0 if it started without sound.
    public var rings: Int
    /// Whether the person was already there when the zone became applicable, rather than entered
    /// it.
    public var initial: Bool
    /// Whether this alarm sounds now; false while a more urgent one does.
    public var isAudible: Bool
    /// Nil while it is active.
    public var end: AlarmEnd?
    /// The last fix.
    public var fix: Fix

    public init(
        alarm: AlarmID, person: PersonID, zone: ZoneID, zoneName: String, category: String,
        priority: Int, circle: CircleID?, set: ZoneSetID? = nil, vibrates: Bool, sound: String,
        presence: Presence, rings: Int, initial: Bool = false, isAudible: Bool = true,
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
        self.isAudible = isAudible
        self.end = end
        self.fix = fix
    }
}
