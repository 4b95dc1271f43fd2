import Glibc
import Runtime
import TestSupport
import Testing

@testable import Store

@Suite struct `When the disk or another process fails` {
    private static let layout = [
        Migration(number: 1, sql: "CREATE TABLE t (a INTEGER, b BLOB) STRICT")
    ]

    private func failure(_ body: () throws -> Void) -> StoreError? {
        do { try body() } catch { return error as? StoreError }
        return nil
    }

    @Test func `a full store fails, keeps its data, and continues when there is space`() throws {
        let folder = try TemporaryFolder()
        let database = try Database(
            path: folder.file("store.sqlite"), migrations: Self.layout)
        try database.run("INSERT INTO t VALUES (?, ?)", 0, nil)
        _ = try database.scalar("PRAGMA max_page_count = 20")
        let error = try #require(
            failure {
                try database.transaction {
                    for number in 1...100 {
                        try database.run(
                            "INSERT INTO t VALUES (?, zeroblob(4000))", .integer(number))
                    }
                }
            })
        #expect(error.code == "disk-full")
        #expect(error.hint.contains("Free space"))
        #expect(!database.isInTransaction)
        #expect(try database.all("SELECT a FROM t") { $0.int(0) } == [0])
        _ = try database.scalar("PRAGMA max_page_count = 1000")
        try database.transaction { try database.run("INSERT INTO t VALUES (?, ?)", 1, nil) }
        #expect(try database.scalar("SELECT count(*) FROM t") == 2)
    }

    @Test func `a file that cannot grow fails the same way, and loses nothing committed`() async {
        await #expect(processExitsWith: .exitCode(9)) {
            let folder = try TemporaryFolder()
            let path = folder.file("store.sqlite")
            let layout = [Migration(number: 1, sql: "CREATE TABLE t (a INTEGER, b BLOB) STRICT")]
            let database = try Database(path: path, migrations: layout)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(1), &limit)
            limit.rlim_cur = 400_000
            setrlimit(__rlimit_resource_t(1), &limit)
            var committed = 0
            do {
                for number in 0..<1000 {
                    try database.begin()
                    try database.run("INSERT INTO t VALUES (?, zeroblob(4000))", .integer(number))
                    try database.commit()
                    committed += 1
                }
                exit(1)
            } catch {
                database.rollback()
                guard (error as? StoreError)?.code == "disk-full" else { exit(2) }
            }
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(1), &limit)
            try database.transaction { try database.run("INSERT INTO t VALUES (?, ?)", -1, nil) }
            let again = try Database(path: path, migrations: layout)
            let count = try again.scalar("SELECT count(*) FROM t")
            exit(committed > 10 && count == .integer(committed + 1) ? 9 : 3)
        }
    }

    @Test func `a store that another process writes to is locked`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let first = try Database(path: path, migrations: Self.layout)
        let second = try Database(path: path, migrations: Self.layout)
        try first.begin()
        #expect(failure { try second.begin() }?.code == "locked")
        #expect(!second.isInTransaction)
        first.rollback()
        try second.begin()
        second.rollback()
    }

    @Test func `a damaged file is reported`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try Files.write(Array(repeating: 0x2A, count: 8192), to: path)
        let error = failure { _ = try Database(path: path, migrations: Self.layout) }
        #expect(error?.code == "corrupt")
        #expect(error?.operation == "open store \(path)")
        #expect(error?.hint.contains("backup") == true)
    }

    @Test func `a database of another application is not changed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("other.sqlite")
        do {
            let other = try Database(path: path, migrations: Self.layout)
            try other.execute("PRAGMA application_id = 77")
        }
        #expect(
            failure { _ = try Database(path: path, migrations: Self.layout) }?.code == "foreign")
    }

    @Test func `a missing folder cannot be opened`() {
        let error = failure { _ = try Database(path: "/nowhere/store.sqlite", migrations: []) }
        #expect(error?.code == "cannot-open")
        #expect(error?.operation.contains("/nowhere/store.sqlite") == true)
    }
}
