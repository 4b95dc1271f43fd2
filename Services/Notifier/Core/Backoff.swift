import Model

/// Exponential waiting with jitter.
public struct Backoff: Hashable, Sendable {
    /// The wait after the first failure, without jitter.
    public var first: Duration
    /// No wait is longer, jitter included.
    public var longest: Duration

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The wait after a number of failures: doubled for each after the first, then shortened by up
    /// to half so that many that failed together do not come back together.
    ///
    /// - Parameters:
    ///   - failures: 1 or more; less counts as 1.
    ///   - jitter: 0 gives the full wait, 255 almost half of it.
    public func wait(failures: Int, jitter: UInt8) -> Duration {
        let doublings = min(max(failures, 1) - 1, 30)
        let full = min(first.milliseconds << Int64(doublings), longest.milliseconds)
        return .milliseconds(full - full * Int64(jitter) / 512)
    }
}
