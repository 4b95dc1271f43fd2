import Model
import Runtime
import Web

/// Measures the free space of the store's disk once a second, and logs changes of the disk
/// pressure.
struct DiskGauge {
    private let limits: DiskLimits
    private let measure: () throws -> DiskSpace
    private var nextMeasurement = Timestamp.zero
    private(set) var space: DiskSpace?
    private(set) var pressure = DiskPressure.none
    /// Whether the reserve was released and is not restored yet.
    private var wasReleased = false
    /// Space kept for emergencies; nil if none is.
    private var reserve: DiskReserve?

    /// - Parameter measure: returns the space of the disk
    init(
        limits: DiskLimits, reserve: DiskReserve? = nil, measure: @escaping () throws -> DiskSpace
    ) {
        self.limits = limits
        self.reserve = reserve
        self.measure = measure
    }

    /// Measures the disk of a folder, with limits from the settings.
    init(folder: String, _ configuration: Configuration) {
        self.init(
            limits: DiskLimits(
                warningPercent: configuration.int("JAGA_DISK_WARNING_PERCENT"),
                freePercentMin: configuration.int("JAGA_DISK_FREE_PERCENT_MIN"),
                freeBytesMin: UInt64(configuration.int("JAGA_DISK_FREE_MB_MIN")) << 20),
            reserve: DiskReserve(
                path: folder + "/reserve",
                bytes: UInt64(configuration.int("JAGA_DISK_RESERVE_MB")) << 20),
            measure: { try Files.space(at: folder) })
    }

    static let settings = [
        Setting(
            "JAGA_DISK_WARNING_PERCENT", .integer(1...100), default: "70", unit: "percent",
            help: "Use of the store's disk from which /healthz reports it."),
        Setting(
            "JAGA_DISK_FREE_PERCENT_MIN", .integer(0...50), default: "5", unit: "percent",
            help: "Below this share, and below 1 GiB free, only emergencies are accepted."),
        Setting(
            "JAGA_DISK_FREE_MB_MIN", .integer(0...1_048_576), default: "64", unit: "MiB",
            help: "Below this free space only emergencies are accepted; max. 1/4 of the disk."),
        Setting(
            "JAGA_DISK_RESERVE_MB", .integer(0...4096), default: "16", unit: "MiB",
            help: "Space that each store reserves for emergencies on a full disk; 0 = none."),
    ]

    /// Measures if it is due, and logs a change of the pressure.
    mutating func step(_ now: Timestamp, log: Log) {
        guard now >= nextMeasurement else { return }
        nextMeasurement = now + .seconds(1)
        // If the disk cannot be measured, the store reports its failures.
        guard let space = try? measure() else { return }
        self.space = space
        let before = pressure
        pressure = limits.pressure(of: space, before: before)
        // The reserve is restored only from space beyond all limits.
        if pressure < .tight { reserve?.restore(space) }
        if reserve?.isMissing == true, wasReleased { pressure = max(pressure, .short) }
        if reserve?.exists == true { wasReleased = false }
        guard pressure != before else { return }
        let fields: LogFields = [
            "used_percent": Int(space.usedRatio * 100), "free_mib": space.free >> 20,
            "hint": hint,
        ]
        if pressure > before {
            log.error(sentence ?? "", fields)
        } else {
            log.info(sentence ?? "enough free disk space again", fields)
        }
    }

    /// Releases the reserve when the disk is full. From then on only emergencies are accepted,
    /// until the reserve can be restored.
    ///
    /// - Returns: whether there was a reserve
    mutating func releaseReserve() -> Bool {
        guard reserve?.release() == true else { return false }
        wasReleased = true
        pressure = .short
        return true
    }

    private var hint: String {
        "Free space on the disk of the store; requests are accepted again by themselves."
    }

    /// The pressure as a sentence; nil while there is enough space.
    var sentence: String? {
        let percent = Int((space?.usedRatio ?? 0) * 100)
        return switch pressure {
        case .none: nil
        case .filling: "the disk is \(percent) % full"
        case .tight: "the disk is nearly full: old reports are rejected"
        case .short: "the disk is nearly full: only emergencies are accepted"
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
            "0 and 1 = nothing is rejected, 2 = old reports are, 3 = all but emergencies are."
        ).set(Double(pressure.rawValue))
    }
}

extension Problem {
    /// 503: requests that can wait are rejected while the disk is nearly full.
    ///
    /// - Parameter what: what is rejected, in the plural, such as `new reports`
    public static func diskNearlyFull(_ what: String) -> Problem {
        Problem(
            status: 503, title: "Disk nearly full",
            detail: "the disk is nearly full: \(what) are rejected until there is free space",
            hint: "send it again later; emergencies are still accepted", retryAfterSeconds: 30)
    }
}
