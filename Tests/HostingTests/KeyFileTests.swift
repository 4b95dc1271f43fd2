import Glibc
import Hosting
import Runtime
import TestSupport
import Testing

@Suite struct `The file of a key` {
    @Test func `is made for its owner alone, and refused once it is open to others`() throws {
        let folder = try TemporaryFolder()
        let file = KeyFile.messages(secrets: folder.path)
        try file.refuseOpen()
        let key = try file.establish()
        #expect(try file.read() == key)
        #expect(chmod(file.path, 0o644) == 0)
        #expect(throws: OpenSecret.self) { try file.refuseOpen() }
        #expect(throws: OpenSecret.self) { _ = try file.establish() }
    }
}
