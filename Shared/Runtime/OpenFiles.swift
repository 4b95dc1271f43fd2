import Glibc

/// The limit of open files of this process.
public enum OpenFiles {
    /// Raises the limit to the maximum allowed for this process.
    ///
    /// Shells and containers often set 1,024, which a few hundred connections exhaust; then the
    /// store cannot open its files either.
    ///
    /// - Returns: the new limit
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
