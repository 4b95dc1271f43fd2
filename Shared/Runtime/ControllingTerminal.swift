import CLinux
import Glibc

/// The terminal that a process was started from.
///
/// SIGHUP has two meanings: the terminal is gone, so end; or somebody asks by `kill -HUP` to read
/// the configuration again. What is left of the terminal tells which.
public struct ControllingTerminal: Sendable {
    private let wasThere: Bool

    /// Remembers whether there is one now.
    public init() { wasThere = ControllingTerminal.isThere }

    /// Whether there was one at the start and is none any more.
    public var isGone: Bool { wasThere && !ControllingTerminal.isThere }

    private static var isThere: Bool {
        let descriptor = clinux_open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
