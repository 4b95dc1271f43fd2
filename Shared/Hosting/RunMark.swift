import Glibc
import Runtime

/// A file that is there while a service runs: one that is there at the start was left by a run that
/// did not end by itself.
struct RunMark {
    let path: String

    /// - Parameter folder: the service's own
    init(folder: String) { path = folder + "/running" }

    /// Leaves the mark.
    ///
    /// - Returns: whether the run before left one, so that it was killed or the machine stopped
    func begin() -> Bool {
        let wasThere = Files.exists(path)
        // A disk that takes no empty file is told of by others.
        if !wasThere { try? Files.write([], to: path, mode: 0o600) }
        return wasThere
    }

    /// The service ended in order.
    func end() { unlink(path) }
}
