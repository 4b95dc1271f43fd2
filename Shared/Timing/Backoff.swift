import Model

/// Exponential backoff with jitter and a maximum delay.
///
/// Jitter keeps clients that failed together from retrying together. Randomness is an argument, so
/// that equal inputs give equal delays.
public struct Backoff: Hashable, Sendable {
    /// The delay after the first failure, without jitter.
    public var first: Duration
    /// The maximum delay.
    public var longest: Duration

    /// Requires a positive first delay of at most the maximum.
    public init(first: Duration, longest: Duration) {
        invariant(first > .zero && first <= longest, "waits are positive and grow")
        self.first = first
        self.longest = longest
    }

    /// The delay after a number of consecutive failures; its second half is random.
    ///
    /// - Parameters:
    ///   - failures: at least 1; fewer count as 1
    ///   - jitter: any random number
    public func delay(after failures: Int, jitter: UInt64) -> Duration {
        var whole = first.microseconds
        let limit = longest.microseconds
        for _ in 1..<max(1, min(failures, 64)) {
            whole = whole > limit / 2 ? limit : whole * 2
        }
        let half = UInt64(whole / 2)
        let spread = half.multipliedFullWidth(by: jitter).high
        return .microseconds(whole - Int64(half) + Int64(spread))
    }
}
