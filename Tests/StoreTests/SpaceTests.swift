import Store
import TestSupport
import Testing

@Suite struct `Free space in a store` {
    private func filled(_ folder: TemporaryFolder) throws -> Database {
        let sql = "CREATE TABLE thing (id INTEGER PRIMARY KEY, text BLOB) STRICT"
        let database = try Database(
            path: folder.file("store.sqlite"), migrations: [Migration(number: 1, sql: sql)])
        try database.transaction {
            for id in 0..<8000 {
                let bytes = [UInt8](repeating: 7, count: 4000)
                try database.run("INSERT INTO thing VALUES (?, ?)", .integer(id), .blob(bytes))
            }
        }
        return database
    }

    private func pages(_ database: Database) throws -> Int64 {
        guard case .integer(let count) = try database.scalar("PRAGMA page_count") else { return 0 }
        return count
    }

    @Test func `is reused before the file grows`() throws {
        let folder = try TemporaryFolder()
        let database = try filled(folder)
        let before = try pages(database)
        for round in 1...3 {
            try database.transaction {
                try database.run("DELETE FROM thing WHERE id % 4 = 0")
                for id in stride(from: 0, to: 8000, by: 4) {
                    let bytes = [UInt8](repeating: UInt8(round), count: 4000)
                    try database.run("INSERT INTO thing VALUES (?, ?)", .integer(id), .blob(bytes))
                }
            }
            #expect(try !database.reclaimSpace())
        }
        #expect(try pages(database) <= before + before / 20)
    }

    @Test func `is returned a little at a time when much of the file is free`() throws {
        let folder = try TemporaryFolder()
        let database = try filled(folder)
        let before = try pages(database)
        try database.run("DELETE FROM thing WHERE id >= 100 AND id < 7900")
        try database.begin()
        #expect(try database.reclaimSpace())
        try database.commit()
        #expect(try pages(database) == before - 32)
        var portions = 1
        while try database.reclaimSpace() { portions += 1 }
        #expect(portions > 50)
        #expect(try pages(database) < before * 7 / 10)
        #expect(
            try database.scalar("SELECT sum(id) FROM thing WHERE text IS NOT NULL")
                == .integer((0..<100).reduce(0, +) + (7900..<8000).reduce(0, +)))
        #expect(try database.scalar("PRAGMA integrity_check") == "ok")
    }
}
