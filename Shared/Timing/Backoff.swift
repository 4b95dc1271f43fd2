import Model

/// Waits between tries that double until they reach a limit, spread by chance.
///
/// The spread keeps those who failed together from trying again together. Chance is an argument, so
/// that the same inputs always give the same waits.
public struct Backoff: Hashable, Sendable {
    /// The wait after the first failure, without spread.
    public var first: Duration
    /// The longest wait.
    public var longest: Duration

    /// Stops the process for a first wait that is not above zero, or above the longest.
    public init(first: Duration, longest: Duration) {
        invariant(first > .zero && first <= longest, "waits are positive and grow")
        self.first = first
        self.longest = longest
    }

    /// The wait after so many failures in a row: the second half of it is up to chance.
    ///
    /// - Parameters:
    ///   - failures: from 1; fewer count as 1
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
