import Model
import Timing

/// Wall clock of a time zone: when local times are due.
struct WallClock: Sendable {
    private let rules: TimeZoneRules

    init(_ rules: TimeZoneRules) { self.rules = rules }

    /// The local day of a time, as days since 1970-01-01.
    func day(of time: Timestamp) -> Int64 {
        let local = time.seconds + offset(at: time.seconds)
        return (local - ((local % 86_400) + 86_400) % 86_400) / 86_400
    }

    /// When a local time of a day is due.
    ///
    /// A time that clocks skip is due at the first instant after the gap. Of a time that clocks
    /// show twice, the first counts.
    ///
    /// - Parameters:
    ///   - day: days since 1970-01-01
    ///   - minute: minutes since midnight; more than 1,440 is on a later day
    func instant(day: Int64, minute: Int) -> Timestamp {
        let local = day * 86_400 + Int64(minute) * 60
        let before = local - offset(at: local - 86_400)
        if local - before == offset(at: before) { return Timestamp(seconds: before) }
        let after = local - offset(at: local + 86_400)
        if local - after == offset(at: after) { return Timestamp(seconds: after) }
        // In a gap: the earlier candidate is before it, the later one after it.
        var (low, high) = (min(before, after), max(before, after))
        let offsetBefore = offset(at: low)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: middle) == offsetBefore { low = middle } else { high = middle }
        }
        return Timestamp(seconds: high)
    }

    private func offset(at second: Int64) -> Int64 {
        Int64(rules.offsetSeconds(at: Timestamp(seconds: second)))
    }
}
