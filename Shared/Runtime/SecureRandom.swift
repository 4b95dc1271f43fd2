import CLinux
import Glibc
import Model

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
        let bytes = bytes(16)
        return bytes.withUnsafeBytes { raw in
            ID128(
                high: raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                low: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }
}

/// Gives bytes by chance.
protocol RandomSource: Sendable {
    func bytes(_ count: Int) -> [UInt8]
}
