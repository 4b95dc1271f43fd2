import CLinux

/// Memory of this process.
public enum Memory {
    /// Returns unused memory of the allocator to the system; takes some milliseconds.
    /// Worth it after rare large allocations, such as reading a snapshot.
    public static func releaseUnused() { clinux_give_back_memory() }
}
