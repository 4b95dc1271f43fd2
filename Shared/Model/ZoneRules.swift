// Rules of a zone besides its shape: schedule, alarm, recipients and messages.

/// UTC offset of a time zone from a time on.
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

/// Wall clock of a zone: a time zone and its UTC offsets.
///
/// Membership reads the offsets from the time zone database, so that evaluators need only integers.
public struct ZoneClock: Hashable, Sendable, Codable {
    /// IANA name, such as `Asia/Kuala_Lumpur`.
    public var timeZone: String
    /// Seconds east of Greenwich before the first of ``offsets``.
    public var firstOffset: Int32
    /// Ascending; the last one stays valid.
    public var offsets: [ZoneOffset]

    public init(timeZone: String, firstOffset: Int32 = 0, offsets: [ZoneOffset] = []) {
        self.timeZone = timeZone
        self.firstOffset = firstOffset
        self.offsets = offsets
    }
}

/// Part of a week in which a zone is active.
public struct ZoneWindow: Hashable, Sendable, Codable {
    /// Minutes since Monday 00:00 by the zone's wall clock, 0 to 10,079.
    public var start: Int
    /// Minutes since Monday 00:00, more than `start`; above 10,080 the window ends in the next
    /// week.
    public var end: Int

    public init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }
}

/// When a zone is active. Outside its windows a zone has no effect.
public struct ZoneSchedule: Hashable, Sendable, Codable {
    /// Ascending by start, without overlaps.
    public var windows: [ZoneWindow]
    /// Days on which no window starts, as days since 1970-01-01; ascending.
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
    /// How long it is silent after "sleep", seconds.
    public var sleepSeconds: Int
    /// Whether being inside raises an emergency, after a countdown in which the person is asked.
    public var raisesEmergency: Bool

    public init(
        vibrates: Bool = true, sound: String = "", cycleSeconds: Int = 60, sleepSeconds: Int = 600,
        raisesEmergency: Bool = false
    ) {
        self.raisesEmergency = raisesEmergency
        self.vibrates = vibrates
        self.sound = sound
        self.cycleSeconds = cycleSeconds
        self.sleepSeconds = sleepSeconds
    }

    /// Decodes a missing ``raisesEmergency`` as false.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            vibrates: try values.decode(Bool.self, forKey: .vibrates),
            sound: try values.decode(String.self, forKey: .sound),
            cycleSeconds: try values.decode(Int.self, forKey: .cycleSeconds),
            sleepSeconds: try values.decode(Int.self, forKey: .sleepSeconds),
            raisesEmergency: try values.decode(forKey: .raisesEmergency, or: false))
    }
}

/// Recipients of a zone's notifications, among those who may be notified.
public struct ZoneAudience: Hashable, Sendable, Codable {
    public var roles: [Role]
    public var people: [PersonID]

    /// Recipients of a zone that names none: admins and guardians.
    public static let standard = ZoneAudience(roles: [.admin, .guardian])

    public init(roles: [Role] = [.guardian], people: [PersonID] = []) {
        self.roles = roles
        self.people = people
    }
}

/// Text message to a phone number, sent when a zone that refers to it fires.
public struct ZoneMessage: DirectoryPayload {
    public enum Mode: String, Sendable, Codable, CaseIterable {
        /// Sent after the person confirms it.
        case draft
        case automatic
    }

    public var id: MessageID
    public var owner: ZoneOwner
    /// Name of the person in the message; empty = their profile's name.
    public var senderName: String
    /// Name of the recipient in the message; empty = none.
    public var recipientName: String
    /// E.164.
    public var number: String
    /// Supplementary line.
    public var line: String
    public var mode: Mode
    /// When the owner of the number consented, by entering the code that was sent to it or to the
    /// operator; nil = nothing is sent to it yet.
    public var confirmed: Timestamp?
    public var version: Int64

    public init(
        id: MessageID, owner: ZoneOwner, senderName: String = "", recipientName: String = "",
        number: String, line: String = "", mode: Mode = .draft, confirmed: Timestamp? = nil,
        version: Int64 = 1
    ) {
        self.id = id
        self.owner = owner
        self.senderName = senderName
        self.recipientName = recipientName
        self.number = number
        self.line = line
        self.mode = mode
        self.confirmed = confirmed
        self.version = version
    }
}

/// Set of zones that circles subscribe to, such as those of an organisation.
public struct ZoneSet: DirectoryPayload {
    public var id: ZoneSetID
    public var name: String
    public var version: Int64

    public init(id: ZoneSetID, name: String, version: Int64 = 1) {
        self.id = id
        self.name = name
        self.version = version
    }
}
