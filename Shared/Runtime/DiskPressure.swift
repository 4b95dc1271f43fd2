/// Shortage of space on a store's file system, and what is rejected because of it. Old reports are
/// rejected first, inputs of emergencies never.
public enum DiskPressure: Int, Comparable, Sendable, CaseIterable {
    /// Enough space.
    case none
    /// An operator should free space; nothing is rejected.
    case filling
    /// Old reports are rejected; phones keep them and send them again.
    case tight
    /// New reports and edits are rejected, too. The remaining space is for emergencies.
    case short

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Usage of a file system, bytes.
public struct DiskSpace: Hashable, Sendable {
    public var total: UInt64
    /// Used by all files.
    public var used: UInt64
    /// Free for processes without special rights.
    public var free: UInt64

    public init(total: UInt64, used: UInt64, free: UInt64) {
        self.total = total
        self.used = used
        self.free = free
    }

    /// Used part of the space available to this process, 0 to 1; the root reserve counts as absent,
    /// as in `df`.
    public var usedRatio: Double {
        let usable = used + free
        return usable == 0 ? 1 : Double(used) / Double(usable)
    }
}

/// Thresholds of ``DiskPressure``.
public struct DiskLimits: Hashable, Sendable {
    /// Used part of the disk at which ``DiskPressure/filling`` begins, percent.
    public var warningPercent: Int
    /// Free part of the disk below which ``DiskPressure/short`` begins, percent, unless it is at
    /// least ``enough`` …
    public var freePercentMin: Int
    /// … and minimum free space in any case, bytes.
    public var freeBytesMin: UInt64

    /// Free space that suffices on a disk of any size.
    public static let enough: UInt64 = 1 << 30

    public init(
        warningPercent: Int = 70, freePercentMin: Int = 5, freeBytesMin: UInt64 = 64 << 20
    ) {
        self.warningPercent = warningPercent
        self.freePercentMin = freePercentMin
        self.freeBytesMin = freeBytesMin
    }

    /// Free space below which ``DiskPressure/short`` begins, bytes; at most a quarter of a small
    /// disk.
    public func reserve(of space: DiskSpace) -> UInt64 {
        let share = space.total / 100 * UInt64(freePercentMin)
        return max(min(share, DiskLimits.enough), min(freeBytesMin, space.total / 4))
    }

    /// Returns the pressure, given the previous one. Improving needs a margin of a tenth of the
    /// reserve, so that the result does not oscillate.
    public func pressure(of space: DiskSpace, before: DiskPressure) -> DiskPressure {
        let strict = pressure(of: space, eased: false)
        return strict >= before ? strict : min(before, pressure(of: space, eased: true))
    }

    /// - Parameter eased: whether to apply the margin for improving
    private func pressure(of space: DiskSpace, eased: Bool) -> DiskPressure {
        let reserve = reserve(of: space)
        let margin = eased ? reserve / 10 : 0
        if space.free < reserve + margin { return .short }
        if space.free < 2 * reserve + margin { return .tight }
        let threshold = Double(warningPercent - (eased ? 2 : 0)) / 100
        return space.usedRatio >= threshold ? .filling : .none
    }
}
