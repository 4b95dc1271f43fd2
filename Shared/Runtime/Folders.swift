import CLinux
import Glibc

// Operations on whole files and folders.
extension Files {
    /// Size of a file, bytes; nil if it does not exist.
    public static func size(of path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_size) : nil
    }

    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Checks write access to a folder by creating and removing a file, or a folder if it does not
    /// exist. A full disk is not an error.
    ///
    /// - Throws: errors such as `read-only`, `not-permitted`, `not-found`
    public static func checkWritable(in folder: String) throws(SystemError) {
        let trial = "\(folder)/.\(getpid()).trial"
        let descriptor = clinux_open(trial, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        if descriptor >= 0 {
            close(descriptor)
            unlink(trial)
            return
        }
        let number = errno
        if number == ENOSPC || number == EDQUOT { return }
        if number == EEXIST { return try removeTrial(trial) }
        guard number == ENOENT, !exists(folder) else {
            throw SystemError(number, "write to \(folder)")
        }
        // The folder would be created in its nearest existing parent.
        var above = folder[...]
        while !exists(String(above)), let slash = above.lastIndex(of: "/") {
            above = slash == above.startIndex ? "/" : above[..<slash]
        }
        if !exists(String(above)) { above = "." }
        let made = "\(above)/.\(getpid()).trial"
        guard mkdir(made, 0o700) == 0 else {
            if errno == ENOSPC || errno == EDQUOT { return }
            if errno == EEXIST { return try removeTrial(made) }
            throw SystemError(errno, "make folder \(folder)")
        }
        rmdir(made)
    }

    /// Removes a leftover of a killed process with the same id. Removing needs the same right as
    /// creating.
    private static func removeTrial(_ path: String) throws(SystemError) {
        guard Glibc.remove(path) == 0 || errno == ENOENT else {
            throw SystemError(errno, "remove \(path)")
        }
    }

    /// Paths of all regular files below a folder, relative to it, ascending. Other entries are
    /// skipped; a missing folder has none.
    public static func tree(_ folder: String) throws(SystemError) -> [String] {
        var found: [String] = []
        guard exists(folder) else { return [] }
        for name in try names(in: folder) {
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                found += try tree("\(folder)/\(name)").map { "\(name)/\($0)" }
            } else if status.st_mode & S_IFMT == S_IFREG {
                found.append(name)
            }
        }
        return found.sorted()
    }

    /// Renames a file within a file system, and syncs the folders.
    public static func move(_ path: String, to other: String) throws(SystemError) {
        guard rename(path, other) == 0 else {
            throw SystemError(errno, "move \(path) to \(other)")
        }
        syncFolder(of: path)
        syncFolder(of: other)
    }

    /// Syncs a file or folder.
    public static func sync(_ path: String) throws(SystemError) {
        let descriptor = clinux_open(path, O_RDONLY, 0)
        guard descriptor >= 0 else { throw SystemError(errno, "open \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError(errno, "write \(path)") }
    }

    /// Removes a folder recursively, or a file; a missing path is not an error.
    public static func removeTree(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else { return try remove(path) }
        for name in try names(in: path) { try removeTree("\(path)/\(name)") }
        guard rmdir(path) == 0 else { throw SystemError(errno, "remove \(path)") }
    }

    /// Reads a file in pieces.
    public static func readPieces(of path: String, _ take: (ArraySlice<UInt8>) throws -> Void)
        throws
    {
        let descriptor = clinux_open(path, O_RDONLY, 0)
        guard descriptor >= 0 else { throw SystemError(errno, "open \(path)") }
        defer { close(descriptor) }
        var piece = [UInt8](repeating: 0, count: 256 * 1024)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(errno, "read \(path)") }
            if count == 0 { return }
            try take(piece[..<count])
        }
    }

    /// Copies a file and syncs the copy.
    ///
    /// - Parameters:
    ///   - other: a new path; removed after an error
    ///   - mode: mode of the copy
    public static func copy(_ path: String, to other: String, mode: UInt32 = 0o600) throws {
        let descriptor = clinux_open(other, O_WRONLY | O_CREAT | O_EXCL, mode)
        guard descriptor >= 0 else { throw SystemError(errno, "write \(other)") }
        defer { close(descriptor) }
        do {
            try readPieces(of: path) { piece in
                var rest = piece
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        Glibc.write(descriptor, $0.baseAddress, $0.count)
                    }
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { throw SystemError(errno, "write \(other)") }
                    rest = rest.dropFirst(count)
                }
            }
            guard fsync(descriptor) == 0 else { throw SystemError(errno, "write \(other)") }
        } catch {
            unlink(other)
            throw error
        }
    }
}
