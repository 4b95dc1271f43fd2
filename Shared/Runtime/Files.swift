import CLinux
import Glibc

/// The few things that services do with files besides their store.
public enum Files {
    /// Makes a folder and those above it; one that exists keeps its rights.
    ///
    /// - Parameter mode: rights of the folders made, such as `0o700`
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

    /// Whether something is at that path.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The absolute path of something that is there, without links and dots.
    public static func real(_ path: String) throws(SystemError) -> String {
        guard let found = realpath(path, nil) else { throw SystemError(errno, "find \(path)") }
        defer { free(found) }
        return String(cString: found)
    }

    /// Names of what is in a folder, in no order; without `.` and `..`.
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

    /// Removes a file; one that is not there is removed already.
    public static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw SystemError(errno, "remove \(path)")
        }
    }

    /// The rights of what is at that path, such as `0o600`.
    public static func rights(of path: String) throws(SystemError) -> UInt32 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError(errno, "look at \(path)") }
        return status.st_mode & 0o7777
    }

    /// Takes a file's rights from everybody but its owner. Nothing happens where there is no file,
    /// where it is nobody else's to read anyway, and where it belongs to somebody else.
    public static func restrictToOwner(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_mode & 0o077 != 0
        else { return }
        chmod(path, 0o600)
    }

    /// The whole file.
    ///
    /// - Parameter bytesMax: a longer file is refused, so that a wrong path eats no memory
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

    /// Replaces a file in one step: a crash leaves the old or the new one, never half of it.
    ///
    /// - Parameter mode: rights of the file, such as `0o600` for a secret
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

    /// Makes the new name last.
    static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = clinux_open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
