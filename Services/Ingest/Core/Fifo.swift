/// A queue with constant cost at both ends.
struct Fifo<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Replaces the newest element for which `change` returns a value.
    ///
    /// - Returns: whether there was one
    mutating func replaceLast(_ change: (Element) -> Element?) -> Bool {
        for index in (head..<elements.count).reversed() {
            guard let element = elements[index], let changed = change(element) else { continue }
            elements[index] = changed
            return true
        }
        return false
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head < 64)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}

extension Fifo: Sendable where Element: Sendable {}
