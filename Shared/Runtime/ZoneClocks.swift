import Model
import Timing

/// Makes the wall clocks of zones out of the system's database of time zones.
public struct ZoneClocks: Sendable {
    public let folder: TimeZoneFolder
    /// Around which a clock has to be right.
    public let now: Timestamp

    /// From the year before this one on, so that late reports are judged by the clock of their day.
    private static let yearsAhead: Int64 = 12

    public init(_ folder: TimeZoneFolder = TimeZoneFolder(), now: Timestamp) {
        self.folder = folder
        self.now = now
    }

    /// The clock of a time zone with the offsets of some 12 years; nil when there is none of that
    /// name.
    public func clock(of timeZone: String) -> ZoneClock? {
        let year = CivilDate(daysSinceEpoch: now.seconds / 86_400).year
        return folder.rules(of: timeZone)?.clock(
            timeZone, from: start(of: year - 1), to: start(of: year + ZoneClocks.yearsAhead + 1))
    }

    private func start(of year: Int64) -> Timestamp {
        let days = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
        return Timestamp(seconds: days * 86_400)
    }
}
