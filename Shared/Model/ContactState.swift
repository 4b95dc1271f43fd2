// Contact loss of phones. A phone at rest sends nothing, so a late contact alone is no danger
// (domain.md §2).

/// How long a primary device may be out of contact before it counts as late.
public struct ContactExpectation: PersonPayload {
    public var person: PersonID
    public var device: DeviceID
    /// After this time without contact it is late, seconds; nil = the device follows no reporting
    /// policy, so its contact is not evaluated.
    public var contactTimeoutSeconds: Int32?

    public init(person: PersonID, device: DeviceID, contactTimeoutSeconds: Int32?) {
        self.person = person
        self.device = device
        self.contactTimeoutSeconds = contactTimeoutSeconds
    }
}

/// A sign of contact with a person that is not a report.
public struct Contact: PersonPayload {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Their primary device sent something without a report.
        case seen
        /// The person confirmed that they are OK.
        case checkIn = "check-in"
    }

    public var person: PersonID
    public var kind: Kind
    public var at: Timestamp
    /// Battery of the primary device in percent, if it changed. ``charging`` likewise.
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

/// A watch of a person started, was extended, or ended.
public struct WatchSpan: PersonPayload {
    public var person: PersonID
    public var watch: WatchID
    /// End of deadline and grace, after which the watch is over in any case; nil = it has ended.
    public var until: Timestamp?

    public init(person: PersonID, watch: WatchID, until: Timestamp?) {
        self.person = person
        self.watch = watch
        self.until = until
    }
}

/// Time in which ingest could receive nothing, so that missing contact in it does not count.
public struct IntakeOutage: EventPayload {
    public var from: Timestamp
    public var to: Timestamp

    public init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = to
    }
}

/// Hold of all contact losses, because many devices lost contact at once.
///
/// The suite then suspects an outage of its own. While it is held, nobody becomes lost.
public struct ContactLossHold: EventPayload {
    public var isHeld: Bool

    public init(isHeld: Bool) { self.isHeld = isHeld }
}

/// State of a late contact.
public enum ContactState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Longer than the contact timeout: shown in the app.
    case late
    /// Twice the contact timeout: the person is asked.
    case overdue
    /// The person has not answered.
    case lost
}

/// Why a contact became OK again.
public enum ContactEnd: String, Hashable, Sendable, Codable, CaseIterable {
    /// The device was seen again.
    case seen
    /// The person answered.
    case answered
    /// Another device became the primary one, or this one follows no reporting policy any more.
    case changed
}

/// A change of the contact state of a person's primary device.
public struct ContactChange: PersonPayload {
    public var person: PersonID
    public var device: DeviceID
    /// The new state; for an end, the last state before it.
    public var state: ContactState
    /// When the state was decided.
    public var at: Timestamp
    /// Since when there is no contact: when the device was last seen, plus intake outages since.
    public var since: Timestamp
    public var contactTimeoutSeconds: Int32
    /// Whether a watch of the person is active; a person lost during a watch is in danger.
    public var isWatched: Bool
    /// Last known fix of any device.
    public var fix: Fix?
    public var battery: UInt8?
    /// Nil = contact is still late.
    public var end: ContactEnd?

    public init(
        person: PersonID, device: DeviceID, state: ContactState, at: Timestamp, since: Timestamp,
        contactTimeoutSeconds: Int32, isWatched: Bool, fix: Fix? = nil, battery: UInt8? = nil,
        end: ContactEnd? = nil
    ) {
        self.person = person
        self.device = device
        self.state = state
        self.at = at
        self.since = since
        self.contactTimeoutSeconds = contactTimeoutSeconds
        self.isWatched = isWatched
        self.fix = fix
        self.battery = battery
        self.end = end
    }
}

/// The battery of a primary device became low.
public struct BatteryChange: PersonPayload {
    public var person: PersonID
    public var device: DeviceID
    /// Level, percent.
    public var battery: UInt8
    /// The threshold that it reached, percent.
    public var mark: UInt8

    public init(person: PersonID, device: DeviceID, battery: UInt8, mark: UInt8) {
        self.person = person
        self.device = device
        self.battery = battery
        self.mark = mark
    }
}
