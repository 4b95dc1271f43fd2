import Model

/// What a ``Table`` is looked up by.
public protocol TableKey: Hashable, Sendable {
    /// Evenly spread, and the same for equal keys; not for what strangers choose.
    var tableHash: UInt32 { get }
}

extension ID128: TableKey {
    /// Ids are chance or digests: one step mixes them well enough.
    @inlinable public var tableHash: UInt32 {
        UInt32(truncatingIfNeeded: ((high ^ low) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

extension Identifier: TableKey {
    @inlinable public var tableHash: UInt32 { raw.tableHash }
}

/// A dictionary of large values in little room.
///
/// A Swift dictionary keeps places for half as many values again as it holds, and up to twice as
/// many more; with values of a hundred bytes and a hundred thousand of them that is most of a
/// service's memory. Here keys and values lie one after the other, and an index of eight bytes a
/// place says where.
///
/// Looking something up is done several times a request, so it is made for each kind of key and
/// value (`@inlinable`).
public struct Table<Key: TableKey, Value: Sendable>: Sendable {
    @usableFromInline var index = TableIndex()
    /// The key of each value.
    public private(set) var keys: [Key] = []
    @usableFromInline var rows: [Value] = []

    public init() {}

    /// - Parameter entries: of equal keys the last counts
    public init(_ entries: some Sequence<(Key, Value)>) {
        for (key, value) in entries { self[key] = value }
    }

    public var count: Int { rows.count }

    public var isEmpty: Bool { rows.isEmpty }

    /// In no order that means anything.
    public var values: [Value] { rows }

    /// The value of a key; setting it to nil removes it.
    @inlinable public subscript(key: Key) -> Value? {
        get { place(of: key).map { rows[$0] } }
        set {
            guard let place = place(of: key) else {
                if let newValue { append(newValue, under: key) }
                return
            }
            guard let newValue else { return remove(key, at: place) }
            rows[place] = newValue
        }
    }

    /// What is asked of a key's value, which is not copied for it; nil where there is none.
    @inlinable public func read<Result>(_ key: Key, _ look: (Value) -> Result) -> Result? {
        place(of: key).map { look(rows[$0]) }
    }

    /// Changes a key's value where it lies.
    ///
    /// - Returns: nil where there is none
    @inlinable public mutating func update<Result>(
        _ key: Key, _ change: (inout Value) -> Result
    ) -> Result? {
        guard let place = place(of: key) else { return nil }
        return change(&rows[place])
    }

    @inlinable func place(of key: Key) -> Int? {
        index.place(key.tableHash) { keys[$0] == key }
    }

    @usableFromInline mutating func append(_ value: Value, under key: Key) {
        index.insert(rows.count, key.tableHash)
        keys.append(key)
        rows.append(value)
    }

    /// The last one takes its place.
    @usableFromInline mutating func remove(_ key: Key, at place: Int) {
        index.remove(place, key.tableHash)
        let last = keys.removeLast()
        let value = rows.removeLast()
        guard place < rows.count else { return }
        keys[place] = last
        rows[place] = value
        index.move(from: rows.count, to: place, last.tableHash)
    }
}

extension Table: Equatable where Value: Equatable {
    /// Whether the same keys have equal values, wherever these lie.
    public static func == (left: Table, right: Table) -> Bool {
        left.count == right.count
            && left.keys.indices.allSatisfy { left.values[$0] == right[left.keys[$0]] }
    }
}

extension Table: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(keys)) }
}

/// Where the values of a ``Table`` lie: places in the order of their keys' hashes, each with the
/// hash, and free ones in between.
@usableFromInline struct TableIndex: Sendable {
    /// Hash in the upper half, place plus one in the lower; 0 = free. A power of two.
    @usableFromInline var slots: [UInt64] = []
    private var count = 0

    private static let slotsMin = 16

    init() {}

    @inlinable func home(of hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    @inlinable func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    @inlinable static func place(in slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }

    @inlinable func place(_ hash: UInt32, _ isMeant: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = home(of: hash)
        while slots[slot] != 0 {
            let place = TableIndex.place(in: slots[slot])
            if UInt32(truncatingIfNeeded: slots[slot] >> 32) == hash, isMeant(place) {
                return place
            }
            slot = next(slot)
        }
        return nil
    }

    mutating func insert(_ place: Int, _ hash: UInt32) {
        if (count + 1) * 5 > slots.count * 4 { grow() }
        count += 1
        put(UInt64(hash) << 32 | UInt64(place + 1))
    }

    private mutating func put(_ entry: UInt64) {
        var slot = home(of: UInt32(truncatingIfNeeded: entry >> 32))
        while slots[slot] != 0 { slot = next(slot) }
        slots[slot] = entry
    }

    private mutating func grow() {
        let former = slots
        slots = Array(repeating: 0, count: max(TableIndex.slotsMin, former.count * 2))
        for entry in former where entry != 0 { put(entry) }
    }

    private func slot(of place: Int, _ hash: UInt32) -> Int {
        var slot = home(of: hash)
        while TableIndex.place(in: slots[slot]) != place { slot = next(slot) }
        return slot
    }

    mutating func move(from place: Int, to other: Int, _ hash: UInt32) {
        slots[slot(of: place, hash)] = UInt64(hash) << 32 | UInt64(other + 1)
    }

    /// Those behind it that are not at home move up, so that no search ends too early.
    mutating func remove(_ place: Int, _ hash: UInt32) {
        var free = slot(of: place, hash)
        var slot = next(free)
        while slots[slot] != 0 {
            let home = home(of: UInt32(truncatingIfNeeded: slots[slot] >> 32))
            // How far the entry is from home, and how far the free place is from there.
            let mask = slots.count - 1
            if (slot - home) & mask >= (slot - free) & mask {
                slots[free] = slots[slot]
                free = slot
            }
            slot = next(slot)
        }
        slots[free] = 0
        count -= 1
    }
}
