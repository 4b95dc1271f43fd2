import Glibc

extension Files {
    /// Usage of the file system that contains a path.
    public static func space(at path: String) throws(SystemError) -> DiskSpace {
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == EINTR else { throw SystemError(errno, "read disk usage of \(path)") }
        }
        let unit = UInt64(status.f_frsize)
        return DiskSpace(
            total: UInt64(status.f_blocks) * unit,
            used: UInt64(status.f_blocks - min(status.f_bfree, status.f_blocks)) * unit,
            free: UInt64(status.f_bavail) * unit)
    }
}
