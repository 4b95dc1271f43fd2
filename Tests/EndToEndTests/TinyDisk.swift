import Foundation
import Glibc
import TestSupport

/// A small disk in memory that can be filled. It requires root.
final class TinyDisk {
    /// Whether the tests may create one on this machine.
    static func isPossible() async -> Bool {
        guard geteuid() == 0, let folder = try? TemporaryFolder(),
            let disk = try? await TinyDisk(at: folder.path, megabytes: 1)
        else { return false }
        await disk.remove()
        return true
    }

    private let path: String
    private var ballast: String { path + "/ballast" }

    /// - Parameter path: a folder, created if it does not exist
    init(at path: String, megabytes: Int) async throws {
        self.path = path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        let arguments = ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "tmpfs", path]
        guard try await TinyDisk.run("mount", arguments) == 0 else {
            throw TestFailure("cannot mount a disk at \(path)")
        }
    }

    /// Fills the disk up to this free space.
    func fill(leaving megabytes: Int) throws {
        try fill()
        let descriptor = open(ballast, O_WRONLY)
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard ftruncate(descriptor, size - megabytes << 20) == 0 else {
            throw TestFailure("\(path) remains full")
        }
    }

    /// Fills the disk completely.
    func fill() throws {
        let descriptor = open(ballast, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        for size in [64 << 10, 4096, 1] {
            let bytes = [UInt8](repeating: 0, count: size)
            while write(descriptor, bytes, size) > 0 {}
        }
        guard errno == ENOSPC else { throw TestFailure("\(path) was not filled") }
    }

    func makeRoom() { unlink(ballast) }

    /// Unmounts it, even while it is in use.
    func remove() async { _ = try? await TinyDisk.run("umount", ["-l", path]) }

    private static func run(_ program: String, _ arguments: [String]) async throws -> Int32 {
        let capture = try Capture("/usr/bin/\(program)", arguments)
        _ = await eventually { capture.process.reap() != nil }
        return capture.process.exitStatus ?? -1
    }
}
