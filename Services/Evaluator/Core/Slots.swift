import Model

/// Values by id in one slab, so that a value is changed where it lies and nothing depends on the
/// order in which ids came. It is gone through in the order of ids alone: no other order can
/// reach an output or a state.
struct Slots<Kind: IdentifierKind, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var key = Identifier<Kind>(.zero)
        /// Of the value; less than 0 where the entry is free.
        var place: Int32 = -1
    }

    /// A hash table that no seed changes: ids are random, or as good as that. More than half of it
    /// is free, so that a search ends.
    private var entries = [Entry](repeating: Entry(), count: 4)
    private var values = Slab<Value>()
    private var free: [Int32] = []
    private(set) var count = 0

    /// Ascending.
    var keys: [Identifier<Kind>] {
        entries.lazy.filter { $0.place >= 0 }.map(\.key).sorted()
    }

    /// Those of certain values, ascending.
    func keys(where isWanted: (Value) -> Bool) -> [Identifier<Kind>] {
        var keys: [Identifier<Kind>] = []
        for entry in entries where entry.place >= 0 {
            if isWanted(values[Int(entry.place)]) { keys.append(entry.key) }
        }
        return keys.sorted()
    }

    /// Where the key's value is; nil without one.
    @inline(__always)
    func place(of key: Identifier<Kind>) -> Int? {
        let place = entries[index(of: key)].place
        return place < 0 ? nil : Int(place)
    }

    /// Where the key's value is, made if there is none.
    mutating func place(
        of key: Identifier<Kind>, making value: @autoclosure () -> Value
    ) -> Int {
        if let place = place(of: key) { return place }
        let place: Int32
        if let reused = free.popLast() {
            place = reused
            values[Int(place)] = value()
        } else {
            place = Int32(values.count)
            values.append(value())
        }
        count += 1
        if count * 2 > entries.count { grow() }
        entries[index(of: key)] = Entry(key: key, place: place)
        return Int(place)
    }

    subscript(place: Int) -> Value {
        @inline(__always) unsafeAddress { values.address(of: place) }
        @inline(__always) unsafeMutableAddress { values.changeableAddress(of: place) }
    }

    /// Frees the key's place; `empty` takes it until it is used again.
    mutating func remove(_ key: Identifier<Kind>, leaving empty: Value) {
        var hole = index(of: key)
        let place = entries[hole].place
        guard place >= 0 else { return }
        values[Int(place)] = empty
        free.append(place)
        count -= 1
        // Those that stand behind it because it was taken come nearer.
        let mask = entries.count - 1
        var next = (hole + 1) & mask
        while entries[next].place >= 0 {
            let wanted = start(of: entries[next].key)
            if (next - wanted) & mask >= (next - hole) & mask {
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

    /// Where the key is, or would be.
    @inline(__always)
    private func index(of key: Identifier<Kind>) -> Int {
        let mask = entries.count - 1
        var index = start(of: key)
        while entries[index].place >= 0, entries[index].key != key { index = (index + 1) & mask }
        return index
    }

    private mutating func grow() {
        let before = entries
        entries = [Entry](repeating: Entry(), count: before.count * 2)
        for entry in before where entry.place >= 0 { entries[index(of: entry.key)] = entry }
    }
}

extension ID128 {
    /// A number whose upper half depends on all of the id.
    @inline(__always)
    var mixed: UInt64 {
        // 2⁶⁴ ÷ the golden ratio, and another odd number without a pattern.
        (high ^ low &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
    }
}
