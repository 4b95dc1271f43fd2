import IngestCore
import Model
import Store

/// The only access to the table of reports.
///
/// Rows are ordered by (device, time), so that reports read together are stored together; 24 hours
/// of 100,000 phones take less than 4 GB. A row has half of its report's id, enough to tell it from
/// others of its device and time. No index of ids is needed, because a report newer than all others
/// of its device was never stored before. Reports that arrived together and are not in the backlog
/// share rows (``ReportRun``).
final class ReportTable {
    private let database: Database
    /// Devices with rows in `skewed`: the stored times differ from those that they sent.
    private var skewedDevices: Set<Int64> = []
    /// Prepared insert, the most frequent statement.
    private var insertion: PreparedStatement?

    init(database: Database) { self.database = database }

    /// Loads the state of the table; before any other call, and after a rollback.
    func load() throws {
        skewedDevices = Set(try database.all("SELECT DISTINCT device FROM skewed") { $0.int64(0) })
    }

    /// Finds the stored report of an observation: that of the same message, otherwise that of the
    /// same fix, which is one report whatever its message ids.
    ///
    /// - Parameter observed: the fix as sent by the phone
    func find(
        _ id: ReportID, _ observed: Fix, of device: DeviceRow
    ) throws -> (isKnown: Bool, report: Report?) {
        if skewedDevices.contains(device.number) {
            let received = try database.first(
                "SELECT received FROM skewed WHERE device = ? AND id = ?",
                .integer(device.number), .half(of: id)
            ) { $0.time(0) }
            if let received {
                // The time of arrival was stored instead of the fix time.
                let stored = try report(id, received, of: device.number)
                return (true, stored?.report(id, of: device))
            }
        }
        if let newest = device.newest, observed.time > newest.time { return (false, nil) }
        let all = try reports(at: observed.time, of: device.number)
        let stored =
            all.first { $0.half == id.raw.low }
            ?? all.first { !$0.state.clockSkew && $0.fix.position == observed.position }
        return (stored != nil, stored?.report(id, of: device))
    }

    /// All reports of a device with exactly this fix time.
    private func reports(at time: Timestamp, of device: Int64) throws -> [StoredReport] {
        var found = try database.all(
            "SELECT \(StoredReport.columns) FROM report WHERE device = ? AND time = ?",
            .integer(device), .time(time), as: StoredReport.init)
        try visitRuns(of: device, from: time - ReportRun.span, through: time) { run in
            found += run.filter { $0.fix.time == time }
        }
        return found
    }

    /// Overwrites a stored report with its completed version.
    func complete(_ report: Report, of device: Int64) throws {
        let time = report.fix.time
        var run: [StoredReport] = []
        try database.rows(
            """
            SELECT \(StoredReport.columns) FROM report WHERE device = ? AND time >= ? AND time <= ?
            """, .integer(device), .time(time - ReportRun.span), .time(time)
        ) { row in
            let all = StoredReport.everything(in: row)
            guard all.contains(where: { $0.fix.time == time && $0.half == report.id.raw.low })
            else { return }
            run = all
        }
        guard let first = run.first else { return }
        let reports = run.map { stored in
            let isIt = stored.fix.time == time && stored.half == report.id.raw.low
            return isIt ? report : stored.report
        }
        let fix = reports[0].fix
        try database.run(
            """
            UPDATE report SET accuracy = ?, altitude = ?, speed = ?, course = ?, state = ?, more = ?
            WHERE device = ? AND time = ? AND id = ?
            """,
            .integer(fix.accuracyCentimetres), .integer(fix.altitudeCentimetres),
            .integer(fix.speedCentimetresPerSecond), .integer(fix.courseDegrees),
            .integer(ReportState(reports[0]).packed),
            reports.count > 1
                ? .blob(ReportRun.pack(reports.dropFirst(), after: reports[0])) : .null,
            .integer(device), .time(first.fix.time), .half(of: reports[0].id))
    }

