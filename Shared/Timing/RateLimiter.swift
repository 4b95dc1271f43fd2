import Model

/// Tokens in buckets, one bucket a key: a bucket holds some, a call takes some, and they come back
/// at a steady pace.
///
/// Of a bucket only the time is kept at which it will be full again; a full one is not kept at all.
/// So what is held is bounded by who called within the time that an empty bucket takes to fill, and
/// by ``keysMax``: beyond that, keys that are not known share one bucket.
public struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// Buckets held at most, in either half.
    public let keysMax: Int
    private let microsecondsPerToken: Int64
    /// What an empty bucket takes to fill.
    private let fillMicroseconds: Int64
    /// When buckets are full again: those touched since ``turned``, and those before that.
    private var young: [Key: Timestamp] = [:]
    private var old: [Key: Timestamp] = [:]
    private var shared = Timestamp.zero
    private var turned = Timestamp.zero

    /// - Parameters:
    ///   - perMinute: tokens that come back in a minute, at least 1
    ///   - burst: tokens in a full bucket, at least 1
    public init(perMinute: Int64, burst: Int64, keysMax: Int) {
        invariant(perMinute > 0 && burst > 0 && keysMax > 0, "a limit lets something through")
        microsecondsPerToken = max(1, 60_000_000 / perMinute)
        fillMicroseconds = microsecondsPerToken * burst
        self.keysMax = keysMax
    }

    /// Buckets that are held.
    public var count: Int { young.count + old.count }

    /// Takes tokens out of a key's bucket, or leaves it as it is where there are too few.
    ///
    /// - Parameter cost: more than a full bucket holds counts as all of it.
    /// - Returns: nil when they were taken, else how long until they will be there.
    public mutating func take(_ cost: Int64 = 1, of key: Key, at now: Timestamp) -> Duration? {
        turn(at: now)
        let isKnown = young[key] != nil || old[key] != nil || young.count < keysMax
        var full = isKnown ? young[key] ?? old[key] ?? now : shared
        // What lies beyond a whole filling was stored before the clock was put back.
        if full < now || (full - now).microseconds > fillMicroseconds { full = now }
        let wanted = min(max(cost, 1) * microsecondsPerToken, fillMicroseconds)
        let missing = full - now + .microseconds(wanted - fillMicroseconds)
        guard missing <= .zero else { return missing }
        if isKnown {
            young[key] = full + .microseconds(wanted)
        } else {
            shared = full + .microseconds(wanted)
        }
        return nil
    }

    /// Forgets buckets that nobody touched for as long as it takes to fill one.
    private mutating func turn(at now: Timestamp) {
        guard (now - turned).microseconds >= fillMicroseconds || now < turned else { return }
        old = young
        young = [:]
        turned = now
    }
}
