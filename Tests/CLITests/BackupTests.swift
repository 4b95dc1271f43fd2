import Bus
import Foundation
import Model
import Runtime
import Store
import TestSupport
import Testing
import Wire

@testable import Hosting
@testable import JagaCLI

@Suite struct `A backup` {
    let folder: TemporaryFolder
    let home: String

    init() throws {
        folder = try TemporaryFolder()
        home = folder.file("home")
    }

    // MARK: A home with stores

    func path(_ service: JagaCLI.Service) -> String { "\(home)/\(service.rawValue)/store.sqlite" }

    func store(_ service: JagaCLI.Service) throws -> Database {
        try Files.makeFolder("\(home)/\(service.rawValue)", mode: 0o700)
        return try Database(
            path: path(service), migrations: SQLiteBusStore.migrations + [LastAlive.migration])
    }

    /// Stores with streams of some records.
    @discardableResult
    func makeHome(records: Int = 5) throws -> [Database] {
        let streams: [(JagaCLI.Service, StreamName)] = [
            (.ingest, .sos), (.membership, .directory), (.timer, .deadlines),
            (.notifier, .deliveries),
        ]
        let databases = try streams.map { service, stream in
            let database = try store(service)
            try append(records, to: stream, in: database)
            return database
        }
        try Files.makeFolder("\(home)/secrets", mode: 0o700)
        try Files.write(Array("key".utf8), to: "\(home)/secrets/devices.key", mode: 0o600)
        try Files.write(Array("JAGA_LOG_LEVEL=info\n".utf8), to: "\(home)/jaga.conf")
        try Files.makeFolder("\(home)/ingest/photos", mode: 0o700)
        try Files.write([1, 2, 3], to: "\(home)/ingest/photos/abc", mode: 0o600)
        return databases
    }

    func append(_ count: Int, to stream: StreamName, in database: Database) throws {
        let bus = SQLiteBusStore(database)
        var end = try bus.open(stream) { SecureRandom.id() }.1
        try database.transaction {
            for number in 0..<count {
                let record = Record(
                    kind: 1, schema: 1, id: SecureRandom.id(), payload: [UInt8(number)])
                end = end.advanced(by: record)
                try bus.append(record, at: end, of: stream, now: .zero)
            }
        }
    }

    func head(_ service: JagaCLI.Service, _ stream: StreamName) throws -> Position? {
        try SQLiteBusStore(Database(reading: path(service))).extents()
            .first { $0.stream == stream }?.head
    }

    // MARK: Commands

    func backup(_ words: String...) throws -> Int32 {
        try BackupCommand.run(
            Call(words + ["--home", home], of: BackupCommand.syntax, environment: [:]))
    }

    func restore(_ words: String..., into home: String) throws -> Int32 {
        try RestoreCommand.run(
            Call(words + ["--home", home], of: RestoreCommand.syntax, environment: [:]))
    }

    private func spoil(_ path: String, at place: Int) throws {
        var bytes = try Files.read(path)
        bytes[place] ^= 0xFF
        try Files.write(bytes, to: path)
    }

    // MARK: Tests

    @Test func `copies stores in use, photos and secrets, for its owner only`() throws {
        let open = try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        #expect(try backup("verify", copy) == 0)
        #expect(try Files.mode(of: copy) == 0o700)
        let names = try Files.tree(copy)
        #expect(
            names == [
                "ingest/photos/abc", "ingest/store.sqlite", "jaga.conf", "manifest.json",
                "membership/store.sqlite", "notifier/store.sqlite", "secrets/devices.key",
                "timer/store.sqlite",
            ])
        for name in names { #expect(try Files.mode(of: "\(copy)/\(name)") == 0o600, "\(name)") }
        #expect(!Files.exists(copy + ".partial"))
        withExtendedLifetime(open) {}
    }

    @Test func `copies stores of readers before those of the services that keep the streams`()
        throws
    {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        let stores = try BackupCheck(folder: copy, secrets: nil).manifest().stores
        #expect(stores.map(\.service) == [.notifier, .timer, .ingest, .membership])
        #expect(stores.map(\.copied) == stores.map(\.copied).sorted())
    }

