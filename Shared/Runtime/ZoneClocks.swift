import Model
import Timing

/// Computes the offsets of time zones from the system's database.
public struct ZoneClocks: Sendable {
    public let folder: TimeZoneFolder
    /// The time around which offsets are needed.
    public let now: Timestamp

    /// Years after this one; one year before it is included, for late reports.
    private static let yearsAhead: Int64 = 12

    public init(_ folder: TimeZoneFolder = TimeZoneFolder(), now: Timestamp) {
        self.folder = folder
        self.now = now
    }

    /// The offsets of a time zone for about 12 years; nil if the name is unknown.
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
