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

    @Test func `that is gone from a suite in use is made anew only if somebody says so`() throws {
        let folder = try TemporaryFolder()
        let file = KeyFile.devices(secrets: folder.file("secrets"))
        let gone = #expect(throws: MissingKeyFile.self) { _ = try file.establish(isUsed: true) }
        #expect(gone?.operation == "read \(file.path)")
        #expect(gone?.hint.hasSuffix("echo new >\(file.path)") == true)
        #expect(gone?.hint.contains("mkdir -m 700 \(folder.file("secrets")) &&") == true)
        try file.check()
        #expect(throws: MissingKeyFile.self) { try file.refuseMissing() }

        // As the hint says, whatever the umask is.
        try Files.makeFolder(folder.file("secrets"), mode: 0o700)
        try Files.write(Array("new\n".utf8), to: file.path, mode: 0o644)
        #expect(chmod(file.path, 0o644) == 0)
        try file.check()
        try file.refuseMissing()
        try file.refuseOpen()
        #expect(throws: UnusableKeyFile.self) { _ = try file.read() }
        let key = try file.establish(isUsed: true)
        #expect(try file.read() == key)
        #expect(try Files.rights(of: file.path) == 0o600)
        #expect(try file.establish(isUsed: true) == key)
    }

    @Test(arguments: ["", "\n", "newer", "0123"])
    func `that holds neither a key nor the wish for one is refused`(_ text: String) throws {
        let folder = try TemporaryFolder()
        let file = KeyFile.messages(secrets: folder.path)
        try Files.write(Array(text.utf8), to: file.path, mode: 0o600)
        #expect(throws: UnusableKeyFile.self) { _ = try file.establish(isUsed: true) }
        #expect(throws: UnusableKeyFile.self) { try file.check() }
    }
}
