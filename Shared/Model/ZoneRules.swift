// What a zone says beyond its shape: when it counts, how near is near, what it tells whom.

/// From a second on, a time zone is so far east of Greenwich.
public struct ZoneOffset: Hashable, Sendable, Codable {
    /// Seconds since 1970 UTC.
    public var at: Int64
    /// Seconds east of Greenwich.
    public var offset: Int32

    public init(at: Int64, offset: Int32) {
        self.at = at
        self.offset = offset
    }
}

/// The wall clock of a zone: a time zone's name, and its offsets as membership read them, so that
/// an evaluator needs integers alone.
public struct ZoneClock: Hashable, Sendable, Codable {
    /// IANA name, such as `Asia/Kuala_Lumpur`.
    public var timeZone: String
    /// Seconds east of Greenwich before the first of ``offsets``.
    public var firstOffset: Int32
    /// Ascending; after the last one its offset goes on.
    public var offsets: [ZoneOffset]

    public init(timeZone: String, firstOffset: Int32 = 0, offsets: [ZoneOffset] = []) {
        self.timeZone = timeZone
        self.firstOffset = firstOffset
        self.offsets = offsets
    }
}

/// Part of a week in which a zone counts.
public struct ZoneWindow: Hashable, Sendable, Codable {
    /// Minutes since Monday 00:00 by the zone's wall clock, 0 to 10,079.
    public var start: Int
    /// Minutes since Monday 00:00, more than `start`; beyond 10,080 the window ends in the week
    /// after.
    public var end: Int

    public init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }
}

/// When a zone counts. Outside of its windows it is as if it were switched off.
public struct ZoneSchedule: Hashable, Sendable, Codable {
    /// Ascending by start, none overlapping another.
    public var windows: [ZoneWindow]
    /// Days on which no window begins, as days since 1970-01-01; ascending.
    public var exceptions: [Int32]

    public init(windows: [ZoneWindow], exceptions: [Int32] = []) {
        self.windows = windows
        self.exceptions = exceptions
    }
}

/// How an alert zone alarms the person's own devices.
public struct ZoneAlarm: Hashable, Sendable, Codable {
    public var vibrates: Bool
    /// Name of the sound, case-sensitive; empty = the default sound.
    public var sound: String
    /// Seconds from ring to ring while the person stays, at least 10.
    public var cycleSeconds: Int
    /// After "sleep" it is silent for at least so many seconds.
    public var sleepSeconds: Int

    public init(
        vibrates: Bool = true, sound: String = "", cycleSeconds: Int = 60, sleepSeconds: Int = 600
    ) {
        self.vibrates = vibrates
        self.sound = sound
        self.cycleSeconds = cycleSeconds
        self.sleepSeconds = sleepSeconds
    }
}

/// Who is told of a zone's transitions, of those who may be told.
public struct ZoneAudience: Hashable, Sendable, Codable {
    public var roles: [Role]
    public var people: [PersonID]

    /// Of a zone that names nobody: those who watch over others.
    public static let standard = ZoneAudience(roles: [.admin, .guardian])

    public init(roles: [Role] = [.guardian], people: [PersonID] = []) {
        self.roles = roles
        self.people = people
    }
}

/// A text to a number, sent when a zone that names it fires.
public struct ZoneMessage: Hashable, Sendable, Codable {
    public enum Mode: String, Sendable, Codable, CaseIterable {
        /// Sent after the person's tap.
        case propose
        case automatic
    }

    public var id: MessageID
    public var owner: ZoneOwner
    /// What the person is called in it; empty = their name.
    public var ownMoniker: String
    /// What the receiver is called in it; empty = nothing.
    public var toMoniker: String
    /// E.164.
    public var number: String
    /// Supplementary line.
    public var line: String
    public var mode: Mode
    /// When the number agreed: its holder told the code that was sent there, or the operator has
    /// their word; nil = nothing is sent to it yet.
    public var confirmed: Timestamp?
    public var version: Int64

    public init(
        id: MessageID, owner: ZoneOwner, ownMoniker: String = "", toMoniker: String = "",
        number: String, line: String = "", mode: Mode = .propose, confirmed: Timestamp? = nil,
        version: Int64 = 1
    ) {
        self.id = id
        self.owner = owner
        self.ownMoniker = ownMoniker
        self.toMoniker = toMoniker
        self.number = number
        self.line = line
        self.mode = mode
        self.confirmed = confirmed
        self.version = version
    }
}

/// Zones that many circles subscribe to: an organisation's.
public struct ZoneSet: Hashable, Sendable, Codable {
    public var id: ZoneSetID
    public var name: String
    public var version: Int64

    public init(id: ZoneSetID, name: String, version: Int64 = 1) {
        self.id = id
        self.name = name
        self.version = version
    }
}
