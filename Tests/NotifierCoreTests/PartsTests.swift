import Model
import NotifierCore
import TestSupport
import Testing

struct PartsTests {
    @Test func `waits double up to the longest, and jitter shortens them by up to half`() {
        let backoff = Backoff(first: .seconds(1), longest: .seconds(30))
        let full = (0...8).map { backoff.wait(failures: $0, jitter: 0).milliseconds }
        #expect(full == [1000, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000])
        for failures in [1, 5, 40, Int.max] {
            for jitter in UInt8.min...UInt8.max {
                let wait = backoff.wait(failures: failures, jitter: jitter)
                let longest = backoff.wait(failures: failures, jitter: 0)
                #expect(wait <= longest && wait * 2 >= longest)
            }
        }
    }

    @Test func `a time zone without summer time`() throws {
        let rules = try #require(TimeZoneRules(tzif: Self.kualaLumpur))
        #expect(rules.offsetSeconds(at: World.start) == 8 * 3600)
        #expect(rules.offsetSeconds(at: .zero) == 27000)
        #expect(rules.offsetSeconds(at: Timestamp(seconds: 378_664_200)) == 28800)
        #expect(rules.offsetSeconds(at: Timestamp(seconds: 378_664_199)) == 27000)
    }

    @Test func `a file that is cut anywhere is refused, not believed`() {
        for length in 0..<Self.kualaLumpur.count {
            #expect(TimeZoneRules(tzif: Array(Self.kualaLumpur.prefix(length))) == nil)
        }
        var wrong = Self.kualaLumpur
        wrong[0] = 0
        #expect(TimeZoneRules(tzif: wrong) == nil)
    }

    @Test func `the recipient's clock is used once it is known`() throws {
        var world = World()
        world.notifier.learn(
            "Asia/Kuala_Lumpur", try #require(TimeZoneRules(tzif: Self.kualaLumpur)))
        world.tell(.zoneEntered(Town.crossing()))
        #expect(world.sent.allSatisfy { $0.text.contains("School, 10:20.") })
    }

    /// Two transitions in the first, 32-bit block that nobody reads, and in the second.
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
