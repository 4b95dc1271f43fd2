import Model

/// Whether so many devices fell silent together that it must be the suite that does not hear them.
///
/// Silences are counted by the minute in which they became quiet, and only as long as they go on.
struct Suspicion {
    /// Since when; nil = not.
    private(set) var since: Timestamp?
    /// Those that go on, by the minute since 1970 in which they became quiet.
    private var fell: [Int64: Int] = [:]

    init(since: Timestamp?, quiet: some Sequence<Timestamp>) {
        self.since = since
        for time in quiet { began(at: time) }
    }

    mutating func began(at time: Timestamp) { fell[Suspicion.minute(of: time), default: 0] += 1 }

    /// One that began then is over.
    mutating func ended(begun time: Timestamp) {
        let minute = Suspicion.minute(of: time)
        guard let count = fell[minute] else { return }
        fell[minute] = count == 1 ? nil : count - 1
    }

    /// Decides anew.
    ///
    /// - Parameter devices: how many would be missed.
    /// - Returns: whether it is otherwise than before.
    mutating func weigh(among devices: Int, at now: Timestamp) -> Bool {
        // An evaluator may be a little ahead.
        let end = Suspicion.minute(of: now) + 1
        let window = Suspicion.minute(of: (since ?? now) - .seconds(Limits.suspicionSeconds))
        let together = (min(window, end)...end).reduce(0) { $0 + (fell[$1] ?? 0) }
        let isMany =
            together >= Limits.suspicionDevicesMin
            && together * 100 > devices * Limits.suspicionPercent
        guard since != nil else {
            guard isMany else { return false }
            since = now
            return true
        }
        // Devices that are not heard for so long are silent themselves.
        let stale = Suspicion.minute(of: now - .seconds(Limits.suspicionSecondsMax))
        guard !isMany || (stale...end).allSatisfy({ fell[$0] == nil }) else { return false }
        since = nil
        return true
    }

    private static func minute(of time: Timestamp) -> Int64 { time.microseconds / 60_000_000 }
}
