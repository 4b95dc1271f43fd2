import Glibc
import Runtime
import TestSupport
import Testing

@Suite struct `Disk pressure` {
    private static let mebibyte: UInt64 = 1 << 20
    private static let gibibyte: UInt64 = 1 << 30

    /// A disk with a total size and free bytes.
    private func space(_ total: UInt64, free: UInt64) -> DiskSpace {
        DiskSpace(total: total, used: total - free, free: free)
    }

    @Test(arguments: [
        // 100 GiB: a twentieth is 5 GiB, but 1 GiB is enough.
        (100 * gibibyte, 40 * gibibyte, DiskPressure.none),
        (100 * gibibyte, 30 * gibibyte, .filling), (100 * gibibyte, 2 * gibibyte, .filling),
        (100 * gibibyte, 2 * gibibyte - 1, .tight), (100 * gibibyte, gibibyte, .tight),
        (100 * gibibyte, gibibyte - 1, .short), (100 * gibibyte, 0, .short),
        // 10 GiB: a twentieth.
        (10 * gibibyte, gibibyte + 40 * mebibyte, .filling),
        (10 * gibibyte, gibibyte - mebibyte, .tight),
        (10 * gibibyte, gibibyte / 2 - mebibyte, .short),
        // 1 GiB: 64 MiB is more than a twentieth.
        (gibibyte, 60 * mebibyte, .short), (gibibyte, 70 * mebibyte, .tight),
        // 16 MiB: at most a quarter, so that it can be used.
        (16 * mebibyte, 15 * mebibyte, .none), (16 * mebibyte, 7 * mebibyte, .tight),
        (16 * mebibyte, 3 * mebibyte, .short),
    ])
    func `follows from the free space`(total: UInt64, free: UInt64, expected: DiskPressure) {
        let limits = DiskLimits()
        #expect(limits.pressure(of: space(total, free: free), before: .none) == expected)
    }

    @Test func `does not oscillate at the edge`() {
        let limits = DiskLimits()
        let total = 100 * Self.gibibyte
        func after(_ before: DiskPressure, free: UInt64) -> DiskPressure {
            limits.pressure(of: space(total, free: free), before: before)
        }
        #expect(after(.short, free: Self.gibibyte + Self.mebibyte) == .short)
        #expect(after(.short, free: Self.gibibyte + 110 * Self.mebibyte) == .tight)
        #expect(after(.tight, free: 2 * Self.gibibyte + Self.mebibyte) == .tight)
        #expect(after(.short, free: 60 * Self.gibibyte) == .none)
        #expect(after(.filling, free: 31 * Self.gibibyte) == .filling)
        #expect(after(.filling, free: 33 * Self.gibibyte) == .none)
        #expect(after(.none, free: Self.mebibyte) == .short)
    }

    @Test func `has the configured limits`() {
        let limits = DiskLimits(warningPercent: 50, freePercentMin: 0, freeBytesMin: Self.mebibyte)
        let total = 10 * Self.gibibyte
        #expect(limits.pressure(of: space(total, free: 6 * Self.gibibyte), before: .none) == .none)
        #expect(
            limits.pressure(of: space(total, free: 5 * Self.gibibyte), before: .none) == .filling)
        #expect(limits.reserve(of: space(total, free: 0)) == Self.mebibyte)
    }

    @Test func `counts the root reserve as used, and an empty disk as full`() {
        #expect(DiskSpace(total: 100, used: 60, free: 20).usedRatio == 0.75)
        #expect(DiskSpace(total: 0, used: 0, free: 0).usedRatio == 1)
    }

    @Test func `is that of a real folder`() throws {
        let folder = try TemporaryFolder()
        let space = try Files.space(at: folder.path)
        #expect(space.total > 0)
        #expect(space.used + space.free <= space.total)
        let error = #expect(throws: SystemError.self) {
            try Files.space(at: folder.file("nothing"))
        }
        #expect(error?.number == ENOENT)
    }
}
