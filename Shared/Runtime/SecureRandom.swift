import CLinux
import Glibc
import Model
import Synchronization

/// Random bytes of the kernel, fit for ids and secrets.
public enum SecureRandom {
    /// What stands for the kernel in a simulation, which has to be repeatable; nil everywhere else.
    @TaskLocal static var substitute: (any RandomSource)?

    /// That many bytes. Stops the process when the kernel has none: without chance there is no
    /// safe way on.
    public static func bytes(_ count: Int) -> [UInt8] {
        substitute?.bytes(count) ?? ofKernel(count)
    }

    private static func ofKernel(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = getrandom(buffer.baseAddress! + filled, count - filled, 0)
                if got < 0, errno == EINTR { continue }
                invariant(got > 0, "getrandom gave nothing, errno \(errno)")
                filled += got
            }
        }
    }

    /// A random 128-bit id.
    public static func id() -> ID128 {
        if let substitute { return id(in: substitute.bytes(idBytes), at: 0) }
        return stock.withLock { stock in
            if stock.used == stock.bytes.count {
                stock = Stock(bytes: ofKernel(idBytes * idsAtATime), used: 0)
            }
            defer { stock.used += idBytes }
            return id(in: stock.bytes, at: stock.used)
        }
    }

    private static let idBytes = 16
    /// The kernel is asked once for so many ids: each request has one.
    private static let idsAtATime = 64
    private static let stock = Mutex(Stock(bytes: [], used: 0))

    /// Random bytes for the next ids.
    private struct Stock {
        var bytes: [UInt8]
        var used: Int
    }

    private static func id(in bytes: [UInt8], at place: Int) -> ID128 {
        bytes.withUnsafeBytes { raw in
            ID128(
                high: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self),
                low: raw.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
        }
    }
}

/// Gives bytes by chance.
protocol RandomSource: Sendable {
    func bytes(_ count: Int) -> [UInt8]
}
