import Model

/// Key of a ``Table``.
public protocol TableKey: Hashable, Sendable {
    /// Evenly distributed, and equal for equal keys. Not suitable for keys that strangers choose.
    var tableHash: UInt32 { get }
}

extension ID128: TableKey {
    /// Ids are random or hashes, so one step of mixing is enough.
    @inlinable public var tableHash: UInt32 {
        UInt32(truncatingIfNeeded: ((high ^ low) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

extension Identifier: TableKey {
    @inlinable public var tableHash: UInt32 { raw.tableHash }
}

/// A compact dictionary for many large values.
///
/// A Swift dictionary reserves capacity for 1.5 to 3 times the values that it contains; with
/// 100,000 values of 100 bytes that is most of a service's memory. This table stores keys and
/// values contiguously, with an index of eight bytes per slot.
///
/// Lookups run several times per request, so they are specialised for each key and value type
/// (`@inlinable`).
public struct Table<Key: TableKey, Value: Sendable>: Sendable {
    @usableFromInline var index = TableIndex()
    /// The key of each value.
    public private(set) var keys: [Key] = []
    @usableFromInline var rows: [Value] = []

    public init() {}

    /// - Parameter entries: if keys are equal, the last one counts
    public init(_ entries: some Sequence<(Key, Value)>) {
        for (key, value) in entries { self[key] = value }
    }

    public var count: Int { rows.count }

    public var isEmpty: Bool { rows.isEmpty }

    /// In arbitrary order.
    public var values: [Value] { rows }

    /// The value of a key. Setting it to nil removes it.
    @inlinable public subscript(key: Key) -> Value? {
        get { row(of: key).map { rows[$0] } }
        set {
            guard let row = row(of: key) else {
                if let newValue { append(newValue, under: key) }
                return
            }
            guard let newValue else { return remove(key, at: row) }
            rows[row] = newValue
        }
    }

    /// Reads from a key's value without copying it; nil if there is none.
    @inlinable public func read<Result>(_ key: Key, _ body: (Value) -> Result) -> Result? {
        row(of: key).map { body(rows[$0]) }
    }

    /// Changes a key's value in place.
    ///
    /// - Returns: nil if there is none
    @inlinable public mutating func update<Result>(
        _ key: Key, _ change: (inout Value) -> Result
    ) -> Result? {
        guard let row = row(of: key) else { return nil }
        return change(&rows[row])
    }

    @inlinable func row(of key: Key) -> Int? {
        index.row(key.tableHash) { keys[$0] == key }
    }

    @usableFromInline mutating func append(_ value: Value, under key: Key) {
        index.insert(rows.count, key.tableHash)
        keys.append(key)
        rows.append(value)
    }

    /// Moves the last value into the free row.
    @usableFromInline mutating func remove(_ key: Key, at row: Int) {
        index.remove(row, key.tableHash)
        let last = keys.removeLast()
        let value = rows.removeLast()
        guard row < rows.count else { return }
        keys[row] = last
        rows[row] = value
        index.move(from: rows.count, to: row, last.tableHash)
    }
}

extension Table: Equatable where Value: Equatable {
    /// Whether both have the same keys with equal values, in any order.
    public static func == (left: Table, right: Table) -> Bool {
        left.count == right.count
            && left.keys.indices.allSatisfy { left.values[$0] == right[left.keys[$0]] }
    }
}

extension Table: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(keys)) }
}

/// Index of a ``Table``: open addressing with linear probing. Each slot has a row and the hash of
/// its key.
@usableFromInline struct TableIndex: Sendable {
    /// Hash in the upper half, row plus one in the lower; 0 = free. A power of two.
    @usableFromInline var slots: [UInt64] = []
    private var count = 0

    private static let slotsMin = 16

    init() {}

    @inlinable func home(of hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    @inlinable func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    @inlinable static func row(in slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }

    @inlinable func row(_ hash: UInt32, _ matches: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = home(of: hash)
        while slots[slot] != 0 {
            let row = TableIndex.row(in: slots[slot])
            if UInt32(truncatingIfNeeded: slots[slot] >> 32) == hash, matches(row) {
                return row
            }
            slot = next(slot)
        }
        return nil
    }

    mutating func insert(_ row: Int, _ hash: UInt32) {
        if (count + 1) * 5 > slots.count * 4 { grow() }
        count += 1
        put(UInt64(hash) << 32 | UInt64(row + 1))
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

    private func slot(of row: Int, _ hash: UInt32) -> Int {
        var slot = home(of: hash)
        while TableIndex.row(in: slots[slot]) != row { slot = next(slot) }
        return slot
    }

    mutating func move(from row: Int, to other: Int, _ hash: UInt32) {
        slots[slot(of: row, hash)] = UInt64(hash) << 32 | UInt64(other + 1)
    }

    /// Moves later entries of the same probe sequence up, so that no lookup ends too early.
    mutating func remove(_ row: Int, _ hash: UInt32) {
        var free = slot(of: row, hash)
        var slot = next(free)
        while slots[slot] != 0 {
            let home = home(of: UInt32(truncatingIfNeeded: slots[slot] >> 32))
            // Compare the entry's distance from its home slot with its distance from the free slot.
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
