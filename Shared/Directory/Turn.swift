import Model

/// Context in which a service's core handles one input.
///
/// The core reads the time and the directory, and appends its effects in the order in which the
/// daemon has to perform them.
///
///     var turn = Turn<Effect>(now: now, directory: replica)
///     core.handle(input, &turn)
///     for effect in turn.effects { try perform(effect) }
public struct Turn<Effect> {
    /// Time of the turn. All inputs of one turn have the same time.
    public let now: Timestamp
    /// The directory as of this input. Only borrowed: a core never keeps it.
    public let directory: Replica
    /// Trace of the request or event that caused this input; empty if there is none.
    public var trace: String
    /// When the handled event happened, if the input is an event that may be older than ``now``.
    public var cause: Timestamp?
    /// Effects so far, in order.
    public var effects: [Effect]

    /// - Parameter effects: an empty array whose storage is reused
    public init(
        now: Timestamp, directory: Replica, trace: String = "", cause: Timestamp? = nil,
        effects: [Effect] = []
    ) {
        self.now = now
        self.directory = directory
        self.trace = trace
        self.cause = cause
        self.effects = effects
    }

    /// Appends an effect.
    public mutating func emit(_ effect: Effect) { effects.append(effect) }
}
