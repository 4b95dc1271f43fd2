import CLinux
import Glibc

/// A file that reserves disk space for emergencies.
///
/// The file occupies its size while there is enough space. When the disk is full, ``release()``
/// removes it, so that the next transactions can use its space. ``restore(_:)`` creates it again
/// once there is enough free space.
public struct DiskReserve {
    /// The file's path.
    public let path: String
    /// Size of the file on a large disk, bytes; 0 = no reserve.
    public let configuredBytes: UInt64
    /// Whether the file exists.
    public private(set) var exists = false

    /// Divisor of the disk's size that limits the file's size.
    static let shareOfDisk: UInt64 = 8
    /// The file is created only if this multiple of its size is free.
    static let freeFactor: UInt64 = 3

    /// - Parameters:
    ///   - path: a file in an existing folder
    ///   - bytes: size; 0 = no reserve, and a file of an earlier run is removed
    public init(path: String, bytes: UInt64) {
        self.path = path
        configuredBytes = bytes
        if bytes == 0 {
            unlink(path)
        } else {
            var status = stat()
            exists = stat(path, &status) == 0 && status.st_blocks > 0
        }
    }

    /// Whether the reserve is configured but missing.
    public var isMissing: Bool { configuredBytes > 0 && !exists }

    /// Creates the file if it is missing and the disk has space for it. The next call repeats a
    /// failed attempt.
    public mutating func restore(_ space: DiskSpace) {
        guard isMissing else { return }
        let bytes = min(configuredBytes, space.total / DiskReserve.shareOfDisk)
        guard bytes > 0, space.free / DiskReserve.freeFactor >= bytes else { return }
        let descriptor = clinux_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard posix_fallocate(descriptor, 0, off_t(bytes)) == 0 else {
            unlink(path)
            return
        }
        exists = true
    }

    /// Removes the file.
    ///
    /// - Returns: whether space was freed
    public mutating func release() -> Bool {
        guard exists else { return false }
        exists = false
        return unlink(path) == 0
    }
}
