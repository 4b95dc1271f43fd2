import Glibc
import Runtime
import TestSupport
import Testing

@testable import Store

@Suite struct `The write-ahead log with a checkpoint thread` {
    private static let layout = [
        Migration(number: 1, sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT")
    ]
    /// A megabyte per transaction.
    private static let insertion = "INSERT INTO t VALUES (?, zeroblob(1000000))"

    private func bytes(of path: String) -> Int {
        var file = stat()
        return stat(path, &file) == 0 ? Int(file.st_size) : 0
    }

    /// A store with six megabytes, written with a checkpoint thread.
    private func filled(at path: String) throws -> Database {
        let database = try Database(path: path, migrations: Self.layout)
        try database.startCheckpointThread()
        for number in 1...6 {
            try database.transaction { try database.run(Self.insertion, .integer(number)) }
        }
        return database
    }

    @Test func `never grows far beyond its limit, and loses nothing`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        var longest = 0
        do {
            let database = try Database(path: path, migrations: Self.layout)
            try database.startCheckpointThread()
            for number in 1...60 {
                try database.transaction { try database.run(Self.insertion, .integer(number)) }
                longest = max(longest, bytes(of: path + "-wal"))
            }
        }
        #expect(longest > 0)
        #expect(longest < Checkpointer.bytesMax + 3_000_000)
        let again = try Database(path: path, migrations: Self.layout)
        #expect(try again.scalar("SELECT count(*) FROM t") == 60)
        #expect(try again.integrityProblems() == [])
    }

    @Test func `is moved by the thread, long before a commit would have to`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let database = try filled(at: path)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        // Six megabytes are below the limit for commits.
        while bytes(of: path) < 3_000_000, clock.now < end { usleep(1000) }
        #expect(bytes(of: path) >= 3_000_000)
        // Closing the store would move them, too.
        withExtendedLifetime(database) {}
    }

    @Test func `waits for readers, and continues after them`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let database = try Database(path: path, migrations: Self.layout)
        try database.startCheckpointThread()
        try database.transaction { try database.run(Self.insertion, 0) }
        let reader = try Database(reading: path)
        var count = 1
        try reader.rows("SELECT a FROM t") { _ in
            for _ in 1...20 {
                try database.transaction { try database.run(Self.insertion, .integer(count)) }
                count += 1
            }
        }
        #expect(bytes(of: path + "-wal") > Checkpointer.bytesMax)
        // A commit that finds the log completely moved restarts and truncates it.
        for _ in 1...6 {
            try database.transaction { try database.run(Self.insertion, .integer(count)) }
            count += 1
        }
        #expect(bytes(of: path + "-wal") <= Database.journalBytesMax)
        #expect(try reader.scalar("SELECT count(*) FROM t") == .integer(count))
    }

    @Test func `in a file that cannot grow fails the transaction, and loses nothing`() async {
        await #expect(processExitsWith: .exitCode(9)) {
            let folder = try TemporaryFolder()
            let path = folder.file("store.sqlite")
            let layout = [
                Migration(number: 1, sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT")
            ]
            let insertion = "INSERT INTO t VALUES (?, zeroblob(1000000))"
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(1), &limit)
            limit.rlim_cur = 12_000_000
            setrlimit(__rlimit_resource_t(1), &limit)
            var committed = 0
            do {
                let database = try Database(path: path, migrations: layout)
                try database.startCheckpointThread()
                do {
                    for number in 0..<100 {
                        try database.transaction { try database.run(insertion, .integer(number)) }
                        committed += 1
                    }
                    exit(1)
                } catch {
                    guard (error as? StoreError)?.code == "disk-full" else { exit(2) }
                }
                limit.rlim_cur = limit.rlim_max
                setrlimit(__rlimit_resource_t(1), &limit)
                try database.transaction { try database.run(insertion, -1) }
            }
            let again = try Database(path: path, migrations: layout)
            let count = try again.scalar("SELECT count(*) FROM t")
            let isWhole = try again.integrityProblems().isEmpty
            exit(committed > 5 && count == .integer(committed + 1) && isWhole ? 9 : 3)
        }
    }

    @Test func `contains no deleted data after being truncated`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let database = try filled(at: path)
        database.truncateLogAfterCommit()
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        repeat {
            try database.transaction { try database.run("DELETE FROM t WHERE a = 1") }
            // Until the thread has finished its checkpoint.
            usleep(1000)
        } while bytes(of: path + "-wal") > 0 && clock.now < end
        #expect(bytes(of: path + "-wal") == 0)
    }
}