    @Test func `is never written into an existing folder`() throws {
        try makeHome()
        let error = #expect(throws: CommandError.self) { try backup(folder.path) }
        #expect(error?.message.contains("already exists") == true)
        #expect(throws: CommandError.self) { try backup("verify", folder.path) }
        #expect(throws: CommandError.self) { try backup("check", folder.path) }
    }

    @Test(arguments: [["verify"], ["verify", "--without-secrets"]])
    func `is never one that is called verify`(_ words: [String]) throws {
        try makeHome()
        let error = #expect(throws: CommandError.self) {
            try BackupCommand.run(
                Call(words + ["--home", home], of: BackupCommand.syntax, environment: [:]))
        }
        #expect(error?.status == 2)
        #expect(error?.description.contains("./verify") == true)
        #expect(!Files.exists("verify"))
    }

    @Test func `that fails leaves nothing`() throws {
        try makeHome()
        try Files.write([1, 2, 3], to: path(.membership))
        let copy = folder.file("copy")
        #expect(throws: (any Error).self) { try backup(copy) }
        #expect(!Files.exists(copy) && !Files.exists(copy + ".partial"))
    }

    @Test func `that was interrupted is restarted`() throws {
        try makeHome()
        let copy = folder.file("copy")
        try Files.makeFolder(copy + ".partial/notifier", mode: 0o700)
        try Files.write([1], to: copy + ".partial/notifier/store.sqlite")
        let error = #expect(throws: CommandError.self) { try backup("verify", copy + ".partial") }
        #expect(error?.hint.contains("not finished") == true)
        #expect(try backup(copy) == 0)
        #expect(try backup("verify", copy) == 0)
    }

    @Test func `stores its secrets elsewhere, or omits them`() throws {
        try makeHome()
        let (copy, secrets) = (folder.file("copy"), folder.file("safe"))
        #expect(try backup(copy, "--secrets", secrets) == 0)
        #expect(!Files.exists(copy + "/secrets") && Files.exists(secrets + "/secrets/devices.key"))
        #expect(try backup("verify", copy, "--secrets", secrets) == 0)
        let other = folder.file("other")
        #expect(throws: CommandError.self) { try restore(copy, into: other) }
        #expect(try restore(copy, "--secrets", secrets, into: other) == 0)
        #expect(try Files.read(other + "/secrets/devices.key") == Array("key".utf8))
        try spoil(secrets + "/secrets/devices.key", at: 0)
        #expect(try backup("verify", copy, "--secrets", secrets) == 1)

        let bare = folder.file("bare")
        #expect(try backup(bare, "--without-secrets") == 0)
        #expect(!Files.exists(bare + "/secrets") && !Files.exists(bare + "/jaga.conf"))
        #expect(throws: CommandError.self) {
            try backup(folder.file("x"), "--without-secrets", "--secrets", secrets)
        }
    }

    @Test(arguments: ["timer/store.sqlite", "ingest/photos/abc", "secrets/devices.key"])
    func `with a damaged or missing file is not whole`(_ name: String) throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        try spoil("\(copy)/\(name)", at: 1)
        #expect(try backup("verify", copy) == 1)
        try Files.remove("\(copy)/\(name)")
        #expect(try backup("verify", copy) == 1)
        let other = folder.file("other")
        #expect(throws: CommandError.self) { try restore(copy, into: other) }
        #expect(!Files.exists(other))
    }

    @Test(arguments: ["attendance", "", "later"])
    func `with a store of a newer version is refused before anything is moved`(
        _ component: String
    ) throws {
        let stores = try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        #expect(try restore(copy, into: folder.file("other")) == 0)
        try stores[2].run("INSERT INTO migration VALUES (?, 99)", .text(component))
        let newer = folder.file("newer")
        #expect(try backup(newer) == 0)
        let error = #expect(throws: CommandError.self) { try backup("verify", newer) }
        #expect(error?.message.contains("timer's store in the backup was written by") == true)
        #expect(throws: CommandError.self) { try restore(newer, "--force", into: home) }
        #expect(try Files.names(in: home).filter { $0.hasPrefix("before-restore") }.isEmpty)
    }

    @Test func `whose store has another chain or other positions is damaged`()
        throws
    {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        let check = BackupCheck(folder: copy, secrets: nil)
        func change(_ script: String) throws -> [String] {
            let path = copy + "/timer/store.sqlite"
            let kept = try Files.read(path)
            defer { try? Files.write(kept, to: path) }
            try Database(path: path, migrations: nil).execute(script)
            // Digests would reveal it, so the manifest is adapted.
            var manifest = try check.manifest()
            let file = try BackupMaker.describe("timer/store.sqlite", in: copy)
            for index in manifest.stores.indices where manifest.stores[index].service == .timer {
                manifest.stores[index].file = file
            }
            return try check.findings(of: manifest).faults
        }
        #expect(try change("SELECT 1") == [])
        #expect(
            try change(
                "UPDATE outbox SET payload = x'FF' WHERE rowid = (SELECT min(place) + 2 "
                    + "FROM outbox)")
                == ["timer's store: deadlines has a wrong hash at 3"])
        #expect(
            try change("DELETE FROM outbox WHERE place = (SELECT max(place) FROM outbox)")
                == ["timer's store has other positions than the manifest"])
        #expect(
            try change("INSERT INTO migration VALUES ('bus', 99)")
                == ["timer's store has another layout than the manifest"])
    }

    @Test func `reports readers that are ahead or followed another stream`() throws {
        try makeHome()
        let copy = folder.file("copy")
        let end = try #require(try head(.timer, .deadlines))
        func cursor(_ sequence: UInt64, _ hash: UInt64) throws {
            let database = try Database(path: path(.ingest), migrations: nil)
            try database.transaction {
                try SQLiteBusStore(database).saveCursor(
                    Position(incarnation: end.incarnation, sequence: sequence, hash: hash),
                    of: .deadlines)
            }
        }
        try cursor(end.sequence + 3, 1)
        #expect(try backup(copy) == 0)
        let check = BackupCheck(folder: copy, secrets: nil)
        let ahead = try check.findings(of: try check.manifest())
        #expect(ahead.faults == [] && ahead.remarks.count == 1)
        #expect(ahead.remarks.first?.contains("3 records ahead") == true)
        try cursor(end.sequence, end.hash ^ 1)
        let other = folder.file("other")
        #expect(try backup(other) == 0)
        #expect(try backup("verify", other) == 1)
    }

    @Test func `of a newer version, and a folder without a backup, are rejected`() throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        var manifest = try BackupCheck(folder: copy, secrets: nil).manifest()
        manifest.version = "99.0.1"
        try Files.write(manifest.json.serialized(), to: copy + "/manifest.json")
        let error = #expect(throws: CommandError.self) { try backup("verify", copy) }
        #expect(error?.message.contains("99.0.1") == true)
        try Files.write(Array(#"{"format":2}"#.utf8), to: copy + "/manifest.json")
        #expect(throws: CommandError.self) { try backup("verify", copy) }
        try Files.write(Array("{".utf8), to: copy + "/manifest.json")
        #expect(throws: CommandError.self) { try backup("verify", copy) }
    }

    @Test func `must not name files outside of its folder`() throws {
        for path in ["../x", "/etc/passwd", "a//b", "a/../../b", "."] {
            #expect(throws: Unreadable.self) {
                try Manifest.File(["path": .string(path), "bytes": 1, "sha256": ""])
            }
        }
    }

    @Test func `with a missing field in its manifest is rejected with the field`() throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        let manifest = try BackupCheck(folder: copy, secrets: nil).manifest()
        #expect(try Manifest(manifest.json) == manifest)
        for field in ["began", "stores", "secrets", "files"] {
            let rest = manifest.json.object?.filter { $0.key != field } ?? []
            let error = #expect(throws: CommandError.self) { try Manifest(.object(rest)) }
            #expect(error?.message.contains(field) == true)
        }
    }
}
