import Glibc
import Model
import Store
import TestSupport
import Testing

@testable import Hosting
@testable import Runtime

@Suite struct `The check before a start` {
    private let folder: TemporaryFolder
    private var home: String { folder.file("home") }
    private var store: String { home + "/timer/store.sqlite" }

    init() throws {
        folder = try TemporaryFolder()
        try Files.makeFolder(home + "/timer", mode: 0o700)
    }

    private func check(
        _ definition: ServiceDefinition = Stage.definition, _ environment: [String: String] = [:]
    ) throws {
        let configuration = try Configuration(
            settings: CommonSettings.all,
            environment: ["JAGA_HOME": home].merging(environment) { $1 },
            service: "timer")
        try Launcher.check(definition, configuration)
    }

    private func refusal(_ body: () throws -> Void) -> (any ExplainedError)? {
        do { try body() } catch { return error as? any ExplainedError }
        return nil
    }

    @Test func `accepts a new home and one in use, and creates nothing`() throws {
        try check()
        #expect(try Files.names(in: home + "/timer").isEmpty)
        let running = try Database(path: store, migrations: HostParts.migrations(Stage.definition))
        try running.begin()
        try check()
        running.rollback()
    }

    @Test func `rejects a store of a newer version`() throws {
        var newer = Stage.definition
        newer.migrations.append(Migration(number: 2, sql: "CREATE TABLE later (a INTEGER)"))
        _ = try Database(path: store, migrations: HostParts.migrations(newer))
        let refusal = try #require(refusal { try check() })
        #expect(refusal.code == "newer")
        #expect(refusal.operation.contains(store))
    }

    @Test(arguments: [ServiceName.timer, .evaluator], ["JAGA_BIND", "JAGA_HOST_INGEST"])
    func `rejects streams without keys beyond this machine, as the start does`(
        name: ServiceName, setting: String
    ) throws {
        var definition = Stage.definition
        definition.name = name
        let environment = ["JAGA_CURVE": "never", setting: "10.0.0.7"]
        let refusal = try #require(refusal { try check(definition, environment) })
        #expect(refusal.code == "unprotected")
        let configuration = try Configuration(
            settings: CommonSettings.all,
            environment: environment.merging(["JAGA_HOME": home]) { $1 }, service: name.rawValue)
        let start = try #require(
            self.refusal {
                _ = try HostParts(definition, configuration, signals: Signals([]))
            })
        #expect(start.code == "unprotected")
        try check(definition, ["JAGA_CURVE": "never", setting: "127.0.0.1"])
    }

    @Test func `accepts a store whose first start was interrupted`() throws {
        try Files.write([], to: store)
        try check()
    }

    @Test func `rejects a file in place of the folder`() throws {
        #expect(rmdir(home + "/timer") == 0)
        try Files.write([], to: home + "/timer")
        let refusal = try #require(refusal { try check() })
        #expect(refusal.operation == "write to \(home)/timer")
    }

    @Test(arguments: ["restoring", "timer/restoring"], [true, false])
    func `rejects a home or a volume that was partly restored`(
        _ name: String, isFolder: Bool
    ) throws {
        if isFolder { try Files.makeFolder("\(home)/\(name)/timer") }
        // Prepared, but nothing was moved.
        try check()
        try Files.write([], to: "\(home)/\(name)" + (isFolder ? "/contents" : ""))
        let refusal = try #require(refusal { try check() })
        #expect(refusal.code == "restore-unfinished")
        #expect(refusal.message.contains("\(home)/\(name)"))
        let configuration = try Configuration(
            settings: CommonSettings.all, environment: ["JAGA_HOME": home], service: "timer")
        #expect(throws: UnfinishedRestore.self) {
            try HostParts(Stage.definition, configuration, signals: Signals([]))
        }
    }

    @Test func `rejects a home that cannot be created, and leaves no files`() throws {
        try Files.write([], to: folder.file("file"))
        for home in ["/proc", "/proc/none/deeper", folder.file("file"), folder.file("file/home")] {
            let refusal = try #require(
                refusal { try check(Stage.definition, ["JAGA_HOME": home]) }, "\(home)")
            #expect(refusal.operation.contains("\(home)/timer"))
        }
        try check(Stage.definition, ["JAGA_HOME": folder.file("new/home")])
        try check(Stage.definition, ["JAGA_HOME": "new/home"])
        #expect(try Files.names(in: folder.path).sorted() == ["file", "home"])
    }

    @Test func `ignores files that a killed check left behind`() throws {
        let name = ".\(getpid()).trial"
        let other = folder.file("other")
        try Files.makeFolder(other)
        try Files.write([], to: "\(home)/timer/\(name)")
        try Files.makeFolder("\(other)/\(name)")
        try check()
        try check(Stage.definition, ["JAGA_HOME": "\(other)/home"])
        #expect(try Files.names(in: home + "/timer").isEmpty)
        #expect(try Files.names(in: other).isEmpty)
    }

    @Test func `includes the service's check of its store`() throws {
        struct Refused: Error {}
        var definition = Stage.definition
        definition.checkStore = { _, store in
            if try store.hasTable("effect") { throw Refused() }
        }
        try check(definition)
        try Files.write([], to: store)
        try check(definition)
        _ = try Database(path: store, migrations: HostParts.migrations(definition))
        #expect(throws: Refused.self) { try check(definition) }
    }

    @Test func `rejects missing keys if keys are required`() throws {
        let refusal = try #require(
            refusal { try check(Stage.definition, ["JAGA_BIND": "0.0.0.0"]) })
        #expect(refusal.code == "keys-missing")
    }

    @Test func `includes the service's check of its own files`() throws {
        var definition = Stage.definition
        let key = folder.file("secrets")
        definition.check = { _ in try KeyFile.messages(secrets: key).check() }
        try check(definition)
        _ = try KeyFile.messages(secrets: key).loadOrCreate()
        try check(definition)
        #expect(chmod(key + "/message.key", 0o644) == 0)
        #expect(throws: OpenSecret.self) { try check(definition) }
    }
}
