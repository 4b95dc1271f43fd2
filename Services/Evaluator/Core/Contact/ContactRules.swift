/// Parameters of contact loss and battery warnings (domain.md §2), as integers.
public struct ContactRules: Hashable, Sendable {
    /// Contact is overdue after this multiple of the contact timeout.
    public var overdueFactor: Int64 = 2
    /// How long an asked person has to answer, seconds.
    public var answerSeconds: Int64 = 300
    /// Upper limit of a device's contact timeout, seconds.
    public var contactTimeoutSecondsMax: Int32 = 7 * 86_400
    /// First battery warning at or below this level, percent.
    public var batteryLow: UInt8 = 15
    /// Second battery warning, percent.
    public var batteryVeryLow: UInt8 = 5
    /// Above this level the warnings are armed again, percent.
    public var batteryGood: UInt8 = 20

    public init() {}
}

/// Battery warnings of a person's primary device.
struct BatteryNotice: Hashable, Sendable {
    /// The last warning level since the device was charged; nil = none.
    var notifiedMark: UInt8?

    /// Handles a battery level.
    ///
    /// - Returns: the warning level to report now; nil = none. A charging device never warns.
    mutating func update(_ percent: UInt8, isCharging: Bool, _ rules: ContactRules) -> UInt8? {
        guard percent <= rules.batteryGood else {
            notifiedMark = nil
            return nil
        }
        guard !isCharging, percent <= rules.batteryLow else { return nil }
        let mark = percent <= rules.batteryVeryLow ? rules.batteryVeryLow : rules.batteryLow
        guard notifiedMark.map({ mark < $0 }) ?? true else { return nil }
        notifiedMark = mark
        return mark
    }
}
