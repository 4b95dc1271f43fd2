import Model
import NotifierCore
import TestSupport
import Testing
import Timing

struct TimeZoneTests {
    @Test func `the recipient's time zone is used once it is known`() throws {
        var world = World()
        world.notifier.setTimeZone(
            "Asia/Kuala_Lumpur", TimeZoneRules(offsetSeconds: 8 * 3600))
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.sent.allSatisfy { $0.text.contains("School, 10:20.") })
    }
}
