import Model

/// Holds items that became due during an outage, for the operator and for a limited time.
///
/// What is held need not be stored: after a restart the same items become due again and are held
/// again, until the same time.
///
///     var hold = OutageHold<WatchID>(after: outage)
///     if !hold.hold(watch, due: due, at: now) { expire(watch) }
///     for (watch, due) in hold.end(at: now) ?? [] { queue.set(watch, due: due) }
public struct OutageHold<Item: Hashable & Comparable & Sendable>: Sendable {
    /// An item and when it was due.
    public typealias Held = (item: Item, due: Timestamp)

    /// The last outage; nil if there was none.
    public let outage: Outage?
    /// Whether everything was released. Then nothing is held again, even if the clock is set back.
    private var isOver = false
    private var held: [Item: Timestamp] = [:]

    public init(after outage: Outage? = nil) { self.outage = outage }

    /// The outage, while the hold lasts.
    public var active: Outage? { isOver ? nil : outage }

    /// Whether items that were due in the outage are held now.
    public func isActive(at now: Timestamp) -> Bool { active.map { now < $0.holdEnds } ?? false }

    /// Whether a time was before the end of the outage.
    public func covers(_ time: Timestamp) -> Bool { outage?.covers(time) ?? false }

    /// Whether an item that was due, or happened, at a time is held now.
    public func holds(_ due: Timestamp, at now: Timestamp) -> Bool {
        active?.holds(due, at: now) ?? false
    }

    public var count: Int { held.count }
    /// When the hold ends; nil if nothing is held.
    public var ends: Timestamp? { held.isEmpty ? nil : active?.holdEnds }
    /// The held items, earliest due first, then the lower item.
    public var items: [Held] {
        held.map { ($0.key, $0.value) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    }

    /// Holds an item if it was due in the outage.
    ///
    /// - Returns: whether it is held
    public mutating func hold(_ item: Item, due: Timestamp, at now: Timestamp) -> Bool {
        guard holds(due, at: now) else { return false }
        held[item] = due
        return true
    }

    /// Releases or drops an item, or forgets one that needs no decision any more.
    ///
    /// - Returns: when it was due; nil if it was not held
    @discardableResult
    public mutating func remove(_ item: Item) -> Timestamp? { held.removeValue(forKey: item) }

    /// Ends the hold when its time has come, and releases everything.
    ///
    /// - Returns: what was held, earliest due first; nil if the hold does not end now
    public mutating func end(at now: Timestamp) -> [Held]? {
        guard let active, active.holdEnds <= now else { return nil }
        defer { held = [:] }
        isOver = true
        return items
    }
}
