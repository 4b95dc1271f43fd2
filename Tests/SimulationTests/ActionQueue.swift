/// A queue of timed actions: the earliest first, and in insertion order at the same time.
struct ActionQueue<Item> {
    private var heap: [(at: Int64, order: UInt64, item: Item)] = []
    private var count: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }
    var items: [Item] { heap.map(\.item) }

    /// Time of the next action; nil if there is none.
    var next: Int64? { heap.first?.at }

    mutating func add(_ item: Item, at time: Int64) {
        count += 1
        heap.append((time, count, item))
        var place = heap.count - 1
        while place > 0, isBefore(place, (place - 1) / 2) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Removes and returns the first action if it is due.
    mutating func pop(at now: Int64) -> Item? {
        guard let first = heap.first, first.at <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.item }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < heap.count && isBefore(child, least) {
                least = child
            }
            if least == place { return first.item }
            heap.swapAt(place, least)
            place = least
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].at, heap[left].order) < (heap[right].at, heap[right].order)
    }
}
