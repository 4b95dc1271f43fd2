import Testing
import Wire

@testable import Hosting
@testable import IngestDaemon

@Suite struct `What is kept for ingest` {
    @Test func `is what it consumes: nothing less is there, and nothing more held back`() {
        let consumed = Main.definition.consumes.values.flatMap(\.self)
        let kept = StreamName.all.filter { $0.requiredConsumers.contains(.ingest) }
        #expect(Set(consumed) == Set(kept))
    }

    @Test func `is in a store whose layout is known without this program, too`() {
        #expect(StoreLayout.agrees(with: Main.definition))
    }
}
