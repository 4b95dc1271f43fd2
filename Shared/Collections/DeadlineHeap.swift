import Model

/// Deadlines ordered by time, one per id.
///
/// A binary heap with an index by id: setting, moving, removing and popping cost O(log n). The
/// order of results does not depend on the order of insertion: earliest first, then the lower id.
///
/// ```swift
/// var queue = DeadlineHeap<DeadlineID>()
/// queue.set(deadline.id, due: deadline.due)
/// while let entry = queue.popDue(at: now) { expire(entry.id) }
/// ```
public struct DeadlineHeap<ID: Hashable & Comparable> {
    /// A deadline.
    public struct Entry: Hashable, Comparable {
        public var due: Timestamp
        public var id: ID

        public init(_ id: ID, due: Timestamp) {
            self.due = due
            self.id = id
        }

        @inlinable
        public static func < (left: Entry, right: Entry) -> Bool {
            left.due != right.due ? left.due < right.due : left.id < right.id
        }
    }

    private var heap: [Entry] = []
    private var indices: [ID: Int] = [:]

    public init() {}

    /// Builds the heap in O(n); the last entry of an id wins.
    public init(_ entries: some Sequence<Entry>) {
        heap.reserveCapacity(entries.underestimatedCount)
        indices.reserveCapacity(entries.underestimatedCount)
        for entry in entries {
            if let index = indices[entry.id] {
                heap[index] = entry
            } else {
                indices[entry.id] = heap.count
                heap.append(entry)
            }
        }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    public var count: Int { heap.count }
    public var isEmpty: Bool { heap.isEmpty }

    /// The earliest deadline; nil if there is none.
    public var next: Timestamp? { heap.first?.due }

    /// Sets the deadline of an id, replacing an earlier one.
    public mutating func set(_ id: ID, due: Timestamp) {
        let entry = Entry(id, due: due)
        guard let index = indices[id] else {
            heap.append(entry)
            indices[id] = heap.count - 1
            rise(heap.count - 1)
            return
        }
        let isEarlier = entry < heap[index]
        heap[index] = entry
        if isEarlier { rise(index) } else { sink(index) }
    }

    /// Removes the deadline of an id. Returns its time; nil if there was none.
    @discardableResult
    public mutating func remove(_ id: ID) -> Timestamp? {
        guard let index = indices[id] else { return nil }
        return removeEntry(at: index).due
    }

    /// Pops the earliest expired deadline; nil if there is none.
    public mutating func popDue(at now: Timestamp) -> Entry? {
        guard let first = heap.first, first.due <= now else { return nil }
        return removeEntry(at: 0)
    }

    private mutating func removeEntry(at index: Int) -> Entry {
        let entry = heap[index]
        indices[entry.id] = nil
        let last = heap.removeLast()
        if index < heap.count {
            let isEarlier = last < entry
            place(last, at: index)
            if isEarlier { rise(index) } else { sink(index) }
        }
        return entry
    }

    private mutating func place(_ entry: Entry, at index: Int) {
        heap[index] = entry
        indices[entry.id] = index
    }

    private mutating func rise(_ start: Int) {
        var index = start
        let entry = heap[index]
        while index > 0, entry < heap[(index - 1) / 2] {
            place(heap[(index - 1) / 2], at: index)
            index = (index - 1) / 2
        }
        if index != start { place(entry, at: index) }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        let entry = heap[index]
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < entry else { break }
            place(heap[child], at: index)
            index = child
        }
        if index != start { place(entry, at: index) }
    }
}

extension DeadlineHeap: Sendable where ID: Sendable {}
extension DeadlineHeap.Entry: Sendable where ID: Sendable {}
