import Glibc

/// How many files and connections this process may have open.
public enum OpenFiles {
    /// Raises the limit to what the system allows this process.
    ///
    /// Shells and containers often give 1,024, which a few hundred phones would use up; then the
    /// store could not open its files either.
    ///
    /// - Returns: the limit from now on
    @discardableResult
    public static func raise() -> Int {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return 1024 }
        let wanted = min(limit.rlim_max, 65_536)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            setrlimit(kind, &limit)
            getrlimit(kind, &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}
