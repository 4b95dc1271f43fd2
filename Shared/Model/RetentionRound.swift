/// The timer says that it is time to forget what is older than its time.
///
/// Whoever forgets by it goes by one clock, which no jump of their own moves: what would be lost
/// by a wrong clock never comes back.
public struct RetentionRound: Hashable, Sendable, Codable {
    /// As of when ages are counted.
    public var at: Timestamp

    public init(at: Timestamp) { self.at = at }
}
