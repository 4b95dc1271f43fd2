import Model

/// Values one after the other in memory of their own, each read and changed where it lies.
///
/// An array hands out copies: of a large value, for each field that is read of it through a
/// subscript of one's own. Here the subscript is an address, and nothing is copied. What keeps
/// addresses valid:
///
/// - Memory is owned by one object and freed with it. An address is used only within the access to
///   the slab that asked for it, and that keeps the object alive.
/// - Before anything is changed, the object is this slab's alone: copies of a slab are values.
/// - Places below `count` hold values, the others hold none; a place is checked at each access.
struct Slab<Value: Sendable>: Sendable {
    private final class Memory: Sendable {
        let capacity: Int
        /// Aligned to lines of the processor's caches.
        nonisolated(unsafe) let base: UnsafeMutablePointer<Value>
        nonisolated(unsafe) var count = 0

        init(capacity: Int) {
            self.capacity = capacity
            base = UnsafeMutableRawPointer.allocate(
                byteCount: capacity * MemoryLayout<Value>.stride,
                alignment: max(64, MemoryLayout<Value>.alignment)
            ).bindMemory(to: Value.self, capacity: capacity)
        }

        deinit {
            base.deinitialize(count: count)
            base.deallocate()
        }
    }

    private var memory = Memory(capacity: 1)

    var count: Int { memory.count }

    mutating func append(_ value: Value) {
        let count = memory.count
        if count == memory.capacity {
            grow(to: count * 2)
        } else {
            own()
        }
        (memory.base + count).initialize(to: value)
        memory.count = count + 1
    }

    subscript(place: Int) -> Value {
        @inline(__always) unsafeAddress { address(of: place) }
        @inline(__always) unsafeMutableAddress { changeableAddress(of: place) }
    }

    @inline(__always)
    func address(of place: Int) -> UnsafePointer<Value> {
        invariant(place >= 0 && place < memory.count, "a place in a slab holds a value")
        return UnsafePointer(memory.base + place)
    }

    @inline(__always)
    mutating func changeableAddress(of place: Int) -> UnsafeMutablePointer<Value> {
        own()
        invariant(place >= 0 && place < memory.count, "a place in a slab holds a value")
        return memory.base + place
    }

    /// Sees to it that what is changed is no other slab's.
    @inline(__always)
    private mutating func own() {
        if !isKnownUniquelyReferenced(&memory) { copy() }
    }

    @inline(never)
    private mutating func copy() {
        let other = Memory(capacity: memory.capacity)
        other.base.initialize(from: memory.base, count: memory.count)
        other.count = memory.count
        memory = other
    }

    @inline(never)
    private mutating func grow(to capacity: Int) {
        let other = Memory(capacity: capacity)
        if isKnownUniquelyReferenced(&memory) {
            other.base.moveInitialize(from: memory.base, count: memory.count)
            other.count = memory.count
            memory.count = 0
        } else {
            other.base.initialize(from: memory.base, count: memory.count)
            other.count = memory.count
        }
        memory = other
    }
}