    /// A report by its time and id; nil if there is none.
    func report(_ id: ReportID, _ time: Timestamp, of device: Int64) throws -> StoredReport? {
        let single = try database.first(
            """
            SELECT \(StoredReport.columns) FROM report WHERE device = ? AND time = ? AND id = ?
            """, .integer(device), .time(time), .half(of: id), as: StoredReport.init)
        if let single { return single }
        var found: StoredReport?
        try visitRuns(of: device, from: time - ReportRun.span, through: time) { run in
            found = found ?? run.first { $0.fix.time == time && $0.half == id.raw.low }
        }
        return found
    }

    /// Unpacks the rows with several reports.
    private func visitRuns(
        of device: Int64, from: Timestamp, through: Timestamp,
        _ visit: ([StoredReport]) -> Void
    ) throws {
        try database.rows(
            """
            SELECT \(StoredReport.columns) FROM report
            WHERE device = ? AND time >= ? AND time <= ? AND more IS NOT NULL
            """, .integer(device), .time(from), .time(through)
        ) { visit(StoredReport.all(in: $0)) }
    }

    /// Stores a report under the short number of its device, in its own row.
    func save(_ report: Report, of device: Int64) throws { try save([report], of: device) }

    /// Stores reports of a device, ordered by time. Close ones share a row.
    func save(_ reports: [Report], of device: Int64) throws {
        var rest = reports[...]
        while let first = rest.first {
            let count = ReportRun.count(of: rest)
            try write(rest.prefix(count), from: first, of: device)
            rest = rest.dropFirst(count)
        }
        for report in reports where report.clockSkew {
            skewedDevices.insert(device)
            try database.run(
                "INSERT OR IGNORE INTO skewed (device, id, received) VALUES (?, ?, ?)",
                .integer(device), .half(of: report.id), .time(report.received))
        }
    }

    private func write(
        _ reports: ArraySlice<Report>, from first: Report, of device: Int64
    ) throws {
        let insert =
            try insertion
            ?? database.preparedStatement(
                """
                INSERT INTO report (device, time, id, latitude, longitude, accuracy, altitude,
                    speed, course, state, delay, more)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        insertion = insert
        let fix = first.fix
        insert.bind(device)
        insert.bind(fix.time.microseconds)
        withUnsafeBytes(of: first.id.raw.low.bigEndian) { insert.bind($0) }
        insert.bind(fix.position.latitudeE7)
        insert.bind(fix.position.longitudeE7)
        insert.bind(fix.accuracyCentimetres)
        insert.bind(fix.altitudeCentimetres)
        insert.bind(fix.speedCentimetresPerSecond)
        insert.bind(fix.courseDegrees)
        insert.bind(ReportState(first).packed)
        insert.bind(first.received.microseconds.minusBounded(fix.time.microseconds))
        if reports.count > 1 {
            insert.bind(ReportRun.pack(reports.dropFirst(), after: first))
        } else {
            insert.bind(nil as Int64?)
        }
        try insert.run()
    }

    /// Deletes the ids of reports with a clock ahead of ours that were received before a time.
    func forgetSkewed(before time: Timestamp) throws {
        try database.run("DELETE FROM skewed WHERE received < ?", .time(time))
    }

    /// Deletes the oldest rows of a device in which all reports are older than a time.
    ///
    /// - Returns: the number of deleted rows, about `limit` at most
    func forget(of device: Int64, before time: Timestamp, atMost limit: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM report WHERE device = ?1 AND time < ?2 AND time < coalesce((
                SELECT time FROM report WHERE device = ?1 ORDER BY time LIMIT 1 OFFSET ?3),
                \(Int64.max)) AND (more IS NULL OR time < ?4)
            """, .integer(device), .time(time), .integer(max(1, limit)),
            .time(time - ReportRun.span))
        return database.lastChanges
    }

    /// The newest report of a device; nil if there is none.
    func newest(of device: Int64) throws -> StoredReport? {
        try newest(of: device, from: .zero, before: .distantFuture, atMost: 1).first
    }

