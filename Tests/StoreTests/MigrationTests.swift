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

    @Test func `of another component keep their own numbers`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let bus = Migration(number: 1, sql: "CREATE TABLE bus (x INTEGER)", component: "bus")
        let more = Migration(number: 2, sql: "CREATE TABLE bus2 (x INTEGER)", component: "bus")
        _ = try Database(path: path, migrations: [bus, first, second])
        let database = try Database(path: path, migrations: [bus, more, first, second])
        #expect(try database.scalar("SELECT count(*) FROM bus2") == 0)
        #expect(try database.scalar("SELECT count(*) FROM migration") == 4)
    }

    @Test func `that fail leave the store at the step before`() throws {
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

    @Test func `unknown to this program stop it, with the way out`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        _ = try Database(path: path, migrations: [first, second])
        do {
            _ = try Database(path: path, migrations: [first])
            Issue.record("a newer store was opened")
        } catch {
            #expect(error.code == "newer")
            #expect(error.operation.contains(path))
            #expect(error.message.contains("step 2"))
            #expect(!error.hint.isEmpty)
        }
    }
}
