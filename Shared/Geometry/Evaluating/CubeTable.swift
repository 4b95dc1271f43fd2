/// Where the list of each cube is, by the cube's key: a hash table that no seed changes.
struct CubeTable: Sendable {
    private struct Slot {
        /// 0 = free.
        var key: UInt64 = 0
        var start: UInt32 = 0
        var count: UInt32 = 0
    }

    private var slots = [Slot](repeating: Slot(), count: 16)
    private var used = 0

    var bytes: Int { slots.count * MemoryLayout<Slot>.stride }

    /// The indices of a cube's list.
    subscript(key: UInt64) -> Range<Int> {
        let slot = slots[place(of: key)]
        return Int(slot.start)..<Int(slot.start + slot.count)
    }

    /// Makes a cube's list longer by one.
    mutating func count(_ key: UInt64) {
        var place = place(of: key)
        if slots[place].key == 0 {
            used += 1
            if used * 2 > slots.count {
                grow()
                place = self.place(of: key)
            }
            slots[place].key = key
        }
        slots[place].count += 1
    }

    /// Gives each list its room, all of it still to be taken; returns where the last one ends.
    mutating func layOut() -> Int {
        var end: UInt32 = 0
        for place in slots.indices {
            end += slots[place].count
            slots[place].start = end
        }
        return Int(end)
    }

    /// The last index of a cube's list that is not taken yet.
    mutating func take(_ key: UInt64) -> Int {
        let place = place(of: key)
        slots[place].start -= 1
        return Int(slots[place].start)
    }

    /// Where the key is, or would be.
    private func place(of key: UInt64) -> Int {
        let mask = slots.count - 1
        // 2⁶⁴ ÷ the golden ratio; its upper bits depend on all of the key.
        var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while slots[place].key != key, slots[place].key != 0 { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let before = slots
        slots = [Slot](repeating: Slot(), count: before.count * 2)
        for slot in before where slot.key != 0 { slots[place(of: slot.key)] = slot }
    }
}
