// Silence of phones: standing still is silence, and silence is no danger as long as nobody knows
// better (domain.md §2).

/// A leading device has shown how it reports: from here on its silence says something, or nothing
/// any more.
public struct SilenceTerms: Hashable, Sendable, Codable {
    public var person: PersonID
    public var device: DeviceID
    /// Beyond this silence is remarkable, seconds; nil = the device goes by no hint of ours.
    public var maxSilenceSeconds: Int32?

    public init(person: PersonID, device: DeviceID, maxSilenceSeconds: Int32?) {
        self.person = person
        self.device = device
        self.maxSilenceSeconds = maxSilenceSeconds
    }
}

/// Something was heard of a person beside a report.
public struct Contact: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Their leading device spoke, without a report.
        case heard
        /// They say that they are all right.
        case allRight = "all-right"
    }

    public var person: PersonID
    public var kind: Kind
    public var at: Timestamp
    /// Of the leading device that spoke, where it says something new of it: percent, and whether
    /// it is charged.
    public var battery: UInt8?
    public var charging: Bool?
    public var trace: String

    public init(
        person: PersonID, kind: Kind, at: Timestamp, battery: UInt8? = nil,
        charging: Bool? = nil, trace: String = ""
    ) {
        self.person = person
        self.kind = kind
        self.at = at
        self.battery = battery
        self.charging = charging
        self.trace = trace
    }
}

/// A watch of a person goes on, or is over.
public struct WatchSpan: Hashable, Sendable, Codable {
    public var person: PersonID
    public var watch: WatchID
    /// Deadline and grace are over then, whatever is heard of it; nil = it is over.
    public var until: Timestamp?

    public init(person: PersonID, watch: WatchID, until: Timestamp?) {
        self.person = person
        self.watch = watch
        self.until = until
    }
}

/// Time in which nothing could be received: no silence in it counts.
public struct Deafness: Hashable, Sendable, Codable {
    public var from: Timestamp
    public var to: Timestamp

    public init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = to
    }
}

/// So many devices fell silent together that the suite suspects itself: as long as it does, nobody
/// is taken for lost.
public struct SilenceHold: Hashable, Sendable, Codable {
    public var isHeld: Bool

    public init(isHeld: Bool) { self.isHeld = isHeld }
}

/// How far a silence has come.
public enum SilenceState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Longer than it should be: shown.
    case quiet
    /// Twice as long: the person is asked.
    case overdue
    /// They have not answered.
    case lost
}

/// Why a silence ended.
public enum SilenceEnd: String, Hashable, Sendable, Codable, CaseIterable {
    /// The device was heard again.
    case heard
    /// The person answered.
    case answered
    /// Another device leads, or this one goes by no hint any more.
    case changed
}

/// A step of a silence.
public struct SilenceNews: Hashable, Sendable, Codable {
    public var person: PersonID
    public var device: DeviceID
    /// As far as it has come; of one that ended, as far as it had.
    public var state: SilenceState
    /// When it was decided that it has come so far.
    public var at: Timestamp
    /// From when on it counts: when the device was heard last, later by the time in which nothing
    /// could be received.
    public var since: Timestamp
    public var maxSilenceSeconds: Int32
    /// Whether a watch of the person goes on: who is lost in one is in danger.
    public var isWatched: Bool
    /// Last fix known, also of another device.
    public var fix: Fix?
    public var battery: UInt8?
    /// Nil = it goes on.
    public var end: SilenceEnd?

    public init(
        person: PersonID, device: DeviceID, state: SilenceState, at: Timestamp, since: Timestamp,
        maxSilenceSeconds: Int32, isWatched: Bool, fix: Fix? = nil, battery: UInt8? = nil,
        end: SilenceEnd? = nil
    ) {
        self.person = person
        self.device = device
        self.state = state
        self.at = at
        self.since = since
        self.maxSilenceSeconds = maxSilenceSeconds
        self.isWatched = isWatched
        self.fix = fix
        self.battery = battery
        self.end = end
    }
}

/// The battery of a leading device has become low.
public struct BatteryNews: Hashable, Sendable, Codable {
    public var person: PersonID
    public var device: DeviceID
    /// As told, percent.
    public var battery: UInt8
    /// The mark that it has come down to, percent.
    public var mark: UInt8

    public init(person: PersonID, device: DeviceID, battery: UInt8, mark: UInt8) {
        self.person = person
        self.device = device
        self.battery = battery
        self.mark = mark
    }
}
