import Testing
import Wire

@testable import Hosting
@testable import IngestDaemon

@Suite struct `What is kept for ingest` {
    @Test func `lists exactly the required records`() {
        let consumed = Main.definition.consumes.values.flatMap(\.self)
        let kept = StreamName.all.filter { $0.requiredConsumers.contains(.ingest) }
        #expect(Set(consumed) == Set(kept))
    }

    @Test func `can be read without this program`() {
        #expect(StoreLayout.agrees(with: Main.definition))
    }
}
