import Model

/// A dictionary whose values live in a ``Slab`` and are changed in place.
///
/// Iteration is possible only in the order of ids, so that insertion order can never affect outputs
/// or state.
struct Slots<Kind: IdentifierKind, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var key = Identifier<Kind>(.zero)
        /// Index of the value; negative if the entry is free.
        var index: Int32 = -1
    }

    /// An open-addressing hash table without a random seed: ids are random or nearly so. More than
    /// half of it is free, so every probe ends.
    private var entries = [Entry](repeating: Entry(), count: 4)
    private var values = Slab<Value>()
    private var free: [Int32] = []
    private(set) var count = 0

    /// The keys whose values match, ascending.
    func keys(where predicate: (Value) -> Bool) -> [Identifier<Kind>] {
        var keys: [Identifier<Kind>] = []
        for entry in entries where entry.index >= 0 {
            if predicate(values[Int(entry.index)]) { keys.append(entry.key) }
        }
        return keys.sorted()
    }

    /// The index of the key's value; nil if there is none.
    @inline(__always)
    func index(of key: Identifier<Kind>) -> Int? {
        let index = entries[bucket(of: key)].index
        return index < 0 ? nil : Int(index)
    }

    /// The index of the key's value, which is inserted if there is none.
    mutating func index(
        of key: Identifier<Kind>, inserting value: @autoclosure () -> Value
    ) -> Int {
        if let index = index(of: key) { return index }
        let index: Int32
        if let reused = free.popLast() {
            index = reused
            values[Int(index)] = value()
        } else {
            index = Int32(values.count)
            values.append(value())
        }
        count += 1
        if count * 2 > entries.count { grow() }
        entries[bucket(of: key)] = Entry(key: key, index: index)
        return Int(index)
    }

    subscript(index: Int) -> Value {
        @inline(__always) unsafeAddress { values.address(of: index) }
        @inline(__always) unsafeMutableAddress { values.changeableAddress(of: index) }
    }

    /// Removes the key. `empty` fills its index until that is reused.
    mutating func remove(_ key: Identifier<Kind>, fillingWith empty: Value) {
        var hole = bucket(of: key)
        let index = entries[hole].index
        guard index >= 0 else { return }
        values[Int(index)] = empty
        free.append(index)
        count -= 1
        // Backward-shift deletion: entries that probed past this bucket move closer.
        let mask = entries.count - 1
        var next = (hole + 1) & mask
        while entries[next].index >= 0 {
            let home = start(of: entries[next].key)
            if (next - home) & mask >= (next - hole) & mask {
                entries[hole] = entries[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        entries[hole] = Entry()
    }

    @inline(__always)
    private func start(of key: Identifier<Kind>) -> Int {
        Int(key.raw.mixed >> 32) & (entries.count - 1)
    }

    /// The bucket of the key, or where it would be inserted.
    @inline(__always)
    private func bucket(of key: Identifier<Kind>) -> Int {
        let mask = entries.count - 1
        var bucket = start(of: key)
        while entries[bucket].index >= 0, entries[bucket].key != key {
            bucket = (bucket + 1) & mask
        }
        return bucket
    }

    private mutating func grow() {
        let before = entries
        entries = [Entry](repeating: Entry(), count: before.count * 2)
        for entry in before where entry.index >= 0 { entries[bucket(of: entry.key)] = entry }
    }
}

extension ID128 {
    /// A hash whose upper half depends on all bits of the id.
    @inline(__always)
    var mixed: UInt64 {
        // 2⁶⁴ ÷ the golden ratio, and another odd number without a pattern.
        (high ^ low &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
    }
}
