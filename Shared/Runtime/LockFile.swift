import CLinux
import Glibc

/// Prevents a second process in a service's folder, for the lifetime of this object.
///
/// The kernel releases the lock when the process ends.
public final class LockFile {
    private let descriptor: Int32

    /// Acquires the lock and writes the process id into the file.
    ///
    /// - Parameter path: the lock file; created if missing, its folder must exist
    /// - Throws: `locked` with the process that holds it; errors of the system
    public init(path: String) throws(SystemError) {
        descriptor = try LockFile.acquire(path)
    }

    deinit {
        // Unlocks the copy of a forked child, too, that has not called execve yet.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func acquire(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = clinux_open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw SystemError(errno, "open \(path)") }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            let owner = LockFile.owner(descriptor)
            close(descriptor)
            throw LockFile.error(number, path: path, owner: owner)
        }
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count
        else {
            let number = errno
            close(descriptor)
            throw SystemError(number, "write \(path)")
        }
        return descriptor
    }

    /// The process id in the file, if there is one.
    private static func owner(_ descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int(String(decoding: bytes[..<count].prefix { $0 >= 48 && $0 <= 57 }, as: UTF8.self))
    }

    private static func error(_ number: Int32, path: String, owner: Int?) -> SystemError {
        var error = SystemError(number, "lock \(path)")
        guard number == EWOULDBLOCK else { return error }
        let owner = owner.map { "process \($0)" } ?? "another process"
        error.code = "locked"
        error.message = "\(owner) already uses this store"
        error.hint = "Stop \(owner) first, or start this process with another --home."
        return error
    }
}
