/// A time in which a service could not do what became due, and how long that is held after it.
public struct Outage: Hashable, Sendable {
    /// The last that the store knows of before.
    public var from: Timestamp
    /// When the service ran again.
    public var until: Timestamp
    /// Until then what became due in between waits for the operator; then it goes out by itself.
    public var holdEnds: Timestamp

    public init(from: Timestamp, until: Timestamp, holdEnds: Timestamp) {
        self.from = from
        self.until = until
        self.holdEnds = holdEnds
    }

    /// Whether something became due in it. What was due before is late for another reason, and was
    /// late already.
    public func covers(_ due: Timestamp) -> Bool { due <= until }

    /// Whether what became due in it still waits.
    public func holds(_ due: Timestamp, at now: Timestamp) -> Bool {
        covers(due) && now < holdEnds
    }
}
