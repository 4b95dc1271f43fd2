import Glibc
import Model
import TestSupport
import Testing

@testable import Runtime

@Suite struct `The clock of a process` {
    private final class Machine {
        var wall: Int64 = 1_700_000_000_000_999_999
        var boot: Int64 = 5_000_000_000
        func pass(seconds: Int64) {
            wall += seconds * 1_000_000_000
            boot += seconds * 1_000_000_000
        }
        func step(seconds: Int64) { wall += seconds * 1_000_000_000 }
    }

    @Test func `shows whole milliseconds and advances with the time since boot`() {
        let machine = Machine()
        let clock = SystemClock { (machine.wall, machine.boot) }
        #expect(clock.now == Timestamp(milliseconds: 1_700_000_000_000))
        machine.pass(seconds: 7)
        #expect(clock.now == Timestamp(milliseconds: 1_700_000_007_000))
        #expect(clock.monotonic == .seconds(7))
    }

    @Test func `reports each jump of the wall clock once and does not follow it`() {
        let machine = Machine()
        let clock = SystemClock { (machine.wall, machine.boot) }
        machine.step(seconds: 4)
        #expect(clock.wallJump() == nil)
        machine.step(seconds: -3604)
        machine.pass(seconds: 10)
        #expect(clock.wallJump() == .seconds(-3600))
        #expect(clock.wallJump() == nil)
        #expect(clock.now == Timestamp(milliseconds: 1_700_000_010_000))
        machine.step(seconds: 3600)
        #expect(clock.wallJump() == .seconds(3600))
    }

    @Test func `uses the machine's clock by default`() {
        let difference = SystemClock().now - Timestamp(seconds: Int64(time(nil)))
        #expect(difference > .seconds(-5) && difference < .seconds(5))
    }
}

@Suite struct `Random bytes` {
    @Test func `have the requested count and never repeat`() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(1000).count == 1000)
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
        #expect(Set((0..<1000).map { _ in SecureRandom.id() }).count == 1000)
        #expect(Set(SecureRandom.bytes(10_000)).count > 200)
    }
}

@Suite struct `A lock file` {
    @Test func `excludes a second process and names the first`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lock")
        var lock: LockFile? = try LockFile(path: path)
        do {
            _ = try LockFile(path: path)
            Issue.record("a second lock was acquired")
        } catch {
            #expect(error.code == "locked")
            #expect(error.description.contains("process \(getpid())"))
            #expect(error.description.contains(path))
        }
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try LockFile(path: path)
    }

    @Test func `needs its folder`() {
        #expect(throws: SystemError.self) { _ = try LockFile(path: "/nowhere/lock") }
    }
}

@Suite struct `A file` {
    @Test func `is replaced atomically, with its mode, without leftovers`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("token")
        try Files.write([1, 2, 3], to: path, mode: 0o600)
        try Files.write([4], to: path, mode: 0o600)
        #expect(try Files.read(path) == [4])
        var status = stat()
        stat(path, &status)
        #expect(status.st_mode & 0o777 == 0o600)
        let listing = try #require(opendir(folder.path))
        var count = 0
        while readdir(listing) != nil { count += 1 }
        closedir(listing)
        #expect(count == 3)
    }

    @Test func `larger than allowed is rejected`() throws {
        let folder = try TemporaryFolder()
        try Files.write(Array(repeating: 0, count: 200_000), to: folder.file("big"))
        #expect(try Files.read(folder.file("big")).count == 200_000)
        #expect(throws: SystemError.self) {
            _ = try Files.read(folder.file("big"), bytesMax: 100_000)
        }
    }

    @Test func `gets its folders created, once or again`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a/b/c")
        try Files.makeFolder(path, mode: 0o700)
        try Files.makeFolder(path)
        try Files.write([1], to: path + "/file")
        #expect(throws: SystemError.self) { try Files.makeFolder(path + "/file") }
        #expect(throws: SystemError.self) { try Files.makeFolder(path + "/file/below") }
    }
}
