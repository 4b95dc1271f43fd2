import Glibc
import Runtime

/// Marker file of a running service. If it exists at the start, the previous run did not shut down.
struct RunMarker {
    let path: String

    /// - Parameter folder: the service's data folder
    init(folder: String) { path = folder + "/running" }

    /// Creates the file.
    ///
    /// - Returns: whether it existed: the previous run was killed, crashed, or lost power
    func begin() -> Bool {
        let existed = Files.exists(path)
        // Errors are ignored here, since opening the store reports a disk that cannot be written.
        if !existed { try? Files.write([], to: path, mode: 0o600) }
        return existed
    }

    /// Removes the file after an orderly shutdown.
    func end() { unlink(path) }
}
