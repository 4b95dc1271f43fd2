import Glibc
import Model
import Runtime
import Store
import TestSupport
import Testing

@Suite struct `A store` {
    private func memory() throws -> Database {
        try Database(
            path: ":memory:",
            migrations: [
                Migration(
                    number: 1,
                    sql: """
                        CREATE TABLE thing (id BLOB PRIMARY KEY, name TEXT, size REAL, at INTEGER)
                            STRICT
                        """)
            ])
    }

    @Test func `returns what was stored`() throws {
        let database = try memory()
        let id = PersonID(ID128(high: 1, low: 2))
        let time = Timestamp(milliseconds: 1_700_000_000_123)
        try database.run(
            "INSERT INTO thing VALUES (?, ?, ?, ?)", .id(id), "Zoë\u{0}!", .real(0.1), .time(time))
        let found = try database.first("SELECT id, name, size, at FROM thing") { row in
            let found: PersonID = row.id(0)
            return (found, row.text(1), row.real(2), row.time(3))
        }
        let row = try #require(found)
        #expect(row == (id, "Zoë\u{0}!", 0.1, time))
        #expect(database.lastChanges == 1)
    }

    @Test func `is accessible to its owner only, whatever mode it or its folder has`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let before = umask(0)
        defer { umask(before) }
        chmod(folder.path, 0o777)
        for round in 0..<2 {
            let database = try Database(
                path: path,
                migrations: [Migration(number: 1, sql: "CREATE TABLE a (b TEXT) STRICT")])
            try database.transaction { try database.run("INSERT INTO a VALUES ('b')") }
            for end in ["", "-wal", "-shm"] {
                #expect(try Files.mode(of: path + end) == 0o600, "\(end) in round \(round)")
            }
            // As left by an older version or a manual copy.
            chmod(path, 0o644)
        }
    }

    @Test func `runs a prepared statement repeatedly`() throws {
        let database = try memory()
        let insert = try database.preparedStatement("INSERT INTO thing VALUES (?, ?, ?, ?)")
        for number in 1...3 as ClosedRange<UInt64> {
            insert.bind(ID128(high: 7, low: number))
            insert.bind(nil as Int64?)
            insert.bind(nil as Int32?)
            insert.bind(number == 2 ? nil : Int64(number))
            try insert.run()
            #expect(insert.lastChanges == 1)
        }
        let rows = try database.all("SELECT id, at FROM thing ORDER BY id") { row in
            (row.id(0) as ID128).low * 10 + UInt64(row.int64(1))
        }
        #expect(rows == [11, 20, 33])
        insert.bind(ID128(high: 7, low: 1))
        for _ in 0..<3 { insert.bind(nil as Int64?) }
        #expect(throws: StoreError.self) { try insert.run() }
        insert.bind([UInt8](repeating: 1, count: 3))
        for _ in 0..<3 { insert.bind(nil as Int64?) }
        try insert.run()
        #expect(try database.scalar("SELECT count(*) FROM thing") == .integer(4))
    }

    @Test func `clamps integers to the range of a column`() {
        #expect(Value.integer(UInt64.max) == .integer(.max))
        #expect(Value.integer(UInt64(1) << 63) == .integer(.max))
        #expect(Value.integer(UInt64(Int64.max)) == .integer(.max))
        #expect(Value.integer(Int8.min) == .integer(-128))
    }

    @Test func `distinguishes null from empty`() throws {
        let database = try memory()
        try database.run("INSERT INTO thing VALUES (?, ?, ?, ?)", .blob([]), "", nil, 0)
        _ = try database.first("SELECT id, name, size, at FROM thing") { row in
            #expect(!row.isNull(0) && row.blob(0) == [])
            #expect(row.optionalText(1) == "")
            #expect(row.optionalText(2) == nil && row.isNull(2) && row.value(2) == .null)
            #expect(row.optionalInt64(3) == 0)
        }
        #expect(try database.first("SELECT id FROM thing WHERE at = 1") { _ in 1 } == nil)
        #expect(try database.scalar("SELECT count(*) FROM thing") == 1)
    }

    @Test func `runs the same statement within itself`() throws {
        let database = try memory()
        for size in 1...3 {
            try database.run(
                "INSERT INTO thing (id, size) VALUES (?, ?)", .blob([UInt8(size)]),
                .real(Double(size)))
        }
        let sql = "SELECT size FROM thing ORDER BY size"
        var pairs: [[Double]] = []
        try database.rows(sql) { outer in
            let size = outer.real(0)
            pairs += try database.all(sql) { [size, $0.real(0)] }
        }
        #expect(pairs.count == 9)
        #expect(pairs.last == [3, 3])
    }

    @Test func `leaves a result early without harm`() throws {
        struct EnoughRows: Error {}
        let database = try memory()
        for size: UInt8 in 1...3 {
            try database.run("INSERT INTO thing (id) VALUES (?)", .blob([size]))
        }
        #expect(throws: EnoughRows.self) {
            try database.rows("SELECT id FROM thing") { _ in throw EnoughRows() }
        }
        try database.transaction { try database.run("DELETE FROM thing") }
        #expect(try database.scalar("SELECT count(*) FROM thing") == 0)
    }

    @Test func `rolls back a transaction that fails`() throws {
        let database = try memory()
        #expect(throws: StoreError.self) {
            try database.transaction {
                try database.run("INSERT INTO thing (id) VALUES (?)", .blob([1]))
                try database.run("INSERT INTO thing (id) VALUES (?)", .blob([1]))
            }
        }
        #expect(!database.isInTransaction)
        #expect(try database.scalar("SELECT count(*) FROM thing") == 0)
    }

    @Test func `explains a violated constraint without showing the values`() throws {
        let database = try memory()
        try database.run("INSERT INTO thing (id, name) VALUES (?, ?)", .blob([1]), "secret")
        do {
            try database.run("INSERT INTO thing (id, name) VALUES (?, ?)", .blob([1]), "secret")
            Issue.record("a second row with the same key")
        } catch {
            #expect(error.code == "constraint")
            #expect(error.operation == "INSERT INTO thing (id, name) VALUES (?, ?)")
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func `discards what was not committed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let migrations = [Migration(number: 1, sql: "CREATE TABLE t (a INTEGER) STRICT")]
        do {
            let database = try Database(path: path, migrations: migrations)
            try database.transaction { try database.run("INSERT INTO t VALUES (?)", 1) }
            try database.begin()
            try database.run("INSERT INTO t VALUES (?)", 2)
        }
        let database = try Database(path: path, migrations: migrations)
        #expect(try database.all("SELECT a FROM t") { $0.int(0) } == [1])
    }

    @Test func `is durable and bounded as documented`() throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("store.sqlite"), migrations: [])
        #expect(try database.scalar("PRAGMA journal_mode") == "wal")
        #expect(try database.scalar("PRAGMA synchronous") == 2)
        #expect(try database.scalar("PRAGMA foreign_keys") == 1)
        #expect(try database.scalar("PRAGMA wal_autocheckpoint") == 1000)
        #expect(try database.scalar("PRAGMA journal_size_limit") == 16_777_216)
    }
}
