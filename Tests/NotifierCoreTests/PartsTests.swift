import Model
import NotifierCore
import TestSupport
import Testing
import Timing

struct PartsTests {
    @Test func `waits double up to the longest, and jitter shortens them by up to half`() {
        let backoff = NotifierCore.Backoff(first: .seconds(1), longest: .seconds(30))
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

    @Test func `the recipient's clock is used once it is known`() throws {
        var world = World()
        world.notifier.learn(
            "Asia/Kuala_Lumpur", TimeZoneRules(offsetSeconds: 8 * 3600))
        world.tell(.zoneEntered(Town.crossing()))
        #expect(world.sent.allSatisfy { $0.text.contains("School, 10:20.") })
    }
}
