import Glibc
import TestSupport
import Testing

@testable import Runtime

@Suite struct `A disk reserve for emergencies` {
    private let plenty = DiskSpace(total: 1 << 30, used: 0, free: 1 << 30)

    private func blocks(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }

    @Test func `occupies blocks, survives a restart, and is released once`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("reserve")
        var reserve = DiskReserve(path: path, bytes: 1 << 20)
        #expect(!reserve.exists && reserve.isMissing)
        reserve.restore(plenty)
        #expect(reserve.exists)
        #expect(blocks(of: path) >= 1 << 20)
        #expect(try Files.mode(of: path) == 0o600)
        var again = DiskReserve(path: path, bytes: 1 << 20)
        #expect(again.exists)
        let freed = [again.release(), again.release()]
        #expect(freed == [true, false])
        #expect(!Files.exists(path))
    }

    @Test func `is created only with enough free space, and takes at most an eighth of the disk`()
        throws
    {
        let folder = try TemporaryFolder()
        var reserve = DiskReserve(path: folder.file("reserve"), bytes: 1 << 20)
        reserve.restore(DiskSpace(total: 1 << 30, used: 1 << 30, free: 2 << 20))
        #expect(!reserve.exists)
        reserve.restore(DiskSpace(total: 1 << 20, used: 0, free: 1 << 20))
        #expect(reserve.exists)
        #expect(blocks(of: folder.file("reserve")) <= 1 << 18)
    }

    @Test func `is absent if the operator disables it, and an old file is removed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("reserve")
        var old = DiskReserve(path: path, bytes: 1 << 20)
        old.restore(plenty)
        var none = DiskReserve(path: path, bytes: 0)
        #expect(!Files.exists(path))
        none.restore(plenty)
        #expect(!none.exists && !none.isMissing)
    }
}
