import Model
import Runtime
import Web

/// Looks each second how much room is left where the store is, and says so when it changes.
struct DiskGauge {
    private let limits: DiskLimits
    private let look: () throws -> DiskSpace
    private var nextLook = Timestamp.zero
    private(set) var space: DiskSpace?
    private(set) var pressure = DiskPressure.none
    /// The reserve was given up, and is not there again.
    private var wasReleased = false
    /// Room kept for emergencies; nil where nothing is kept.
    private var reserve: DiskReserve?

    /// - Parameter look: gives what of the disk is used
    init(
        limits: DiskLimits, reserve: DiskReserve? = nil, look: @escaping () throws -> DiskSpace
    ) {
        self.limits = limits
        self.reserve = reserve
        self.look = look
    }

    /// The disk of a folder, by the settings.
    init(folder: String, _ configuration: Configuration) {
        self.init(
            limits: DiskLimits(
                alarmPercent: configuration.int("JAGA_DISK_ALARM_PERCENT"),
                freePercentMin: configuration.int("JAGA_DISK_FREE_PERCENT_MIN"),
                freeBytesMin: UInt64(configuration.int("JAGA_DISK_FREE_MB_MIN")) << 20),
            reserve: DiskReserve(
                path: folder + "/reserve",
                bytes: UInt64(configuration.int("JAGA_DISK_RESERVE_MB")) << 20),
            look: { try Files.space(at: folder) })
    }

    static let settings = [
        Setting(
            "JAGA_DISK_ALARM_PERCENT", .integer(1...100), default: "70", unit: "percent",
            help: "From this use of the store's disk on the operator is told."),
        Setting(
            "JAGA_DISK_FREE_PERCENT_MIN", .integer(0...50), default: "5", unit: "percent",
            help: "With less of the disk free, and less than 1 GiB, only emergencies are taken."),
        Setting(
            "JAGA_DISK_FREE_MB_MIN", .integer(0...1_048_576), default: "64", unit: "MiB",
            help: "With less free only emergencies are taken; at most a quarter of the disk."),
        Setting(
            "JAGA_DISK_RESERVE_MB", .integer(0...4096), default: "16", unit: "MiB",
            help: "Room that each store keeps for emergencies on a full disk; 0 = none."),
    ]

    /// Looks if it is time; one log line for each change.
    mutating func step(_ now: Timestamp, log: Log) {
        guard now >= nextLook else { return }
        nextLook = now + .seconds(1)
        // A disk that cannot be looked at is the store's trouble, which tells of it.
        guard let space = try? look() else { return }
        self.space = space
        let before = pressure
        pressure = limits.pressure(of: space, before: before)
        // Only what is free beyond all limits is put aside again.
        if pressure < .tight { reserve?.restore(space) }
        if reserve?.isSpent == true, wasReleased { pressure = max(pressure, .short) }
        if reserve?.isHeld == true { wasReleased = false }
        guard pressure != before else { return }
        let fields: LogFields = [
            "used_percent": Int(space.usedRatio * 100), "free_mib": space.free >> 20,
            "hint": hint,
        ]
        if pressure > before {
            log.error(sentence ?? "", fields)
        } else {
            log.info(sentence ?? "there is room on the disk again", fields)
        }
    }

    /// Gives up the room that is kept for emergencies: the disk has none left. All but emergencies
    /// is refused from now on, until the room can be kept again.
    ///
    /// - Returns: whether there was any
    mutating func releaseReserve() -> Bool {
        guard reserve?.release() == true else { return false }
        wasReleased = true
        pressure = .short
        return true
    }

    private var hint: String {
        "Make room on the disk of the store; what is refused is taken again by itself."
    }

    /// What is wrong; nil while there is room.
    var sentence: String? {
        let percent = Int((space?.usedRatio ?? 0) * 100)
        return switch pressure {
        case .none: nil
        case .filling: "the disk is \(percent) % full"
        case .tight: "the disk is nearly full: old reports are refused"
        case .short: "the disk is nearly full: all but emergencies is refused"
        }
    }

    func write(to metrics: Metrics) {
        guard let space else { return }
        metrics.gauge("jaga_disk_used_ratio", "Use of the disk that holds the store, 0 to 1.")
            .set(space.usedRatio)
        metrics.gauge("jaga_disk_free_bytes", "Free bytes on the disk that holds the store.")
            .set(Double(space.free))
        metrics.gauge(
            "jaga_disk_pressure",
            "What is refused: 0 and 1 nothing, 2 old reports, 3 all but emergencies."
        ).set(Double(pressure.rawValue))
    }
}

extension Problem {
    /// 503: what can wait is refused while the disk is nearly full.
    ///
    /// - Parameter what: in the plural, such as `new reports`
    public static func diskNearlyFull(_ what: String) -> Problem {
        Problem(
            status: 503, title: "Disk nearly full",
            detail: "the disk is nearly full: \(what) are refused until there is room",
            hint: "send it again later; emergencies are still taken", retryAfterSeconds: 30)
    }
}
