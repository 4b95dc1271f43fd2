/// Event of the timer that starts a round of data retention: services delete expired data.
///
/// All services use its time, so that a wrong clock of one service deletes nothing too early.
public struct RetentionRound: EventPayload {
    /// Reference time for ages.
    public var at: Timestamp

    public init(at: Timestamp) { self.at = at }
}
