import Bus
import Foundation
import Testing

@testable import JagaCLI

@Suite struct `Keys for streams` {
    private let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private var folder: KeyFolder { KeyFolder(home.path + "/secrets/bus") }

    private func keys(_ words: String...) throws -> Int32 {
        try Keys.run(Call(words + ["--home", home.path], of: Keys.syntax, environment: [:]))
    }

    private func publicKeys() throws -> [CurvePublicKey] {
        try BusRole.allCases.map { try folder.publicKey(folder.publicFile($0)) }
    }

    @Test func `are created once, and replaced only with --force`() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        #expect(try keys("init") == 0)
        let first = try publicKeys()
        let error = #expect(throws: CommandError.self) { try keys("init") }
        #expect(error?.message.contains("ingest.key") == true)
        #expect(error?.hint.contains("--force") == true)
        #expect(try publicKeys() == first)
        #expect(try keys("init", "--force") == 0)
        #expect(Set(try publicKeys()).isDisjoint(with: first))
        #expect(try keys("show") == 0)
    }

    @Test func `are replaced for one role on request`() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        #expect(try keys("init") == 0)
        let before = try publicKeys()
        #expect(throws: CommandError.self) { try keys("init", "--role", "operator") }
        #expect(try keys("init", "--role", "operator", "--force") == 0)
        let after = try publicKeys()
        #expect(after.dropLast() == before.dropLast() && after.last != before.last)
        #expect(throws: CommandError.self) { try keys("init", "--role", "guest") }
        #expect(throws: CommandError.self) { try keys("burn") }
    }

    @Test(arguments: [
        (["JAGA_BIND": "0.0.0.0"], true), (["JAGA_CURVE": "never"], false), ([:], true),
        (["JAGA_BIND": "192.0.2.7", "JAGA_HOST_TIMER": "192.0.2.8"], false),
        (["JAGA_BIND": "192.0.2.7"], true),
    ])
    func `are made by the first start of a suite that needs them`(
        environment: [String: String], areMade: Bool
    ) throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let call = try Call(
            ["--home", home.path], of: Up.syntax, environment: environment)
        let plan = try UpPlan(call)
        #expect(try plan.prepareKeys() == (areMade ? folder.path : nil))
        #expect(folder.existing.isEmpty != areMade)
        #expect(try plan.prepareKeys() == nil, "those that are there stay")
    }

    @Test func `are not needed to locate services`() throws {
        func host(_ environment: [String: String]) throws -> String {
            try UpPlan(Call([], of: Up.syntax, environment: environment)).ports.here
        }
        #expect(try host([:]) == "127.0.0.1")
        #expect(try host(["JAGA_BIND": "0.0.0.0"]) == "127.0.0.1")
        #expect(try host(["JAGA_BIND": "192.0.2.7"]) == "192.0.2.7")
    }
}
