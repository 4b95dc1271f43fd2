import Model

/// Token bucket rate limiter, with a bucket per key.
///
/// Stores only the time at which a bucket will be full; full buckets are not stored. So memory is
/// bounded by the number of keys within the fill time, and by ``keysMax``: above it, unknown keys
/// share one bucket.
public struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// The maximum number of stored buckets per generation.
    public let keysMax: Int
    private let microsecondsPerToken: Int64
    /// Time in which an empty bucket fills.
    private let fillMicroseconds: Int64
    /// When buckets will be full: those used since ``turned``, and older ones.
    private var young: [Key: Timestamp] = [:]
    private var old: [Key: Timestamp] = [:]
    private var shared = Timestamp.zero
    private var rotatedAt = Timestamp.zero

    /// - Parameters:
    ///   - perMinute: refill rate in tokens per minute, at least 1
    ///   - burst: capacity of a bucket in tokens, at least 1
    public init(perMinute: Int64, burst: Int64, keysMax: Int) {
        invariant(perMinute > 0 && burst > 0 && keysMax > 0, "rate limits are positive")
        microsecondsPerToken = max(1, 60_000_000 / perMinute)
        fillMicroseconds = microsecondsPerToken * burst
        self.keysMax = keysMax
    }

    /// The number of stored buckets.
    public var count: Int { young.count + old.count }

    /// Consumes tokens of a key's bucket, unless there are too few.
    ///
    /// - Parameter cost: tokens; values above the capacity count as the capacity
    /// - Returns: nil if the tokens were consumed, else the time until they are available
    public mutating func consume(_ cost: Int64 = 1, of key: Key, at now: Timestamp) -> Duration? {
        rotate(at: now)
        let isKnown = young[key] != nil || old[key] != nil || young.count < keysMax
        var full = isKnown ? young[key] ?? old[key] ?? now : shared
        // A time beyond a whole fill was stored before the clock was set back.
        if full < now || (full - now).microseconds > fillMicroseconds { full = now }
        let costMicroseconds = min(max(cost, 1) * microsecondsPerToken, fillMicroseconds)
        let missing = full - now + .microseconds(costMicroseconds - fillMicroseconds)
        guard missing <= .zero else { return missing }
        if isKnown {
            young[key] = full + .microseconds(costMicroseconds)
        } else {
            shared = full + .microseconds(costMicroseconds)
        }
        return nil
    }

    /// Discards buckets that were not used within the fill time.
    private mutating func rotate(at now: Timestamp) {
        guard (now - rotatedAt).microseconds >= fillMicroseconds || now < rotatedAt else { return }
        old = young
        young = [:]
        rotatedAt = now
    }
}
