import Foundation
import Model
import TestSupport
import Testing
import Timing

@Suite(.serialized) struct `A time zone's rules` {
    @Test func `a time zone without summer time`() throws {
        let rules = try #require(TimeZoneRules(tzif: Self.kualaLumpur))
        #expect(rules.offsetSeconds(at: Timestamp(seconds: 1_800_000_000)) == 8 * 3600)
        #expect(rules.offsetSeconds(at: .zero) == 27000)
        #expect(rules.offsetSeconds(at: Timestamp(seconds: 378_664_200)) == 28800)
        #expect(rules.offsetSeconds(at: Timestamp(seconds: 378_664_199)) == 27000)
    }

    @Test func `a truncated file is rejected`() {
        for length in 0..<Self.kualaLumpur.count {
            #expect(TimeZoneRules(tzif: Array(Self.kualaLumpur.prefix(length))) == nil)
        }
        var wrong = Self.kualaLumpur
        wrong[0] = 0
        #expect(TimeZoneRules(tzif: wrong) == nil)
        var unknown = Self.kualaLumpur
        unknown[4] = 1
        #expect(TimeZoneRules(tzif: unknown) == nil, "a version that is not a digit")
    }

    @Test func `an invalid last line is rejected`() {
        for footer in ["\n+08", "+08\n", "\nX\n", "\nCET-1CEST\n", "\nCET-1CEST,M13.1.0,M10.5.0\n"]
        {
            #expect(TimeZoneRules(tzif: Self.kualaLumpur + Array(footer.utf8)) == nil, "\(footer)")
        }
        #expect(TimeZoneRules(tzif: Self.kualaLumpur + Array("\n<+08>-8\n".utf8)) != nil)
    }

    /// Compares with the C library, which reads the same files independently.
    @Test(arguments: [
        "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Santiago", "Asia/Gaza",
        "America/Nuuk", "Africa/Casablanca", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Tehran",
        "Pacific/Apia", "Antarctica/Troll", "Asia/Kathmandu", "Asia/Kuala_Lumpur", "UTC", "EST5EDT",
    ])
    func `agree with the C library in every year, also beyond the last transition`(
        name: String
    ) throws {
        let bytes = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/" + name))
        let rules = try #require(TimeZoneRules(tzif: Array(bytes)))
        setenv("TZ", name, 1)
        tzset()
        defer {
            unsetenv("TZ")
            tzset()
        }
        var chance = SeededGenerator(seed: 11)
        let start = Timestamp(seconds: 1_767_225_600)
        let end = start + .seconds(13 * 366 * 86_400)
        let clock = rules.clock(name, from: start, to: end)
        #expect(clock.timeZone == name)
        for _ in 0..<4000 {
            // 1930 to 2150.
            let second = Int64.random(in: -1_262_304_000...5_680_281_600, using: &chance)
            expectSame(rules, clock, at: second, in: start.seconds...end.seconds)
        }
        for step in clock.offsets {
            for second in [step.at - 1, step.at] {
                expectSame(rules, clock, at: second, in: start.seconds...end.seconds)
            }
        }
    }

    private func expectSame(
        _ rules: TimeZoneRules, _ clock: ZoneClock, at second: Int64, in span: ClosedRange<Int64>
    ) {
        var time = time_t(second)
        var parts = tm()
        localtime_r(&time, &parts)
        let offset = rules.offsetSeconds(at: Timestamp(seconds: second))
        if offset != parts.tm_gmtoff {
            Issue.record("\(clock.timeZone) at \(second): \(offset), not \(parts.tm_gmtoff)")
        }
        guard span.contains(second) else { return }
        let listed = clock.offsets.last { $0.at <= second }?.offset ?? clock.firstOffset
        if Int(listed) != offset { Issue.record("the table of \(clock.timeZone) at \(second)") }
    }

    @Test func `a table has the changes of its years and no others`() throws {
        let bytes = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin"))
        let rules = try #require(TimeZoneRules(tzif: Array(bytes)))
        let year = Timestamp(seconds: 1_798_761_600)
        let clock = rules.clock("Europe/Berlin", from: year, to: year + .seconds(12 * 365 * 86_400))
        #expect(clock.firstOffset == 3600)
        #expect(clock.offsets.count == 24)
        #expect(clock.offsets.first == ZoneOffset(at: 1_806_195_600, offset: 7200))
        let still = TimeZoneRules(offsetSeconds: 28_800).clock("X", from: year, to: .distantFuture)
        #expect(still == ZoneClock(timeZone: "X", firstOffset: 28_800))
    }

    /// Two transitions: one in the unused 32-bit block, one in the second block.
    private static let kualaLumpur: [UInt8] = {
        func header(_ counts: [UInt8]) -> [UInt8] {
            Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
                + counts.flatMap { [0, 0, 0, $0] }
        }
        func big(_ value: Int64, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
        }
        let legacy = header([0, 0, 0, 0, 1, 4]) + big(0, 4) + [0, 0] + Array("UTC\0".utf8)
        var modern = header([0, 0, 0, 2, 3, 4])
        modern += big(-1_000_000_000, 8) + big(378_664_200, 8) + [1, 2]
        modern += big(24_406, 4) + [0, 0] + big(27_000, 4) + [0, 0] + big(28_800, 4) + [0, 0]
        return legacy + modern + Array("+08\0".utf8)
    }()
}
