import Hashing
import IngestCore
import Model
import Parsing
import Store

/// Reads everything that the core starts from.
struct StoredState {
    let database: Database

    func load() throws -> Core.Stored {
        var stored = Core.Stored()
        stored.devices = try devices()
        try database.rows("SELECT person, device FROM leader") { row in
            stored.firstDevices[row.id(0)] = row.id(1)
        }
        stored.waiting = try waiting()
        stored.emergencies = try emergencies()
        stored.placedCircles = try database.all(
            "SELECT circle, partition, digest FROM placed_circle"
        ) { row in
            PlacedCircleRow(circle: row.id(0), partition: partition(row.int(1)), digest: row.id(2))
        }
        stored.placedPeople = try database.all("SELECT person, digest FROM placed_person") { row in
            PlacedPersonRow(person: row.id(0), digest: row.id(1))
        }
        stored.placedSets = try database.all("SELECT owner, partition FROM placed_set") { row in
            PlacedSetRow(set: row.id(0), partition: partition(row.int(1)))
        }
        stored.placedPages = try database.all(
            "SELECT owner, page, partition, digest FROM placed_page"
        ) { row in
            PlacedPageRow(
                set: row.id(0), page: row.int(1), partition: partition(row.int(2)),
                digest: row.id(3))
        }
        stored.disarmed = try database.all("SELECT person FROM disarmed") { $0.id(0) }
        stored.alarms = try database.all("SELECT body FROM alarm") { row in
            try JSON.parse(row.text(0)).decode(AlarmRow.self)
        }
        stored.policies = try database.all("SELECT body FROM policy") { row in
            try JSON.parse(row.text(0)).decode(PolicyRow.self)
        }
        stored.watching = try database.all("SELECT person, watch, until FROM watching") { row in
            WatchingRow(person: row.id(0), watch: row.id(1), until: row.time(2))
        }
        try phones(into: &stored)
        try JourneyStore(database: database).load(into: &stored)
        try loadSilences(into: &stored)
        stored.partitions = try database.all("SELECT number FROM partition") { row in
            partition(row.int(0))
        }
        let sequence = try database.first("SELECT time, logic FROM sequence") { row in
            (time: row.time(0), logic: UInt16(row.int(1)))
        }
        if let sequence { (stored.time, stored.logic) = sequence }
        return stored
    }

    private func partition(_ number: Int) -> Partition {
        guard let partition = Partition(number) else {
            fatalError("the store holds partitions 0 to 63, not \(number)")
        }
        return partition
    }

    private func devices() throws -> [DeviceRow] {
        try database.all(
            """
            SELECT number, device, person, seen, sequenced, battery, charging,
                time, latitude, longitude, accuracy, altitude, speed, course
            FROM device
            """
        ) { row in
            let person: PersonID = row.id(2)
            return DeviceRow(
                device: row.id(1), person: person, number: row.int64(0),
                partition: Partition.of(person), seen: row.time(3),
                newest: row.isNull(7) ? nil : fix(row, from: 7), sequenced: row.time(4),
                battery: row.optionalInt64(5).map { UInt8(clamping: $0) },
                charging: row.optionalInt64(6).map { $0 != 0 })
        }
    }

    /// Seven columns: time, latitude, longitude, accuracy, altitude, speed, course.
    private func fix(_ row: Row, from column: Int) -> Fix {
        func optional(_ offset: Int) -> Int32? {
            row.optionalInt64(column + offset).map { Int32(clamping: $0) }
        }
        return Fix(
            time: row.time(column),
            position: Coordinate(
                latitudeE7: Int32(clamping: row.int64(column + 1)),
                longitudeE7: Int32(clamping: row.int64(column + 2))),
            accuracyCentimetres: Int32(clamping: row.int64(column + 3)),
            altitudeCentimetres: optional(4), speedCentimetresPerSecond: optional(5),
            courseDegrees: optional(6))
    }

    private func waiting() throws -> [WaitingRow] {
        try database.all(
            """
            SELECT waiting.number, waiting.trace, report.id, device.device, device.person,
                report.time, report.latitude, report.longitude, report.accuracy, report.altitude,
                report.speed, report.course, report.trigger, report.battery, report.charging,
                report.marks, report.received
            FROM waiting JOIN report ON report.id = waiting.report
                JOIN device ON device.number = report.device
            ORDER BY waiting.number
            """
        ) { row in
            let marks = ReportMarks(rawValue: row.int64(15))
            return WaitingRow(
                number: row.int64(0),
                report: Report(
                    id: row.id(2), person: row.id(4), device: row.id(3), fix: fix(row, from: 5),
                    trigger: Trigger(rawValue: UInt8(clamping: row.int64(12))) ?? .periodic,
                    battery: row.optionalInt64(13).map { UInt8(clamping: $0) },
                    charging: row.optionalInt64(14).map { $0 != 0 },
                    clockSkew: marks.contains(.clockSkew), late: marks.contains(.late),
                    received: row.time(16), trace: row.text(1)))
        }
    }

    private func emergencies() throws -> [EmergencyRow] {
        try database.all(
            """
            SELECT id, person, emergency, trigger, raised, received, countdown_ends, state, told,
                recipients, ended
            FROM emergency
            """
        ) { row in
            EmergencyRow(
                id: row.id(0), person: row.id(1), emergency: row.id(2),
                trigger: EmergencyTrigger(rawValue: row.text(3)) ?? .panic, raised: row.time(4),
                received: row.time(5), countdownEnds: row.time(6),
                state: EmergencyState(rawValue: row.text(7)) ?? .open,
                told: Told(rawValue: row.text(8)) ?? .none,
                recipients: IDList.read(row.blob(9)).map { PersonID($0) },
                ended: row.optionalTime(10))
        }
    }
}

/// Marks of a stored report.
struct ReportMarks: OptionSet {
    let rawValue: Int64
    static let clockSkew = ReportMarks(rawValue: 1)
    static let late = ReportMarks(rawValue: 2)
}

/// Ids one after another, sixteen bytes each.
enum IDList {
    static func write(_ ids: some Sequence<ID128>) -> [UInt8] {
        var bytes: [UInt8] = []
        for id in ids { id.appendBytes(to: &bytes) }
        return bytes
    }

    static func read(_ bytes: [UInt8]) -> [ID128] {
        stride(from: 0, to: bytes.count, by: 16).compactMap { start in
            ID128(bytes: bytes[start..<min(start + 16, bytes.count)])
        }
    }
}
