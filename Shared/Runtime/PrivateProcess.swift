import CLinux
import Glibc

/// Keeps what a process has in memory, and what it writes, from other users and from crash output.
public enum PrivateProcess {
    /// To be called first in `main`: files that follow are for this user alone, a crash leaves no
    /// core file and prints no memory.
    ///
    /// The message of a failed check is printed all the same. Who looks for a fault sets
    /// `SWIFT_BACKTRACE`, and gets the Swift runtime's report with the memory that registers point
    /// to.
    public static func begin() {
        umask(0o077)
        clinux_forbid_core_dumps()
        if getenv("SWIFT_BACKTRACE") == nil { clinux_print_no_memory_on_crash() }
    }
}
