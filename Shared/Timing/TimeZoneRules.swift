import Model

/// Offsets of one time zone, read from a TZif file (RFC 9636).
///
/// After its last transition the file's rule applies, such as "summer time from the last Sunday of
/// March", for all years.
public struct TimeZoneRules: Hashable, Sendable {
    /// Ascending.
    private var transitions: [ZoneOffset]
    private var first: Int32
    /// The rule after the last transition; nil = the last offset stays.
    private var rule: PosixTimeRule?

    /// A constant offset.
    public init(offsetSeconds: Int) {
        transitions = []
        first = Int32(offsetSeconds)
        rule = nil
    }

    /// Reads a file; nil if the bytes are not a complete TZif file.
    public init?(tzif bytes: [UInt8]) {
        guard let file = TZifFile(bytes) else { return nil }
        transitions = file.transitions
        first = file.first
        rule = file.rule
    }

    /// Seconds east of Greenwich at a time.
    public func offsetSeconds(at time: Timestamp) -> Int { Int(offset(at: time.seconds)) }

    private func offset(at second: Int64) -> Int32 {
        if let rule, second >= (transitions.last?.at ?? .min) { return rule.offset(at: second) }
        let after = transitions.firstIndex { $0.at > second } ?? transitions.endIndex
        return after == 0 ? first : transitions[after - 1].offset
    }

    /// The offsets of a period as a table, for processes without time zone files.
    ///
    /// - Parameters:
    ///   - timeZone: the table's name
    ///   - start: earlier times get the offset at the start
    ///   - end: later times get the last offset
    public func clock(_ timeZone: String, from start: Timestamp, to end: Timestamp) -> ZoneClock {
        let span = start.seconds + 1...max(start.seconds + 1, end.seconds)
        var steps = transitions.filter { span.contains($0.at) }
        if let rule {
            let last = transitions.last?.at ?? .min
            steps += rule.transitions(in: span).filter { $0.at > last }
        }
        var clock = ZoneClock(timeZone: timeZone, firstOffset: offset(at: start.seconds))
        for step in steps where step.offset != clock.offsets.last?.offset ?? clock.firstOffset {
            clock.offsets.append(step)
        }
        return clock
    }
}
