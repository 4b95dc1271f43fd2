import Testing
import Wire

@testable import Hosting
@testable import TimerDaemon

@Suite struct `What is kept for timer` {
    @Test func `is what it consumes: nothing less is there, and nothing more held back`() {
        let consumed = Main.definition.consumes.values.flatMap(\.self)
        let kept = StreamName.all.filter { $0.requiredConsumers.contains(.timer) }
        #expect(Set(consumed) == Set(kept))
    }

    @Test func `is in a store whose layout is known without this program, too`() {
        #expect(StoreLayout.agrees(with: Main.definition))
    }
}
