/// First-in, first-out queue with constant-time operations at both ends.
public struct Fifo<Element> {
    @usableFromInline var items: [Element?] = []
    @usableFromInline var start = 0

    @inlinable
    public init() {}

    @inlinable public var isEmpty: Bool { start == items.count }
    @inlinable public var count: Int { items.count - start }

    /// The next element to pop.
    @inlinable public var first: Element? { isEmpty ? nil : items[start] }

    /// Adds an element at the end.
    @inlinable
    public mutating func append(_ element: Element) { items.append(element) }

    /// Inserts an element into a sorted queue, after equal ones. Constant time if it belongs at the
    /// end.
    @inlinable
    public mutating func insert(_ element: Element, by isBefore: (Element, Element) -> Bool) {
        var index = items.count
        while index > start, let before = items[index - 1], isBefore(element, before) { index -= 1 }
        items.insert(element, at: index)
    }

    /// Removes and returns the oldest element; nil if the queue is empty.
    @inlinable
    @discardableResult
    public mutating func popFirst() -> Element? {
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
    @inlinable
    public mutating func replaceFirst(_ element: Element) {
        if !isEmpty { items[start] = element }
    }

    /// Replaces the newest element for which `change` returns a value.
    ///
    /// - Returns: whether there was one
    @inlinable
    public mutating func replaceLast(_ change: (Element) -> Element?) -> Bool {
        for index in (start..<items.count).reversed() {
            guard let element = items[index], let changed = change(element) else { continue }
            items[index] = changed
            return true
        }
        return false
    }

    /// Removes all elements and frees their storage.
    @inlinable
    public mutating func removeAll() { self = Fifo() }

    /// Removes elements from the end while the condition holds.
    @inlinable
    public mutating func removeLast(while condition: (Element) -> Bool) {
        while !isEmpty, let last = items[items.count - 1], condition(last) { items.removeLast() }
    }

    /// The element at an offset from the front.
    @inlinable
    public subscript(index: Int) -> Element {
        guard let element = items[start + index] else { fatalError("index out of range") }
        return element
    }
}

extension Fifo: Sendable where Element: Sendable {}