    /// Time of the newest report of a device outside the backlog; nil if there is none. Reports in
    /// the backlog have their own rows.
    func newestSequenced(of device: Int64) throws -> Timestamp? {
        let last = try database.first(
            """
            SELECT time FROM report WHERE device = ?1 AND NOT EXISTS (
                SELECT 1 FROM waiting WHERE waiting.device = ?1 AND waiting.time = report.time
                    AND substr(waiting.id, 9) = report.id)
            ORDER BY time DESC LIMIT 1
            """, .integer(device)
        ) { $0.time(0) }
        guard var newest = last else { return nil }
        try visitRuns(of: device, from: newest - ReportRun.span, through: newest) { run in
            newest = max(newest, run.last?.fix.time ?? newest)
        }
        return newest
    }

    /// The newest reports of a device with fix times in a period, newest first.
    func newest(
        of device: Int64, from: Timestamp, before end: Timestamp, atMost limit: Int
    ) throws -> [StoredReport] {
        var found: [StoredReport] = []
        try database.rowsWhile(
            """
            SELECT \(StoredReport.columns) FROM report
            WHERE device = ? AND time >= ? AND time < ? ORDER BY time DESC
            """, .integer(device), .time(from - ReportRun.span), .time(end)
        ) { row in
            // No later row contains a newer report than this.
            let latest = row.time(0) + ReportRun.span
            if found.count >= limit, found.count(where: { $0.fix.time > latest }) >= limit {
                return false
            }
            found += StoredReport.all(in: row)
                .filter { $0.fix.time >= from && $0.fix.time < end }
            return true
        }
        return Array(found.sorted { $1.place < $0.place }.prefix(limit))
    }

    /// Reports of a device with fix times in a period, ordered by time.
    func reports(
        of device: Int64, from: Timestamp, before end: Timestamp, atMost limit: Int
    ) throws -> [StoredReport] {
        try reports(
            of: device, after: StoredReport.Place(time: from, half: nil), before: end,
            atMost: limit)
    }

    /// Reports of a device after a place and before a time, ordered by time, then id.
    func reports(
        of device: Int64, after place: StoredReport.Place, before end: Timestamp = .distantFuture,
        atMost limit: Int
    ) throws -> [StoredReport] {
        var found: [StoredReport] = []
        try database.rowsWhile(
            """
            SELECT \(StoredReport.columns) FROM report
            WHERE device = ? AND time >= ? AND time < ? ORDER BY time, id
            """, .integer(device), .time(place.time - ReportRun.span), .time(end)
        ) { row in
            let time = row.time(0)
            if found.count >= limit, found.count(where: { $0.fix.time < time }) >= limit {
                return false
            }
            found += StoredReport.all(in: row).filter { place < $0.place && $0.fix.time < end }
            return true
        }
        return Array(found.sorted { $0.place < $1.place }.prefix(limit))
    }
}

/// A stored report; its reader knows the device.
struct StoredReport: Hashable {
    /// The columns in the order in which they are read.
    static let columns = """
        report.time, report.latitude, report.longitude, report.accuracy, report.altitude,
        report.speed, report.course, report.state, report.delay, report.id, report.more
        """

    var fix: Fix
    var state: ReportState
    var received: Timestamp
    /// The last eight bytes of its id.
    var half: UInt64

