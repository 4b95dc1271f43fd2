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
