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

// MARK: Restoring

extension `A backup` {
    @Test func `restores streams as new incarnations with the same records`() throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        let before = try #require(try head(.ingest, .sos))
        let other = folder.file("other")
        #expect(try restore(copy, into: other) == 0)
        let database = try Database(reading: other + "/ingest/store.sqlite")
        let after = try #require(try SQLiteBusStore(database).extents().first?.head)
        #expect(after.sequence == before.sequence && after.hash == before.hash)
        #expect(after.incarnation != before.incarnation)
        #expect(try SQLiteBusStore(database).acknowledgements() == [])
        #expect(try Files.read(other + "/ingest/photos/abc") == [1, 2, 3])
        #expect(try Files.mode(of: other + "/secrets/devices.key") == 0o600)
        #expect(Files.exists(other + "/jaga.conf") && !Files.exists(other + "/restoring"))
    }

    @Test func `is not restored into a home with stores unless they are moved aside`() throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        try append(7, to: .sos, in: store(.ingest))
        let error = #expect(throws: CommandError.self) { try restore(copy, into: home) }
        #expect(error?.message.contains("ingest/store.sqlite") == true)
        #expect(try head(.ingest, .sos)?.sequence == 12)
        #expect(try restore(copy, "--force", into: home) == 0)
        #expect(try head(.ingest, .sos)?.sequence == 5)
        let aside = try #require(
            try Files.names(in: home).first { $0.hasPrefix("before-restore-") })
        let kept = try Database(reading: "\(home)/\(aside)/ingest/store.sqlite")
        #expect(try SQLiteBusStore(kept).extents().first?.head.sequence == 12)
        #expect(Files.exists("\(home)/\(aside)/secrets/devices.key"))
    }

    @Test func `is not restored into a home in which a service runs`() throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        let other = folder.file("other")
        try Files.makeFolder(other + "/timer", mode: 0o700)
        let lock = try LockFile(path: other + "/timer/lock")
        let error = #expect(throws: CommandError.self) { try restore(copy, into: other) }
        #expect(error?.message.contains("the suite runs") == true)
        #expect(error?.message.contains("\(getpid())") == true)
        withExtendedLifetime(lock) {}
    }

    @Test func `of one service leaves other services unchanged`() throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        let notifier = try head(.notifier, .deliveries)
        #expect(throws: CommandError.self) {
            try restore(copy, "--service", "timer", into: home)
        }
        #expect(throws: CommandError.self) {
            try restore(copy, "--service", "evaluator", into: home)
        }
        #expect(try restore(copy, "--service", "timer", "--force", into: home) == 0)
        #expect(try head(.notifier, .deliveries) == notifier)
        #expect(Files.exists(home + "/secrets/devices.key"))
    }

    @Test func `does not bring back erased people`() throws {
        try makeHome()
        let copy = folder.file("copy")
        let people = (0..<3).map { _ in PersonID(SecureRandom.id()) }
        let time = Timestamp(seconds: 1_800_000_000)
        try ErasedList(home: home).add([people[0]], at: time)
        #expect(try backup(copy) == 0)
        #expect(try backup("verify", copy) == 0)
        try ErasedList(home: home).add([people[1], people[0]], at: time + .seconds(60))
        let list = folder.file("list")
        try ErasedList(path: list).add([people[2]], at: time + .seconds(90))
        #expect(try restore(copy, "--force", "--erased", list, into: home) == 0)
        #expect(try ErasedList(home: home).read().map(\.person) == people)
        #expect(throws: CommandError.self) {
            try restore(copy, "--erased", folder.file("none"), into: folder.file("other"))
        }
    }

    @Test func `is recognised as restored by its service, however recent it is`() throws {
        let databases = try makeHome()
        let now = Timestamp(seconds: 1_800_000_000)
        var lastAlive = LastAlive(databases[0])
        #expect(try lastAlive.begin(at: now, hold: .seconds(600)) == nil)
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        let other = folder.file("other")
        #expect(try restore(copy, into: other) == 0)
        let database = try Database(path: other + "/ingest/store.sqlite", migrations: nil)
        var restored = LastAlive(database)
        let later = now + .seconds(5)
        let outage = Outage(from: now, until: later, holdEnds: later + .seconds(600))
        #expect(try restored.begin(at: later, hold: .seconds(600)) == outage)
        #expect(try restored.begin(at: later + .seconds(599), hold: .seconds(600)) == outage)
        #expect(try restored.begin(at: later + .seconds(601), hold: .seconds(600)) == nil)
    }
}

// MARK: Secrets

extension `A backup` {
    @Test func `reports once per service how many streams differ`() throws {
        let stores = try makeHome()
        let was = Position(incarnation: SecureRandom.id(), sequence: 4, hash: 1)
        let all: [StreamName] = [.deadlines, .sos, .directory]
        for number in [1, 3] {
            for stream in all.prefix(number) {
                try stores[3].transaction {
                    try SQLiteBusStore(stores[3]).saveCursor(was, of: stream)
                }
            }
            let copy = folder.file("copy\(number)")
            #expect(try backup(copy) == 0)
            let check = BackupCheck(folder: copy, secrets: nil)
            let remarks = try check.findings(of: try check.manifest()).remarks
            let which = number == 1 ? "another deadlines than" : "3 other streams than"
            #expect(remarks.count == 1 && remarks[0].hasPrefix("notifier followed \(which)"))
        }
    }

    private func missing(
        _ copy: String, in home: String, services: [JagaCLI.Service]? = nil
    ) throws -> [String] {
        let check = BackupCheck(folder: copy, secrets: nil)
        let manifest = try check.manifest()
        return try Restorer(
            home: home, check: check, manifest: manifest,
            services: services ?? manifest.stores.map(\.service), isWhole: true, isForced: true,
            erased: nil
        ).missingKeys.map(\.path)
    }

