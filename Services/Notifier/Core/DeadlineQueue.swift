import Model

/// Priority queue of items by due time, earliest first; equal times in insertion order.
///
/// A binary heap. It has no removal: callers ignore items that are stale when they are popped.
struct DeadlineQueue<Item: Sendable>: Sendable {
    private struct Entry: Sendable {
        var due: Timestamp
        var order: UInt64
        var item: Item

        func isBefore(_ other: Entry) -> Bool { (due, order) < (other.due, other.order) }
    }

    private var heap: [Entry] = []
    private var arrivals: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }
    /// Due time of the earliest item.
    var nextDue: Timestamp? { heap.first?.due }

    mutating func insert(_ item: Item, due: Timestamp) {
        arrivals += 1
        heap.append(Entry(due: due, order: arrivals, item: item))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest item if it is due.
    mutating func pop(due now: Timestamp) -> Item? {
        guard let first = heap.first, first.due <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sinkRoot()
        }
        return first.item
    }

    private mutating func sinkRoot() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
