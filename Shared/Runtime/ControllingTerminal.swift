import CLinux
import Glibc

/// The terminal from which the process was started.
///
/// SIGHUP has two meanings: the terminal was closed, so end; or `kill -HUP` requests to reload the
/// configuration. The presence of the terminal tells them apart.
public struct ControllingTerminal: Sendable {
    private let wasThere: Bool

    /// Records whether there is a terminal now.
    public init() { wasThere = ControllingTerminal.isThere }

    /// Whether the terminal was present at the start and is closed now.
    public var isGone: Bool { wasThere && !ControllingTerminal.isThere }

    private static var isThere: Bool {
        let descriptor = clinux_open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
