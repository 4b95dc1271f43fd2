import Model

/// Waits by the time they end: one for each id.
///
/// A binary heap that knows the place of every id, so that setting, moving, removing and taking one
/// cost O(log n), a million of them comfortably. What comes out does not depend on the order in
/// which it was put in: the earliest first, the lower id where two end together.
///
/// ```swift
/// var queue = ClockQueue<ClockID>()
/// queue.set(clock.id, due: clock.due)
/// while let entry = queue.popDue(at: now) { fire(entry.id) }
/// ```
public struct ClockQueue<ID: Hashable & Comparable & Sendable>: Sendable {
    /// A wait and its end.
    public struct Entry: Hashable, Comparable, Sendable {
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
    private var places: [ID: Int] = [:]

    public init() {}

    /// Takes many at once in O(n); of those with the same id the last counts.
    public init(_ entries: some Sequence<Entry>) {
        heap.reserveCapacity(entries.underestimatedCount)
        places.reserveCapacity(entries.underestimatedCount)
        for entry in entries {
            if let place = places[entry.id] {
                heap[place] = entry
            } else {
                places[entry.id] = heap.count
                heap.append(entry)
            }
        }
        for place in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(place) }
    }

    public var count: Int { heap.count }
    public var isEmpty: Bool { heap.isEmpty }

    /// When the earliest wait ends; nil without any.
    public var next: Timestamp? { heap.first?.due }

    /// Waits for that id until then. Asked again, the wait asked for last is the one that counts.
    public mutating func set(_ id: ID, due: Timestamp) {
        let entry = Entry(id, due: due)
        guard let place = places[id] else {
            heap.append(entry)
            places[id] = heap.count - 1
            rise(heap.count - 1)
            return
        }
        let isEarlier = entry < heap[place]
        heap[place] = entry
        if isEarlier { rise(place) } else { sink(place) }
    }

    /// Forgets the wait of that id; tells when it would have ended, nil when there was none.
    @discardableResult
    public mutating func remove(_ id: ID) -> Timestamp? {
        guard let place = places[id] else { return nil }
        return take(place).due
    }

    /// Takes the earliest wait that is over; nil when none is.
    public mutating func popDue(at now: Timestamp) -> Entry? {
        guard let first = heap.first, first.due <= now else { return nil }
        return take(0)
    }

    private mutating func take(_ place: Int) -> Entry {
        let entry = heap[place]
        places[entry.id] = nil
        let last = heap.removeLast()
        if place < heap.count {
            let isEarlier = last < entry
            put(last, at: place)
            if isEarlier { rise(place) } else { sink(place) }
        }
        return entry
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        heap[place] = entry
        places[entry.id] = place
    }

    private mutating func rise(_ start: Int) {
        var place = start
        let entry = heap[place]
        while place > 0, entry < heap[(place - 1) / 2] {
            put(heap[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        if place != start { put(entry, at: place) }
    }

    private mutating func sink(_ start: Int) {
        var place = start
        let entry = heap[place]
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < entry else { break }
            put(heap[child], at: place)
            place = child
        }
        if place != start { put(entry, at: place) }
    }
}
