import CLinux
import Glibc

/// Protects a process's memory and files from other users and from crash output.
public enum PrivateProcess {
    /// Restricts new files to this user, disables core files and memory dumps on crashes.
    /// Call it first in `main`.
    ///
    /// Messages of failed checks are still printed. For debugging set `SWIFT_BACKTRACE` to get the
    /// Swift runtime's crash report with memory contents.
    public static func begin() {
        umask(0o077)
        clinux_forbid_core_dumps()
        if getenv("SWIFT_BACKTRACE") == nil { clinux_print_no_memory_on_crash() }
    }
}
