import Dialects
import IngestCore
import Model
import Store

/// The table of devices, one row each.
///
/// A new row is written at once. Changes by reports are written later, rows in order: until then
/// the reports contain the same data, and a start reads it from them.
final class DeviceTable {
    private let database: Database
    private let reports: ReportTable
    /// Bit per short number: devices whose rows are outdated.
    private var outdated: [UInt64] = []
    /// Devices that are written now, the last one first.
    private var turn: [DeviceID] = []
    private var nextTurn = Timestamp.zero

    init(database: Database, reports: ReportTable) {
        self.database = database
        self.reports = reports
    }

    /// Reads all devices.
    func load() throws -> [DeviceRow] {
        outdated.removeAll()
        turn.removeAll()
        var rows = try database.all(
            """
            SELECT number, device, person, seen, sequenced, battery, charging,
                time, latitude, longitude, accuracy, altitude, speed, course, client
            FROM device
            """
        ) { row in
            let person: PersonID = row.id(2)
            return DeviceRow(
                device: row.id(1), person: person, number: row.int64(0),
                partition: Partition.of(person), seen: row.time(3),
                newest: row.isNull(7) ? nil : Fix(row, from: 7), sequenced: row.time(4),
                battery: row.optionalInt64(5).map { UInt8(clamping: $0) },
                charging: row.optionalInt64(6).map { $0 != 0 },
                client: PhoneProtocol.named(row.text(14)))
        }
        for index in rows.indices {
            if let newest = rows[index].newest, !newest.isUsable(from: rows[index].client) {
                rows[index].newest = nil
            }
            try catchUp(&rows[index])
        }
        return rows
    }

    /// Updates a row from the device's newest report.
    private func catchUp(_ row: inout DeviceRow) throws {
        guard let report = try reports.newest(of: row.number),
            report.fix.isUsable(from: row.client),
            row.newest.map({ $0.time <= report.fix.time }) ?? (row.seen <= report.received)
        else { return }
        row.newest = report.fix
        // A phone sends its battery level without reports, too.
        if row.seen <= report.received {
            row.battery = report.state.battery ?? row.battery
            row.charging = report.state.charging ?? row.charging
        }
        row.seen = max(row.seen, report.received)
        row.sequenced = max(row.sequenced, try reports.newestSequenced(of: row.number) ?? .zero)
    }

    /// Marks a device's row as outdated.
    ///
    /// - Parameter number: its short number, from 1
    func markOutdated(_ number: Int64) {
        let word = Int(number / 64)
        while outdated.count <= word { outdated.append(0) }
        outdated[word] |= 1 << UInt64(number % 64)
    }

    private func isOutdated(_ number: Int64) -> Bool {
        let word = Int(number / 64)
        return word < outdated.count && outdated[word] & 1 << UInt64(number % 64) != 0
    }

    /// Writes some of the outdated rows, each at most once per interval.
    func writeSome(at now: Timestamp, of core: Core) throws {
        if turn.isEmpty, nextTurn <= now, !outdated.isEmpty {
            nextTurn = now + .seconds(Limits.deviceRowSeconds)
            turn = core.reports.devices { isOutdated($0.number) }
            outdated.removeAll()
        }
        for _ in 0..<Limits.deviceRowsPerTurn {
            guard let next = turn.popLast() else { return }
            // A device removed meanwhile is skipped.
            if let row = core.reports.devices[next] { try save(row) }
        }
    }

    /// Writes a row.
    func save(_ row: DeviceRow) throws {
        let fix = row.newest
        try database.run(
            """
            INSERT INTO device (number, device, person, seen, sequenced, battery, charging, time,
                latitude, longitude, accuracy, altitude, speed, course, client)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (number) DO UPDATE SET person = excluded.person, seen = excluded.seen,
                sequenced = excluded.sequenced, battery = excluded.battery,
                charging = excluded.charging, time = excluded.time, latitude = excluded.latitude,
                longitude = excluded.longitude, accuracy = excluded.accuracy,
                altitude = excluded.altitude, speed = excluded.speed, course = excluded.course,
                client = excluded.client
            """,
            .integer(row.number), .id(row.device), .id(row.person), .time(row.seen),
            .time(row.sequenced), .integer(row.battery), .integer(row.charging.map { $0 ? 1 : 0 }),
            .time(fix?.time), .integer(fix?.position.latitudeE7),
            .integer(fix?.position.longitudeE7), .integer(fix?.accuracyCentimetres),
            .integer(fix?.altitudeCentimetres), .integer(fix?.speedCentimetresPerSecond),
            .integer(fix?.courseDegrees), .text(row.client?.name ?? ""))
    }
}

extension Fix {
    /// False for invalid positions that older versions stored. The app of a fix is not stored, so
    /// the device's last app stands in.
    fileprivate func isUsable(from client: PhoneProtocol?) -> Bool {
        client == .jaga ? !position.isZero : !position.hasZero
    }
}

extension DeviceTable {
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE device (
                    number INTEGER PRIMARY KEY,
                    device BLOB NOT NULL UNIQUE,
                    person BLOB NOT NULL,
                    seen INTEGER NOT NULL,
                    sequenced INTEGER NOT NULL,
                    battery INTEGER,
                    charging INTEGER,
                    time INTEGER,
                    latitude INTEGER,
                    longitude INTEGER,
                    accuracy INTEGER,
                    altitude INTEGER,
                    speed INTEGER,
                    course INTEGER
                ) STRICT;
                CREATE TABLE primary_device (
                    person BLOB PRIMARY KEY,
                    device BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 12,
            sql: """
                CREATE INDEX device_by_person ON device (person);
                """),
    ]
}
