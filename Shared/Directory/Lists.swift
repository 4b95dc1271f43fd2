/// Ascending lists of ids under keys, never empty. Most are of one id, as most people have one
/// phone: those take no memory of their own.
struct Lists<Key: TableKey, ID: Comparable & Hashable & Sendable>: Hashable, Sendable {
    private var single = Table<Key, ID>()
    private var longer: [Key: [ID]] = [:]

    subscript(key: Key) -> [ID]? { single[key].map { [$0] } ?? longer[key] }

    /// Puts an id into the list under a key, once.
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

    /// Takes an id out of the list under a key; an empty list goes.
    mutating func remove(_ id: ID, under key: Key) {
        if single[key] == id { single[key] = nil }
        longer.remove(id, under: key)
        guard let rest = longer[key], rest.count == 1 else { return }
        longer[key] = nil
        single[key] = rest[0]
    }
}
