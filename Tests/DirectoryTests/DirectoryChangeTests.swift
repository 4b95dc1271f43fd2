import Model
import Testing
import WireSamples

@testable import Directory

@Suite struct `A change of the directory` {
    @Test func `is every event about one of its entities`() {
        for body in EventSamples.bodies {
            let change = DirectoryChange(body)
            #expect((change != nil) == (body.directoryEntity != nil), "\(body.kind)")
            #expect(change.map { $0.body == body } ?? true, "\(body.kind)")
        }
    }
}
