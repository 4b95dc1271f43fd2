import Testing
import Wire

@testable import Hosting
@testable import MembershipDaemon

@Suite struct `What is kept for membership` {
    @Test func `equals what it consumes`() {
        let consumed = Main.definition.consumes.values.flatMap(\.self)
        let kept = StreamName.all.filter { $0.requiredConsumers.contains(.membership) }
        #expect(Set(consumed) == Set(kept))
    }
}
