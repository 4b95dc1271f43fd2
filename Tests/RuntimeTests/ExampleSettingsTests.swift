import Foundation
import TestSupport
import Testing

@testable import Runtime

/// All programs of a home read one jaga.conf: none may reject a setting of another.
@Suite struct `Settings of deploy/.env.example` {
    private static func names() throws -> [String] {
        let file = Programs.top.appending(path: "deploy/.env.example")
        return try String(contentsOf: file, encoding: .utf8)
            .matches(of: /(?m)^#?(JAGA_\w+)=/).map { String($0.output.1) }
    }

    @Test(arguments: ["", "up", "ingest", "membership", "timer", "notifier", "evaluator"])
    func `are known to all programs`(service: String) throws {
        let names = try Self.names()
        #expect(names.count > 40)
        let folder = try TemporaryFolder()
        for name in names where !Setting.standard.contains(where: { $0.name == name }) {
            // A program's own settings are not declared here.
            let owner = Configuration.owners.first { entry in
                entry.name.hasSuffix("_") ? name.hasPrefix(entry.name) : name == entry.name
            }?.owner
            if owner == service, owner != nil { continue }
            let path = folder.file("jaga.conf")
            try Files.write(Array("\(name)=1\n".utf8), to: path)
            #expect(throws: Never.self, "\(name)") {
                try Configuration(settings: [], environment: [:], file: path, service: service)
            }
        }
    }
}
