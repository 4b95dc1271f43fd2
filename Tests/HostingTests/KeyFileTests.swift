import Glibc
import Hosting
import Runtime
import TestSupport
import Testing

@Suite struct `A key file` {
    @Test func `is private to its owner, and rejected if others can read it`() throws {
        let folder = try TemporaryFolder()
        let file = KeyFile.messages(secrets: folder.path)
        try file.requirePrivate()
        let key = try file.loadOrCreate()
        #expect(try file.read() == key)
        #expect(chmod(file.path, 0o644) == 0)
        #expect(throws: OpenSecret.self) { try file.requirePrivate() }
        #expect(throws: OpenSecret.self) { _ = try file.loadOrCreate() }
    }

    @Test func `missing from a suite in use is replaced only on request`() throws {
        let folder = try TemporaryFolder()
        let file = KeyFile.devices(secrets: folder.file("secrets"))
        let missing = #expect(throws: MissingKeyFile.self) {
            _ = try file.loadOrCreate(isUsed: true)
        }
        #expect(missing?.operation == "read \(file.path)")
        #expect(missing?.hint.hasSuffix("echo new >\(file.path)") == true)
        #expect(missing?.hint.contains("mkdir -m 700 \(folder.file("secrets")) &&") == true)
        try file.check()
        #expect(throws: MissingKeyFile.self) { try file.requireExisting() }

        // As the hint says, with any umask.
        try Files.makeFolder(folder.file("secrets"), mode: 0o700)
        try Files.write(Array("new\n".utf8), to: file.path, mode: 0o644)
        #expect(chmod(file.path, 0o644) == 0)
        try file.check()
        try file.requireExisting()
        try file.requirePrivate()
        #expect(throws: UnusableKeyFile.self) { _ = try file.read() }
        let key = try file.loadOrCreate(isUsed: true)
        #expect(try file.read() == key)
        #expect(try Files.mode(of: file.path) == 0o600)
        #expect(try file.loadOrCreate(isUsed: true) == key)
    }

    @Test(arguments: ["", "\n", "newer", "0123"])
    func `that contains neither a key nor 'new' is rejected`(_ text: String) throws {
        let folder = try TemporaryFolder()
        let file = KeyFile.messages(secrets: folder.path)
        try Files.write(Array(text.utf8), to: file.path, mode: 0o600)
        #expect(throws: UnusableKeyFile.self) { _ = try file.loadOrCreate(isUsed: true) }
        #expect(throws: UnusableKeyFile.self) { try file.check() }
    }
}
