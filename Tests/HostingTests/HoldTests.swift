import Glibc
import Hosting
import Runtime
import TestSupport
import Testing

@Suite struct `A service with a new store` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Returns: how many log lines mention the command for held items
    private func hints(isNewHeld: Bool, hasItems: Bool) throws -> Int {
        let path = folder.file("log")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { _ = close(descriptor) }
        var definition = Stage.definition
        definition.holdsWhenNew = isNewHeld
        let stage = try Stage(definition, logDescriptor: descriptor)
        try stage.run(for: .seconds(2))
        #expect(!String(decoding: try Files.read(path), as: UTF8.self).contains("jaga held"))
        if hasItems {
            stage.script.heldEntries = [
                HeldEntry(id: "a", kind: "message", what: "tier", person: nil, due: stage.host.now)
            ]
        }
        try stage.run(for: .seconds(3))
        let lines = String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
        return lines.count { $0.contains("level=warning") && $0.contains("jaga held") }
    }

    @Test func `logs once that it holds items, and nothing if it holds none`() throws {
        #expect(try hints(isNewHeld: true, hasItems: true) == 1)
        #expect(try hints(isNewHeld: true, hasItems: false) == 0)
        #expect(try hints(isNewHeld: false, hasItems: true) == 0)
    }
}
