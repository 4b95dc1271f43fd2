import Testing
import Wire

@testable import Hosting
@testable import NotifierDaemon

@Suite struct `Streams kept for the notifier` {
    @Test func `are those that it consumes: nothing is missing, and nothing more is kept`() {
        let consumed = Main.definition.consumes.values.flatMap(\.self)
        let kept = StreamName.all.filter { $0.requiredConsumers.contains(.notifier) }
        #expect(Set(consumed) == Set(kept))
    }

    @Test func `are readable from a store whose layout is known without this program`() {
        #expect(StoreLayout.agrees(with: Main.definition))
    }
}
