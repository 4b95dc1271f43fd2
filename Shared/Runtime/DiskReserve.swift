import CLinux
import Glibc

/// A file that keeps room on a disk until it is needed for emergencies.
///
/// While there is room, the file is there and occupies its size. When the disk is full,
/// ``release()`` removes it, so that the next transactions have that room. ``restore(_:)`` makes
/// it again once the disk has plenty. It holds nothing.
public struct DiskReserve {
    /// The file.
    public let path: String
    /// Its size where the disk is large enough, bytes; 0 = there is no reserve.
    public let bytesWanted: UInt64
    /// Whether the file is there.
    public private(set) var isHeld = false

    /// Never more than this part of the disk, so that a small one can be used at all.
    static let shareOfDisk: UInt64 = 8
    /// The file is made only if so many times its size are free.
    static let freeFactor: UInt64 = 3

    /// - Parameters:
    ///   - path: a file in an existing folder of the disk
    ///   - bytes: 0 = no reserve; a file of an earlier run is removed
    public init(path: String, bytes: UInt64) {
        self.path = path
        bytesWanted = bytes
        if bytes == 0 {
            unlink(path)
        } else {
            var status = stat()
            isHeld = stat(path, &status) == 0 && status.st_blocks > 0
        }
    }

    /// Whether there should be a file and is none.
    public var isSpent: Bool { bytesWanted > 0 && !isHeld }

    /// Makes the file if it is missing and the disk has room for it. What fails is tried again by
    /// the next call.
    public mutating func restore(_ space: DiskSpace) {
        guard isSpent else { return }
        let bytes = min(bytesWanted, space.total / DiskReserve.shareOfDisk)
        guard bytes > 0, space.free / DiskReserve.freeFactor >= bytes else { return }
        let descriptor = clinux_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard posix_fallocate(descriptor, 0, off_t(bytes)) == 0 else {
            unlink(path)
            return
        }
        isHeld = true
    }

    /// Gives the room back to the disk.
    ///
    /// - Returns: whether there was any
    public mutating func release() -> Bool {
        guard isHeld else { return false }
        isHeld = false
        return unlink(path) == 0
    }
}
