import Model

/// Queue of ids with deadlines, all with the same timeout.
struct Deadlines {
    private var entries: [(id: UInt64, due: ContinuousClock.Instant)] = []
    private var first = 0
    private let clock = ContinuousClock()

    mutating func append(_ ids: some Sequence<UInt64>, in duration: Duration) {
        let due = clock.now + duration
        for id in ids { entries.append((id, due)) }
    }

    /// Removes and returns the ids that are due.
    mutating func removeDue() -> [UInt64] {
        guard first < entries.count else { return [] }
        let now = clock.now
        var due: [UInt64] = []
        while first < entries.count, entries[first].due <= now {
            due.append(entries[first].id)
            first += 1
        }
        if first > 1024, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
        return due
    }

    /// Time until the next deadline; nil if there is none.
    var waitMilliseconds: Int? {
        guard first < entries.count else { return nil }
        return max(0, Int((entries[first].due - clock.now).milliseconds) + 1)
    }
}
