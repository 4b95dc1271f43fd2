/// Time in which a service did not run, and how long items that became due in it are held.
public struct Outage: Hashable, Sendable {
    /// When the service last ran before the outage.
    public var from: Timestamp
    /// When the service ran again.
    public var until: Timestamp
    /// Until when items due in the outage wait for the operator. Then they are sent automatically.
    public var holdEnds: Timestamp

    public init(from: Timestamp, until: Timestamp, holdEnds: Timestamp) {
        self.from = from
        self.until = until
        self.holdEnds = holdEnds
    }

    /// Whether an item was due by the end of the outage.
    public func covers(_ due: Timestamp) -> Bool { due <= until }

    /// Whether an item that was due is still held.
    public func holds(_ due: Timestamp, at now: Timestamp) -> Bool {
        covers(due) && now < holdEnds
    }
}
