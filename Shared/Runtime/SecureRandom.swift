import CLinux
import Glibc
import Model
import Synchronization

/// Random bytes of the kernel, suitable for ids and secrets.
public enum SecureRandom {
    /// A deterministic source for simulations; nil in production.
    @TaskLocal static var substitute: (any RandomSource)?

    /// Returns random bytes. Stops the process if the kernel provides none.
    public static func bytes(_ count: Int) -> [UInt8] {
        substitute?.bytes(count) ?? fromKernel(count)
    }

    private static func fromKernel(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = getrandom(buffer.baseAddress! + filled, count - filled, 0)
                if read < 0, errno == EINTR { continue }
                invariant(read > 0, "getrandom failed, errno \(errno)")
                filled += read
            }
        }
    }

    /// A random 128-bit id.
    public static func id() -> ID128 {
        if let substitute { return id(in: substitute.bytes(idBytes), at: 0) }
        return pool.withLock { pool in
            if pool.used == pool.bytes.count {
                pool = Pool(bytes: fromKernel(idBytes * idsPerCall), used: 0)
            }
            defer { pool.used += idBytes }
            return id(in: pool.bytes, at: pool.used)
        }
    }

    private static let idBytes = 16
    /// The number of ids per call to the kernel, since each request needs one.
    private static let idsPerCall = 64
    private static let pool = Mutex(Pool(bytes: [], used: 0))

    /// Random bytes for further ids.
    private struct Pool {
        var bytes: [UInt8]
        var used: Int
    }

    private static func id(in bytes: [UInt8], at offset: Int) -> ID128 {
        bytes.withUnsafeBytes { raw in
            ID128(
                high: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                low: raw.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        }
    }
}

/// A source of random bytes.
protocol RandomSource: Sendable {
    func bytes(_ count: Int) -> [UInt8]
}
