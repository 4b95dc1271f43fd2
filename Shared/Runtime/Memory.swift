import CLinux

/// What the process holds of the machine's memory.
public enum Memory {
    /// Gives back what the allocator keeps of memory that is no longer used; some milliseconds.
    /// Worth it after something large and rare, such as a snapshot that was read.
    public static func giveBack() { clinux_give_back_memory() }
}
