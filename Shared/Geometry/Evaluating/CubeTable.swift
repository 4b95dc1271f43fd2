/// Hash table from a cube's key to the range of its list. The order does not depend on a seed.
struct CubeTable: Sendable {
    private struct Slot {
        /// 0 = unused.
        var key: UInt64 = 0
        var start: UInt32 = 0
        var count: UInt32 = 0
    }

    private var slots = [Slot](repeating: Slot(), count: 16)
    private var used = 0

    var bytes: Int { slots.count * MemoryLayout<Slot>.stride }

    /// Range of a cube's list.
    subscript(key: UInt64) -> Range<Int> {
        let slot = slots[slotIndex(of: key)]
        return Int(slot.start)..<Int(slot.start + slot.count)
    }

    /// Reserves one more entry in a cube's list.
    mutating func count(_ key: UInt64) {
        var index = slotIndex(of: key)
        if slots[index].key == 0 {
            used += 1
            if used * 2 > slots.count {
                grow()
                index = self.slotIndex(of: key)
            }
            slots[index].key = key
        }
        slots[index].count += 1
    }

    /// Assigns each list its range. Returns the end of the last one.
    mutating func allocate() -> Int {
        var end: UInt32 = 0
        for index in slots.indices {
            end += slots[index].count
            slots[index].start = end
        }
        return Int(end)
    }

    /// The next free entry of a cube's list, from its end.
    mutating func nextFreeEntry(_ key: UInt64) -> Int {
        let index = slotIndex(of: key)
        slots[index].start -= 1
        return Int(slots[index].start)
    }

    /// Slot of a key, or the slot where it would be inserted.
    private func slotIndex(of key: UInt64) -> Int {
        let mask = slots.count - 1
        // 2⁶⁴ ÷ the golden ratio. The upper bits of the product depend on the whole key.
        var index = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while slots[index].key != key, slots[index].key != 0 { index = (index + 1) & mask }
        return index
    }

    private mutating func grow() {
        let before = slots
        slots = [Slot](repeating: Slot(), count: before.count * 2)
        for slot in before where slot.key != 0 { slots[slotIndex(of: slot.key)] = slot }
    }
}
