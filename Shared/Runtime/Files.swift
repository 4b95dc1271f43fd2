import CLinux
import Glibc

/// File operations of services besides their stores.
public enum Files {
    /// Creates a folder and its parents; an existing folder keeps its mode.
    ///
    /// - Parameter mode: mode of created folders, such as `0o700`
    public static func makeFolder(_ path: String, mode: UInt32 = 0o755) throws(SystemError) {
        if mkdir(path, mode) == 0 { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolder(String(path[..<slash]), mode: mode)
            if mkdir(path, mode) == 0 { return }
        }
        let number = errno
        var status = stat()
        if number == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        throw SystemError(number, "make folder \(path)")
    }

    /// Whether a path exists.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The absolute path, without links and dots.
    public static func real(_ path: String) throws(SystemError) -> String {
        guard let found = realpath(path, nil) else { throw SystemError(errno, "find \(path)") }
        defer { free(found) }
        return String(cString: found)
    }

    /// Names of the entries of a folder, unordered, without `.` and `..`.
    public static func names(in folder: String) throws(SystemError) -> [String] {
        guard let open = opendir(folder) else { throw SystemError(errno, "list \(folder)") }
        defer { closedir(open) }
        var names: [String] = []
        while let entry = readdir(open) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file; a missing file is not an error.
    public static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw SystemError(errno, "remove \(path)")
        }
    }

    /// The mode of a path, such as `0o600`.
    public static func mode(of path: String) throws(SystemError) -> UInt32 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError(errno, "read mode of \(path)") }
        return status.st_mode & 0o7777
    }

    /// Restricts a file to its owner. Does nothing if the file is missing, already restricted or
    /// owned by another user.
    public static func restrictToOwner(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_mode & 0o077 != 0
        else { return }
        chmod(path, 0o600)
    }

    /// Reads a whole file.
    ///
    /// - Parameter bytesMax: longer files are rejected, so that a wrong path does not exhaust
    ///   memory
    public static func read(
        _ path: String, bytesMax: Int = 16 * 1024 * 1024
    ) throws(SystemError) -> [UInt8] {
        let descriptor = clinux_open(path, O_RDONLY, 0)
        guard descriptor >= 0 else { throw SystemError(errno, "open \(path)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(errno, "read \(path)") }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= bytesMax else { throw SystemError(EFBIG, "read \(path)") }
        }
    }

    /// Replaces a file atomically: after a crash the old or the new content is complete.
    ///
    /// - Parameter mode: mode of the file, such as `0o600` for a secret
    public static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o644
    ) throws(SystemError) {
        let draft = "\(path).\(getpid()).new"
        unlink(draft)
        let descriptor = clinux_open(draft, O_WRONLY | O_CREAT | O_EXCL, mode)
        guard descriptor >= 0 else { throw SystemError(errno, "write \(path)") }
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            done += count
        }
        let synced = done == bytes.count && fsync(descriptor) == 0
        let number = errno
        close(descriptor)
        guard synced, rename(draft, path) == 0 else {
            let failure = synced ? errno : number
            unlink(draft)
            throw SystemError(failure, "write \(path)")
        }
        syncFolder(of: path)
    }

    /// Syncs the folder of a path, so that a new name survives a crash.
    static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = clinux_open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
