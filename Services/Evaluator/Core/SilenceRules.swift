/// The numbers of silences and batteries (domain.md §2), in integers.
public struct SilenceRules: Hashable, Sendable {
    /// Silence is overdue after so many times what is remarkable.
    public var overdueFactor: Int64 = 2
    /// Who is asked has so long to answer, seconds.
    public var answerSeconds: Int64 = 300
    /// No device may be silent for longer without being remarked, seconds.
    public var maxSilenceSecondsMax: Int32 = 7 * 86_400
    /// Told once when a battery is no better than this, percent.
    public var batteryLow: UInt8 = 15
    /// Told once more here.
    public var batteryVeryLow: UInt8 = 5
    /// Better than this, it is told anew when it becomes low.
    public var batteryGood: UInt8 = 20

    public init() {}
}

/// What was told of the battery of a person's leading device.
struct BatteryNotice: Hashable, Sendable {
    /// The mark that was told last since it was charged; nil = none.
    var told: UInt8?

    /// A report tells how full it is.
    ///
    /// - Returns: the mark that is to be told now; nil = none. Nothing is while it is charged.
    mutating func note(_ percent: UInt8, isCharging: Bool, _ rules: SilenceRules) -> UInt8? {
        guard percent <= rules.batteryGood else {
            told = nil
            return nil
        }
        guard !isCharging, percent <= rules.batteryLow else { return nil }
        let mark = percent <= rules.batteryVeryLow ? rules.batteryVeryLow : rules.batteryLow
        guard told.map({ mark < $0 }) ?? true else { return nil }
        told = mark
        return mark
    }
}
