/// Ascending, non-empty lists of ids by key.
///
/// Most lists have one id, since most people have one phone; those need no allocation.
struct Lists<Key: TableKey, ID: Comparable & Hashable & Sendable>: Hashable, Sendable {
    private var single = Table<Key, ID>()
    private var longer: [Key: [ID]] = [:]

    subscript(key: Key) -> [ID]? { single[key].map { [$0] } ?? longer[key] }

    /// Inserts an id into the list of a key, unless it is there.
    mutating func insert(_ id: ID, under key: Key) {
        guard longer[key] == nil else { return longer.insert(id, under: key) }
        guard let other = single[key] else {
            single[key] = id
            return
        }
        guard other != id else { return }
        single[key] = nil
        longer[key] = [min(id, other), max(id, other)]
    }

    /// Removes an id from the list of a key, and the list if it becomes empty.
    mutating func remove(_ id: ID, under key: Key) {
        if single[key] == id { single[key] = nil }
        longer.remove(id, under: key)
        guard let rest = longer[key], rest.count == 1 else { return }
        longer[key] = nil
        single[key] = rest[0]
    }
}

extension Dictionary {
    /// Inserts an id into the ascending list of a key, unless it is there.
    mutating func insert<ID: Comparable>(_ id: ID, under key: Key) where Value == [ID] {
        self[key, default: []].insertAscending(id)
    }

    /// Removes an id from the list of a key, and the list if it becomes empty.
    mutating func remove<ID: Comparable>(_ id: ID, under key: Key) where Value == [ID] {
        guard let index = index(forKey: key) else { return }
        values[index].removeAscending(id)
        if values[index].isEmpty { remove(at: index) }
    }
}

extension Array where Element: Comparable {
    /// The index of the element, or where it would be inserted.
    private func index(of element: Element) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate mutating func insertAscending(_ element: Element) {
        let index = self.index(of: element)
        if index == count || self[index] != element { insert(element, at: index) }
    }

    fileprivate mutating func removeAscending(_ element: Element) {
        let index = self.index(of: element)
        if index < count, self[index] == element { remove(at: index) }
    }
}
