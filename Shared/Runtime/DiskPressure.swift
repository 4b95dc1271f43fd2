/// How little room is left on the file system of a store, and so what is refused there, in the
/// order of refusal: first what can wait longest, never what an emergency is made of.
public enum DiskPressure: Int, Comparable, Sendable, CaseIterable {
    /// There is room.
    case none
    /// Much is used: somebody should make room, nothing is refused.
    case filling
    /// Old reports are refused: phones keep them and send them again.
    case tight
    /// New reports and edits are refused, too. What is left is for emergencies.
    case short

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What of a file system is used, in bytes.
public struct DiskSpace: Hashable, Sendable {
    public var total: UInt64
    /// Used, by whomever.
    public var used: UInt64
    /// Free for a process without special rights.
    public var free: UInt64

    public init(total: UInt64, used: UInt64, free: UInt64) {
        self.total = total
        self.used = used
        self.free = free
    }

    /// From 0 to 1; what only root may use counts as not there, as `df` has it.
    public var usedRatio: Double {
        let usable = used + free
        return usable == 0 ? 1 : Double(used) / Double(usable)
    }
}

/// Where each ``DiskPressure`` begins.
public struct DiskLimits: Hashable, Sendable {
    /// Used, in percent of the disk: ``DiskPressure/filling``.
    public var alarmPercent: Int
    /// Free, in percent of the disk: less is ``DiskPressure/short``, unless it is still
    /// ``enough`` …
    public var freePercentMin: Int
    /// … and so is less than this, in bytes.
    public var freeBytesMin: UInt64

    /// So much free space is enough on the largest disk.
    public static let enough: UInt64 = 1 << 30

    public init(
        alarmPercent: Int = 70, freePercentMin: Int = 5, freeBytesMin: UInt64 = 64 << 20
    ) {
        self.alarmPercent = alarmPercent
        self.freePercentMin = freePercentMin
        self.freeBytesMin = freeBytesMin
    }

    /// Less than this, in bytes, is ``DiskPressure/short``; of a small disk never more than a
    /// quarter, so that it can be used at all.
    public func reserve(of space: DiskSpace) -> UInt64 {
        let share = space.total / 100 * UInt64(freePercentMin)
        return max(min(share, DiskLimits.enough), min(freeBytesMin, space.total / 4))
    }

    /// What a disk is now, after it was something else: to get better it must get a tenth better
    /// than it had to be to get worse, so that it does not change its mind each second.
    public func pressure(of space: DiskSpace, before: DiskPressure) -> DiskPressure {
        let strict = pressure(of: space, eased: false)
        return strict >= before ? strict : min(before, pressure(of: space, eased: true))
    }

    /// - Parameter eased: by the limits for getting better
    private func pressure(of space: DiskSpace, eased: Bool) -> DiskPressure {
        let reserve = reserve(of: space)
        let margin = eased ? reserve / 10 : 0
        if space.free < reserve + margin { return .short }
        if space.free < 2 * reserve + margin { return .tight }
        let alarm = Double(alarmPercent - (eased ? 2 : 0)) / 100
        return space.usedRatio >= alarm ? .filling : .none
    }
}
