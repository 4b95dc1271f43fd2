public enum PositionQueryTag: IdentifierKind { public static let prefix = "psq" }
/// Identifies one SMS that asks for positions.
public typealias PositionQueryID = Identifier<PositionQueryTag>

/// A person asks by SMS for the last positions of their circles.
///
/// The notifier publishes it, ingest answers with ``PositionsAnswer``. It has no number: only the
/// notifier knows where the answer goes.
public struct PositionsRequest: PersonPayload {
    /// Who asks.
    public var person: PersonID
    public var query: PositionQueryID
    public var at: Timestamp
    public var trace: String

    public init(person: PersonID, query: PositionQueryID, at: Timestamp, trace: String = "") {
        self.person = person
        self.query = query
        self.at = at
        self.trace = trace
    }
}

/// The last positions of the members of a person's circles, as far as the person may see them.
public struct PositionsAnswer: PersonPayload {
    /// Who asked.
    public var person: PersonID
    public var query: PositionQueryID
    /// Newest first; of members who show nothing there is none.
    public var positions: [AnsweredPosition]
    /// How many more there are than an SMS can hold.
    public var more: Int
    public var trace: String

    public init(
        person: PersonID, query: PositionQueryID, positions: [AnsweredPosition], more: Int = 0,
        trace: String = ""
    ) {
        self.person = person
        self.query = query
        self.positions = positions
        self.more = more
        self.trace = trace
    }
}

/// The last position of one member, for somebody who asked.
public struct AnsweredPosition: Hashable, Sendable, Codable {
    public var person: PersonID
    /// Nil = only zones are shared, sharing is paused, or no position is known.
    public var fix: Fix?
    /// The name of the zone, if only zones are shared; nil = in none that may be named.
    public var zone: String?
    /// When the position was measured; nil = no position is known, or sharing is paused.
    public var taken: Timestamp?
    public var isPaused: Bool

    public init(
        person: PersonID, fix: Fix? = nil, zone: String? = nil, taken: Timestamp? = nil,
        isPaused: Bool = false
    ) {
        self.person = person
        self.fix = fix
        self.zone = zone
        self.taken = taken
        self.isPaused = isPaused
    }
}
