import Model
import Testing
import Wire

@testable import Hosting

@Suite struct `Streams that are others than before` {
    @Test func `are told together, once a while has passed`() {
        var divergences = Divergences()
        let start = Timestamp(seconds: 1_800_000_000)
        #expect(divergences.take(at: start) == nil)
        divergences.note(.fired, "fired is another", at: start)
        divergences.note(.sos, "sos is another", at: start + .seconds(1))
        divergences.note(.fired, "fired is another yet", at: start + .seconds(2))
        #expect(divergences.take(at: start + .milliseconds(2999)) == nil)
        let told = divergences.take(at: start + .seconds(3))
        #expect(told?.count == 2 && told?.first == "fired is another")
        #expect(divergences.take(at: start + .seconds(60)) == nil, "once")
        divergences.note(.sos, "sos is another", at: start + .seconds(90))
        #expect(divergences.take(at: start)?.count == 1, "also after the clock was set back")
    }
}
