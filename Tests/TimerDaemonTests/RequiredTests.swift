import Testing
import Wire

@testable import Hosting
@testable import TimerDaemon

@Suite struct `What is kept for timer` {
    @Test func `equals what it consumes`() {
        let consumed = Main.definition.consumes.values.flatMap(\.self)
        let kept = StreamName.all.filter { $0.requiredConsumers.contains(.timer) }
        #expect(Set(consumed) == Set(kept))
    }

    @Test func `has a store layout that other programs know`() {
        #expect(StoreLayout.agrees(with: Main.definition))
    }
}
