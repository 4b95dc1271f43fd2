import Model

/// Detects intake outages: so many devices lost contact together that the suite's own intake must
/// have failed.
///
/// Ongoing losses are counted by the minute in which the device became late.
struct IntakeOutageDetector {
    /// Start of the suspected outage; nil = none.
    private(set) var since: Timestamp?
    /// Ongoing contact losses by the minute since 1970 in which they began.
    private var losses: [Int64: Int] = [:]

    init(since: Timestamp?, lateSince: some Sequence<Timestamp>) {
        self.since = since
        for time in lateSince { began(at: time) }
    }

    mutating func began(at time: Timestamp) {
        losses[IntakeOutageDetector.minute(of: time), default: 0] += 1
    }

    /// A loss that began at this time has ended.
    mutating func ended(begun time: Timestamp) {
        let minute = IntakeOutageDetector.minute(of: time)
        guard let count = losses[minute] else { return }
        losses[minute] = count == 1 ? nil : count - 1
    }

    /// Re-evaluates whether an intake outage is likely.
    ///
    /// - Parameter devices: number of devices with a contact expectation
    /// - Returns: true if the answer changed
    mutating func evaluate(among devices: Int, at now: Timestamp) -> Bool {
        // An evaluator's clock may be slightly ahead.
        let end = IntakeOutageDetector.minute(of: now) + 1
        let window = IntakeOutageDetector.minute(
            of: (since ?? now) - .seconds(Limits.outageWindowSeconds))
        let count = (min(window, end)...end).reduce(0) { $0 + (losses[$1] ?? 0) }
        let isMany =
            count >= Limits.outageDevicesMin
            && count * 100 > devices * Limits.outagePercent
        guard since != nil else {
            guard isMany else { return false }
            since = now
            return true
        }
        // Devices out of contact for this long have failed themselves.
        let stale = IntakeOutageDetector.minute(of: now - .seconds(Limits.outageHoldSecondsMax))
        guard !isMany || (stale...end).allSatisfy({ losses[$0] == nil }) else { return false }
        since = nil
        return true
    }

    private static func minute(of time: Timestamp) -> Int64 { time.microseconds / 60_000_000 }
}