    /// The first report of a row.
    init(_ row: Row) {
        fix = Fix(row, from: 0)
        state = ReportState(packed: row.int64(7))
        received = Timestamp(microseconds: fix.time.microseconds &+ row.int64(8))
        half = row.blob(9).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The reports of a row, ordered by time, without positions of 0° N 0° E that older versions
    /// stored.
    static func all(in row: Row) -> [StoredReport] {
        let all = everything(in: row)
        return all.contains { $0.fix.position.isZero }
            ? all.filter { !$0.fix.position.isZero } : all
    }

    /// The report for the core. The person and the first half of the id are not stored.
    fileprivate var report: Report {
        Report(
            id: ReportID(ID128(high: 0, low: half)), person: PersonID(.zero),
            device: DeviceID(.zero), fix: fix, trigger: state.trigger, battery: state.battery,
            charging: state.charging, clockSkew: state.clockSkew, late: state.late,
            received: received)
    }

    /// The report with its device, and with the whole id if that matches.
    fileprivate func report(_ id: ReportID, of device: DeviceRow) -> Report {
        var report = report
        if half == id.raw.low { report.id = id }
        report.person = device.person
        report.device = device.device
        return report
    }

    /// All reports of a row, ordered by time.
    fileprivate static func everything(in row: Row) -> [StoredReport] {
        let first = StoredReport(row)
        return row.isNull(10) ? [first] : [first] + ReportRun.unpack(row.blob(10), after: first)
    }

    /// The place of a report among those of its device.
    struct Place: Hashable, Comparable {
        var time: Timestamp
        /// Nil sorts before all reports of this time.
        var half: UInt64?

        static func < (left: Place, right: Place) -> Bool {
            if left.time != right.time { return left.time < right.time }
            guard let other = right.half else { return false }
            return left.half.map { $0 < other } ?? true
        }
    }

    var place: Place { Place(time: fix.time, half: half) }
}

/// The values of a report other than its fix, in one number: trigger in the lowest four bits, then
/// two bits of charging (0 unknown, 1 no, 2 yes), clock skew, late, and the battery's percentage
/// plus one.
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
    /// Reads seven columns: time, latitude, longitude, accuracy, altitude, speed, course.
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

extension ReportTable {
    /// 1: reports refer to their device by its short number, without a foreign key: looking up the
    /// parent costs as much as the insert. 9: reports ordered by (device, time), each as small as
    /// possible: half of its id, the receipt time as a delay in microseconds, and its flags in one
    /// number. Reports with a clock ahead of ours are found by id only. 15: packed reports that
    /// arrived together with the row's report.
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE report (
                    number INTEGER PRIMARY KEY,
                    id BLOB NOT NULL UNIQUE,
                    device INTEGER NOT NULL,
                    time INTEGER NOT NULL,
                    latitude INTEGER NOT NULL,
                    longitude INTEGER NOT NULL,
                    accuracy INTEGER NOT NULL,
                    altitude INTEGER,
                    speed INTEGER,
                    course INTEGER,
                    trigger INTEGER NOT NULL,
                    battery INTEGER,
                    charging INTEGER,
                    marks INTEGER NOT NULL,
                    received INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE waiting (
                    number INTEGER PRIMARY KEY,
                    report BLOB NOT NULL,
                    trace TEXT NOT NULL
                ) STRICT;
                """),
        Migration(
            number: 9,
            sql: """
                ALTER TABLE report RENAME TO report_before;
                ALTER TABLE waiting RENAME TO waiting_before;
                CREATE TABLE report (
                    device INTEGER NOT NULL,
                    time INTEGER NOT NULL,
                    id BLOB NOT NULL,
                    latitude INTEGER NOT NULL,
                    longitude INTEGER NOT NULL,
                    accuracy INTEGER NOT NULL,
                    altitude INTEGER,
                    speed INTEGER,
                    course INTEGER,
                    state INTEGER NOT NULL,
                    delay INTEGER NOT NULL,
                    PRIMARY KEY (device, time, id)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO report
                    SELECT device, time, substr(id, 9), latitude, longitude, accuracy, altitude,
                        speed, course,
                        trigger | (coalesce(charging + 1, 0) << 4) | ((marks & 3) << 6)
                            | (coalesce(battery + 1, 0) << 8),
                        received - time
                    FROM report_before ORDER BY device, time;
                CREATE TABLE skewed (
                    device INTEGER NOT NULL,
                    id BLOB NOT NULL,
                    received INTEGER NOT NULL,
                    PRIMARY KEY (device, id)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO skewed
                    SELECT device, substr(id, 9), received FROM report_before WHERE marks & 1;
                CREATE TABLE waiting (
                    number INTEGER PRIMARY KEY,
                    device INTEGER NOT NULL,
                    time INTEGER NOT NULL,
                    id BLOB NOT NULL,
                    trace TEXT NOT NULL
                ) STRICT;
                INSERT INTO waiting
                    SELECT waiting_before.number, device, time, id, trace
                    FROM waiting_before
                        JOIN report_before ON report_before.id = waiting_before.report;
                CREATE INDEX waiting_by_device ON waiting (device, time);
                DROP TABLE waiting_before;
                DROP TABLE report_before;
                """),
        Migration(
            number: 15,
            sql: """
                ALTER TABLE report ADD COLUMN more BLOB;
                """),
    ]
}