    @Test func `reports missing keys that sealed data requires`() throws {
        let stores = try makeHome()
        let (copy, bare) = (folder.file("copy"), folder.file("bare"))
        let other = folder.file("other")
        let keys = ["devices.key", "message.key"].map { "\(other)/secrets/\($0)" }
        #expect(try backup(bare, "--without-secrets") == 0)
        #expect(try missing(bare, in: other) == [keys[1]], "no phone encrypts")
        try stores[0].execute(
            "CREATE TABLE device_key (a INTEGER); INSERT INTO device_key VALUES (1)")
        try Files.removeTree(bare)
        #expect(try backup(bare, "--without-secrets") == 0)
        #expect(try missing(bare, in: other) == keys)
        #expect(try missing(bare, in: other, services: [.timer]) == [])
        #expect(try missing(bare, in: home) == ["\(home)/secrets/message.key"])
        #expect(try backup(copy) == 0)
        #expect(try missing(copy, in: other) == [keys[1]], "the other one is in it")

        // As in deploy/restore: the home has keys only.
        try Files.makeFolder("\(other)/secrets", mode: 0o700)
        for key in keys { try Files.write(Array("key".utf8), to: key, mode: 0o600) }
        #expect(try missing(bare, in: other) == [])
        #expect(try restore(bare, into: other) == 0)
    }

    @Test func `without named secrets keeps those of the home`() throws {
        try makeHome()
        let (copy, safe) = (folder.file("copy"), folder.file("safe"))
        #expect(try backup(copy, "--secrets", safe) == 0)
        #expect(try restore(copy, "--force", into: home) == 0)
        #expect(try Files.read(home + "/secrets/devices.key") == Array("key".utf8))
    }
}

// MARK: Interrupted

extension `A backup` {
    private struct Cut: Error {}

    /// Restores a backup over an existing home, and is interrupted before one of its moves.
    ///
    /// - Returns: whether it completed before that
    private func restore(_ copy: String, cutBefore number: Int) throws -> Bool {
        let check = BackupCheck(folder: copy, secrets: nil)
        let manifest = try check.manifest()
        var moves = 0
        let restorer = Restorer(
            home: home, check: check, manifest: manifest,
            services: manifest.stores.map(\.service), isWhole: true, isForced: true, erased: nil,
            willMove: { _ in
                if moves == number { throw Cut() }
                moves += 1
            })
        do { _ = try restorer.restore() } catch is Cut { return false }
        return true
    }

    @Test func `restored partially prevents any start until it is restored again`() throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        var number = 0
        while try !restore(copy, cutBefore: number) {
            number += 3
            let refused = #expect(throws: UnfinishedRestore.self) {
                try UnfinishedRestore.refuse(home: home)
            }
            #expect(refused?.message.contains("\(home)/restoring") == true)
            #expect(refused?.hint.contains("jaga restore DIR --force") == true)
            let up = #expect(throws: UnfinishedRestore.self) {
                try Up.run(Call(["--home", home], of: Up.syntax, environment: [:]))
            }
            #expect(up?.hint == refused?.hint)
            // A partial restore is rejected.
            let less = #expect(throws: CommandError.self) {
                try restore(copy, "--service", "timer", "--force", into: home)
            }
            #expect(less?.message.contains("ingest") == true)

            #expect(try restore(copy, "--force", into: home) == 0)
            try UnfinishedRestore.refuse(home: home)
            #expect(try Files.names(in: home).allSatisfy { !$0.hasPrefix("restoring") })
            #expect(try head(.ingest, .sos)?.sequence == 5)
            #expect(try head(.notifier, .deliveries)?.sequence == 5)
            #expect(try Files.read(home + "/secrets/devices.key") == Array("key".utf8))
            #expect(try Files.read(home + "/ingest/photos/abc") == [1, 2, 3])
        }
        #expect(number >= 10, "stores, photos and secrets go one by one")
    }

    @Test(arguments: ["restoring.draft", "restoring"])
    func `cut off before anything was moved leaves a home that starts`(_ name: String) throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        // The second is the draft of an earlier version.
        try Files.makeFolder("\(home)/\(name)/timer")
        try Files.write([1], to: "\(home)/\(name)/timer/left")
        try UnfinishedRestore.refuse(home: home)
        #expect(try !restore(copy, cutBefore: 0))
        #expect(Files.exists(home + "/restoring/contents"))
        #expect(!Files.exists(home + "/restoring/timer/left"))
        #expect(try restore(copy, "--force", into: home) == 0)
        #expect(try Files.names(in: home).allSatisfy { !$0.hasPrefix("restoring") })
        #expect(!Files.exists(home + "/timer/left"))
    }

    @Test func `is not made of a partially restored home`() throws {
        try makeHome()
        let copy = folder.file("copy")
        #expect(try backup(copy) == 0)
        #expect(try !restore(copy, cutBefore: 3))
        let other = folder.file("other")
        let refused = #expect(throws: UnfinishedRestore.self) { try backup(other) }
        #expect(refused?.operation == "make a backup of \(home)")
        #expect(try restore(copy, "--force", into: home) == 0)
        #expect(try backup(other) == 0)
        // The mark of a volume whose store is missing.
        try Files.write([], to: home + "/timer/restoring")
        try Files.remove(home + "/timer/store.sqlite")
        #expect(throws: UnfinishedRestore.self) { try backup(folder.file("third")) }
        #expect(!Files.exists(folder.file("third")))
    }
}
