/// First-in, first-out queue with constant-time operations at both ends.
struct Fifo<Element> {
    private var items: [Element?] = []
    private var start = 0

    var isEmpty: Bool { start == items.count }
    var count: Int { items.count - start }

    /// The next element to pop.
    var first: Element? { isEmpty ? nil : items[start] }

    mutating func append(_ element: Element) { items.append(element) }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = items[start]
        items[start] = nil
        start += 1
        if start > 64, start * 2 > items.count {
            items.removeFirst(start)
            start = 0
        } else if isEmpty {
            items.removeAll(keepingCapacity: true)
            start = 0
        }
        return element
    }

    /// Replaces the next element to pop.
    mutating func replaceFirst(_ element: Element) {
        if !isEmpty { items[start] = element }
    }

    mutating func removeAll() {
        items = []
        start = 0
    }

    /// Removes elements from the end while the condition holds.
    mutating func removeLast(while condition: (Element) -> Bool) {
        while !isEmpty, let last = items[items.count - 1], condition(last) { items.removeLast() }
    }

    /// The element at an offset from the front.
    subscript(index: Int) -> Element {
        guard let element = items[start + index] else { fatalError("index out of range") }
        return element
    }
}
