import IngestCore
import Model
import Store

/// Where reports are kept: the one door to their table.
///
/// Rows lie in the order of (device, time), so that what is read together lies together, and 24
/// hours of 100,000 phones take less than 4 GB. A row has half of its report's id, enough to tell
/// it from others of its device and time; no index of ids is needed, because a report that is newer
/// than all of its device was never stored before.
final class ReportTable {
    private let database: Database
    /// Devices with rows in `skewed`: their times are not those that they said.
    private var skewedDevices: Set<Int64> = []

    init(database: Database) { self.database = database }

    /// Takes note of what is stored; before anything else, and after a rollback.
    func load() throws {
        skewedDevices = Set(try database.all("SELECT DISTINCT device FROM skewed") { $0.int64(0) })
    }

    /// Whether an observation of a device is stored, so that its delivery is a repetition.
    func isKnown(_ id: ReportID, _ observed: Timestamp, of device: DeviceRow) throws -> Bool {
        if skewedDevices.contains(device.number) {
            let found = try database.scalar(
                "SELECT 1 FROM skewed WHERE device = ? AND id = ?", .integer(device.number),
                .half(of: id))
            if found != nil { return true }
        }
        if let newest = device.newest, observed > newest.time { return false }
        return try database.scalar(
            "SELECT 1 FROM report WHERE device = ? AND time = ? AND id = ?",
            .integer(device.number), .time(observed), .half(of: id)) != nil
    }

    /// Stores a report under the short number of its device.
    func save(_ report: Report, of device: Int64) throws {
        let fix = report.fix
        let half = Value.half(of: report.id)
        try database.run(
            """
            INSERT INTO report (device, time, id, latitude, longitude, accuracy, altitude, speed,
                course, state, delay)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(device), .time(fix.time), half, .integer(fix.position.latitudeE7),
            .integer(fix.position.longitudeE7), .integer(fix.accuracyCentimetres),
            .integer(fix.altitudeCentimetres), .integer(fix.speedCentimetresPerSecond),
            .integer(fix.courseDegrees), .integer(ReportState(report).packed),
            .integer(report.received.microseconds - fix.time.microseconds))
        guard report.clockSkew else { return }
        skewedDevices.insert(device)
        try database.run(
            "INSERT OR IGNORE INTO skewed (device, id, received) VALUES (?, ?, ?)",
            .integer(device), half, .time(report.received))
    }

    /// Forgets which reports had a clock ahead of ours, except those received since a time.
    func forgetSkewed(before time: Timestamp) throws {
        try database.run("DELETE FROM skewed WHERE received < ?", .time(time))
    }

    /// Forgets the oldest reports of a device, as far as they are older than a time.
    ///
    /// - Returns: how many, about `limit` at most
    func forget(of device: Int64, before time: Timestamp, atMost limit: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM report WHERE device = ?1 AND time < ?2 AND time < coalesce((
                SELECT time FROM report WHERE device = ?1 ORDER BY time LIMIT 1 OFFSET ?3),
                \(Int64.max))
            """, .integer(device), .time(time), .integer(max(1, limit)))
        return database.lastChanges
    }

    /// The newest report of a device; nil without one.
    func newest(of device: Int64) throws -> StoredReport? {
        try database.first(
            """
            SELECT \(StoredReport.columns) FROM report WHERE device = ?
            ORDER BY time DESC LIMIT 1
            """, .integer(device)
        ) { StoredReport($0) }
    }

    /// Time of the newest report of a device that does not wait in the backlog; nil without one.
    func newestSequenced(of device: Int64) throws -> Timestamp? {
        try database.first(
            """
            SELECT time FROM report WHERE device = ?1 AND NOT EXISTS (
                SELECT 1 FROM waiting WHERE waiting.device = ?1 AND waiting.time = report.time
                    AND substr(waiting.id, 9) = report.id)
            ORDER BY time DESC LIMIT 1
            """, .integer(device)
        ) { $0.time(0) }
    }

    /// The newest reports of a device with fixes from a time on and before another, newest first.
    func newest(
        of device: Int64, from: Timestamp, before end: Timestamp, atMost limit: Int
    ) throws -> [StoredReport] {
        try database.all(
            """
            SELECT \(StoredReport.columns) FROM report WHERE device = ? AND time >= ? AND time < ?
            ORDER BY time DESC LIMIT ?
            """, .integer(device), .time(from), .time(end), .integer(limit)
        ) { StoredReport($0) }
    }

    /// Reports of a device with fixes from a time on and before another, by time.
    func reports(
        of device: Int64, from: Timestamp, before end: Timestamp, atMost limit: Int
    ) throws -> [StoredReport] {
        try database.all(
            """
            SELECT \(StoredReport.columns) FROM report WHERE device = ? AND time >= ? AND time < ?
            ORDER BY time, id LIMIT ?
            """, .integer(device), .time(from), .time(end), .integer(limit)
        ) { StoredReport($0) }
    }
}

/// A row of a report; whose it is, its reader knows.
struct StoredReport: Hashable {
    /// As they are read, from the first column on.
    static let columns = """
        report.time, report.latitude, report.longitude, report.accuracy, report.altitude,
        report.speed, report.course, report.state, report.delay
        """

    var fix: Fix
    var state: ReportState
    var received: Timestamp

    init(_ row: Row) {
        fix = Fix(row, from: 0)
        state = ReportState(packed: row.int64(7))
        received = Timestamp(microseconds: fix.time.microseconds &+ row.int64(8))
    }
}

/// What a report says beside its fix, in one number: trigger in the lowest four bits, then two of
/// charging (0 unknown, 1 no, 2 yes), clock skew, late, and the battery's percent plus one.
struct ReportState: Hashable {
    var trigger: Trigger
    var charging: Bool?
    var clockSkew: Bool
    var late: Bool
    var battery: UInt8?

    init(_ report: Report) {
        trigger = report.trigger
        charging = report.charging
        clockSkew = report.clockSkew
        late = report.late
        battery = report.battery
    }

    init(packed: Int64) {
        trigger = Trigger(rawValue: UInt8(packed & 15)) ?? .periodic
        charging = packed >> 4 & 3 == 0 ? nil : packed >> 4 & 3 == 2
        clockSkew = packed >> 6 & 1 == 1
        late = packed >> 7 & 1 == 1
        battery = packed >> 8 == 0 ? nil : UInt8(clamping: (packed >> 8) - 1)
    }

    var packed: Int64 {
        let charging: Int64 = self.charging.map { $0 ? 2 : 1 } ?? 0
        return Int64(trigger.rawValue) | charging << 4 | (clockSkew ? 64 : 0) | (late ? 128 : 0)
            | (battery.map { Int64($0) + 1 } ?? 0) << 8
    }
}

extension Value {
    /// The last eight bytes of a report's id.
    fileprivate static func half(of id: ReportID) -> Value {
        withUnsafeBytes(of: id.raw.low.bigEndian) { .blob(Array($0)) }
    }
}

extension Fix {
    /// Seven columns: time, latitude, longitude, accuracy, altitude, speed, course.
    init(_ row: Row, from column: Int) {
        func optional(_ offset: Int) -> Int32? {
            row.optionalInt64(column + offset).map { Int32(clamping: $0) }
        }
        self.init(
            time: row.time(column),
            position: Coordinate(
                latitudeE7: Int32(clamping: row.int64(column + 1)),
                longitudeE7: Int32(clamping: row.int64(column + 2))),
            accuracyCentimetres: Int32(clamping: row.int64(column + 3)),
            altitudeCentimetres: optional(4), speedCentimetresPerSecond: optional(5),
            courseDegrees: optional(6))
    }
}
