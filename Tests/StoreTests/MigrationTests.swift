import Runtime
import Store
import TestSupport
import Testing

@Suite struct `Migrations` {
    private let first = Migration(number: 1, sql: "CREATE TABLE a (x INTEGER) STRICT")
    private let second = Migration(
        number: 2, sql: "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = 7")

    @Test func `are applied once each, in order, over several versions`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        do {
            let database = try Database(path: path, migrations: [first])
            try database.run("INSERT INTO a VALUES (?)", 1)
        }
        for _ in 0..<2 {
            let database = try Database(path: path, migrations: [first, second])
            #expect(try database.scalar("SELECT y FROM a") == 7)
            #expect(try database.scalar("PRAGMA user_version") == 2)
        }
    }

    @Test func `of another component have their own numbers`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let bus = Migration(number: 1, sql: "CREATE TABLE bus (x INTEGER)", component: "bus")
        let more = Migration(number: 2, sql: "CREATE TABLE bus2 (x INTEGER)", component: "bus")
        _ = try Database(path: path, migrations: [bus, first, second])
        let database = try Database(path: path, migrations: [bus, more, first, second])
        #expect(try database.scalar("SELECT count(*) FROM bus2") == 0)
        #expect(try database.scalar("SELECT count(*) FROM migration") == 4)
    }

    @Test func `that fail leave the store at the previous migration`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let broken = Migration(number: 2, sql: "CREATE TABLE b (x INTEGER); INSERT INTO nowhere")
        #expect(throws: StoreError.self) {
            _ = try Database(path: path, migrations: [first, broken])
        }
        let database = try Database(path: path, migrations: [first])
        #expect(try database.scalar("PRAGMA user_version") == 1)
        #expect(try database.scalar("SELECT count(*) FROM sqlite_schema WHERE name = 'b'") == 0)
    }

    @Test func `unknown to this program prevent the start, with a hint`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        _ = try Database(path: path, migrations: [first, second])
        do {
            _ = try Database(path: path, migrations: [first])
            Issue.record("a newer store was opened")
        } catch {
            #expect(error.code == "newer")
            #expect(error.operation.contains(path))
            #expect(error.message.contains("migration 2"))
            #expect(!error.hint.isEmpty)
        }
    }

    @Test func `leave a copy of the store from before the last upgrade`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let copy = path + ".before-upgrade"
        let third = Migration(number: 3, sql: "DELETE FROM a")
        do {
            let database = try Database(path: path, migrations: [first])
            try database.run("INSERT INTO a VALUES (?)", 1)
            #expect(!Files.exists(copy), "a new store is not an upgrade")
        }
        _ = try Database(path: path, migrations: [first])
        #expect(!Files.exists(copy), "nothing changed")
        _ = try Database(path: path, migrations: [first, second])
        #expect(try Database(path: copy, migrations: [first]).scalar("SELECT x FROM a") == 1)
        for end in ["-wal", "-shm"] { try Files.remove(copy + end) }
        _ = try Database(path: path, migrations: [first, second, third])
        #expect(try Database(path: copy, migrations: nil).scalar("SELECT y FROM a") == 7)
        #expect(try Files.mode(of: copy) == 0o600)
    }

    @Test func `do not start if the copy cannot be made`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        _ = try Database(path: path, migrations: [first])
        // A folder cannot be replaced by a file.
        try Files.makeFolder(path + ".before-upgrade/x")
        let error = #expect(throws: StoreError.self) {
            _ = try Database(path: path, migrations: [first, second])
        }
        #expect(error?.hint.contains("The store is unchanged") == true)
        #expect(!Files.exists(path + ".before-upgrade.new"))
        let database = try Database(path: path, migrations: [first])
        #expect(try database.scalar("PRAGMA user_version") == 1)
    }

    @Test func `are not applied by readers, nor by tools without migrations`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a store?.sqlite")
        let writer = try Database(path: path, migrations: [first, second])
        try writer.run("INSERT INTO a VALUES (1, 2)")
        let reader = try Database(reading: path)
        #expect(try reader.scalar("SELECT y FROM a") == 2)
        #expect(try reader.appliedMigrations() == ["": 2])
        #expect(throws: StoreError.self) { try reader.run("DELETE FROM a") }
        #expect(throws: StoreError.self) { _ = try Database(reading: folder.file("none")) }
        #expect(try reader.integrityProblems() == [])
        try reader.copy(to: folder.file("copy"))
        let still = try Database(reading: folder.file("copy"), isImmutable: true)
        #expect(try still.scalar("SELECT y FROM a") == 2)
        #expect(
            try Set(Files.names(in: folder.path)).isDisjoint(with: ["copy-wal", "copy-shm"]))
    }
}
