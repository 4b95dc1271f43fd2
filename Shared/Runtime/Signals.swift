import CLinux
import Glibc

/// A signal that processes of Jaga handle.
public enum Signal: Sendable, CaseIterable {
    case terminate, interrupt, hangUp, childEnded

    var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        case .childEnded: SIGCHLD
        }
    }
}

/// Receives signals through a descriptor of the event loop.
///
/// Create it before any thread, since threads inherit the signal mask. Child processes inherit it,
/// too: reset the mask in their spawn attributes.
public final class Signals: Pollable {
    private let descriptor: Int32
    private let watched: [Signal]

    /// Blocks the signals, ignores SIGPIPE and opens the descriptor.
    public init(
        _ watched: [Signal] = [.terminate, .interrupt, .hangUp]
    ) throws(SystemError) {
        self.watched = watched
        var set = sigset_t()
        sigemptyset(&set)
        for signal in watched { sigaddset(&set, signal.number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        clinux_ignore_sigpipe()
        descriptor = clinux_signalfd(&set)
        guard descriptor >= 0 else { throw SystemError(errno, "open signalfd") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The signals since the last call, without blocking; several of a kind may be merged.
    public func drain() -> [Signal] {
        var found: [Signal] = []
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while read(descriptor, &info, size) == size {
            if let signal = watched.first(where: { $0.number == Int32(info.ssi_signo) }) {
                found.append(signal)
            }
        }
        return found
    }

    public func appendPollItems(to items: inout [PollItem]) {
        items.append(PollItem(descriptor: descriptor))
    }

    public var waitMilliseconds: Int? { nil }
}
