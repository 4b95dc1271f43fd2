import Model
import Testing
import Wire

@testable import Hosting

@Suite struct `Diverged streams` {
    @Test func `are logged together, 3 s after the first`() {
        var divergences = Divergences()
        let start = Timestamp(seconds: 1_800_000_000)
        #expect(divergences.popDue(at: start) == nil)
        divergences.record(.deadlines, "deadlines diverged", at: start)
        divergences.record(.sos, "sos diverged", at: start + .seconds(1))
        divergences.record(.deadlines, "deadlines diverged again", at: start + .seconds(2))
        #expect(divergences.popDue(at: start + .milliseconds(2999)) == nil)
        let due = divergences.popDue(at: start + .seconds(3))
        #expect(due?.count == 2 && due?.first == "deadlines diverged")
        #expect(divergences.popDue(at: start + .seconds(60)) == nil, "once")
        divergences.record(.sos, "sos diverged", at: start + .seconds(90))
        #expect(divergences.popDue(at: start)?.count == 1, "also after the clock was set back")
    }
}
