import Model

/// Contiguous values in manually managed memory, accessed in place.
///
/// An array subscript that is wrapped in another subscript copies the whole value to read one
/// field. Here the subscript yields an address, and nothing is copied. Three invariants keep
/// addresses valid:
///
/// - Memory is owned by one object and freed with it. An address is used only during the access
///   that requested it, and that access keeps the object alive.
/// - Memory is uniquely owned before it is changed: copies of a slab are values.
/// - Indices below `count` hold values, others do not; every access checks its index.
struct Slab<Value: Sendable>: Sendable {
    private final class Memory: Sendable {
        let capacity: Int
        /// Aligned to cache lines.
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

    subscript(index: Int) -> Value {
        @inline(__always) unsafeAddress { address(of: index) }
        @inline(__always) unsafeMutableAddress { changeableAddress(of: index) }
    }

    @inline(__always)
    func address(of index: Int) -> UnsafePointer<Value> {
        invariant(index >= 0 && index < memory.count, "slab index is out of range")
        return UnsafePointer(memory.base + index)
    }

    @inline(__always)
    mutating func changeableAddress(of index: Int) -> UnsafeMutablePointer<Value> {
        own()
        invariant(index >= 0 && index < memory.count, "slab index is out of range")
        return memory.base + index
    }

    /// Makes the memory uniquely owned before a change.
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
