import Model

/// Priority queue of items by due time, earliest first; equal times in insertion order.
///
/// It has no removal: callers ignore items that are stale when they are popped. For one deadline
/// per id, use ``DeadlineHeap``.
public struct DeadlineQueue<Item> {
    /// An item, identified and ordered by its number.
    fileprivate struct Arrival: Hashable, Comparable {
        let number: UInt64
        let item: Item

        static func == (left: Arrival, right: Arrival) -> Bool { left.number == right.number }
        static func < (left: Arrival, right: Arrival) -> Bool { left.number < right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private var heap = DeadlineHeap<Arrival>()
    private var arrivals: UInt64 = 0

    public init() {}

    public var isEmpty: Bool { heap.isEmpty }
    public var count: Int { heap.count }
    /// Due time of the earliest item.
    public var nextDue: Timestamp? { heap.next }

    /// Adds an item.
    public mutating func insert(_ item: Item, due: Timestamp) {
        arrivals += 1
        heap.set(Arrival(number: arrivals, item: item), due: due)
    }

    /// Removes and returns the earliest item if it is due.
    public mutating func pop(due now: Timestamp) -> Item? { heap.popDue(at: now)?.id.item }
}

extension DeadlineQueue: Sendable where Item: Sendable {}
extension DeadlineQueue.Arrival: Sendable where Item: Sendable {}
