import CLinux
import Glibc

/// Keeps a second process away from a service's folder as long as this object lives.
///
/// The kernel drops the lock when the process ends, however it ends.
public final class LockFile {
    private let descriptor: Int32

    /// Takes the lock and writes the own process id into the file.
    ///
    /// - Parameter path: the lock's file; made when missing, its folder must exist
    /// - Throws: `locked`, naming the process that holds it, or what the system refused
    public init(path: String) throws(SystemError) {
        descriptor = try LockFile.take(path)
    }

    deinit {
        // Also of a child that was forked meanwhile and has not become its program yet.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func take(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = clinux_open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw SystemError(errno, "open \(path)") }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            let holder = LockFile.holder(descriptor)
            close(descriptor)
            throw LockFile.refusal(number, path: path, holder: holder)
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
    private static func holder(_ descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int(String(decoding: bytes[..<count].prefix { $0 >= 48 && $0 <= 57 }, as: UTF8.self))
    }

    private static func refusal(_ number: Int32, path: String, holder: Int?) -> SystemError {
        var error = SystemError(number, "lock \(path)")
        guard number == EWOULDBLOCK else { return error }
        let who = holder.map { "process \($0)" } ?? "another process"
        error.code = "locked"
        error.message = "\(who) already runs on this store"
        error.hint = "Stop \(who) first, or start this one with another --home."
        return error
    }
}
