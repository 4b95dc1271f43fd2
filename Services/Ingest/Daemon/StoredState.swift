import Hashing
import IngestCore
import Model
import Parsing
import Store

/// Loads the state with which the core starts.
struct StoredState {
    let writer: Writer
    var database: Database { writer.database }

    func load() throws -> Core.Stored {
        var stored = Core.Stored()
        try writer.reports.load()
        stored.devices = try writer.devices.load()
        try database.rows("SELECT person, device FROM leader") { row in
            stored.firstDevices[row.id(0)] = row.id(1)
        }
        stored.waiting = try waiting()
        stored.emergencies = try emergencies()
        stored.configuredCircles = try database.all(
            "SELECT circle, partition, digest FROM configured_circle"
        ) { row in
            ConfiguredCircleRow(
                circle: row.id(0), partition: partition(row.int(1)), digest: row.id(2))
        }
        stored.configuredPeople = try database.all("SELECT person, digest FROM configured_person") {
            row in
            ConfiguredPersonRow(person: row.id(0), digest: row.id(1))
        }
        stored.configuredSets = try database.all("SELECT owner, partition FROM configured_set") {
            row in
            ConfiguredSetRow(set: row.id(0), partition: partition(row.int(1)))
        }
        stored.configuredPages = try database.all(
            "SELECT owner, page, partition, digest FROM configured_page"
        ) { row in
            ConfiguredPageRow(
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
        stored.watches = try database.all("SELECT person, watch, until FROM watching") { row in
            WatchRow(person: row.id(0), watch: row.id(1), until: row.time(2))
        }
        try phones(into: &stored)
        try JourneyStore(database: database).load(into: &stored)
        try loadContactStates(into: &stored)
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
            fatalError("the store must contain partitions 0 to 63, not \(number)")
        }
        return partition
    }

    private func waiting() throws -> [WaitingRow] {
        try database.all(
            """
            SELECT \(StoredReport.columns), waiting.number, waiting.id, waiting.trace,
                device.device, device.person
            FROM waiting
                JOIN report ON report.device = waiting.device AND report.time = waiting.time
                    AND report.id = substr(waiting.id, 9)
                JOIN device ON device.number = waiting.device
            ORDER BY waiting.number
            """
        ) { row in
            let stored = StoredReport(row)
            return WaitingRow(
                number: row.int64(11),
                report: Report(
                    id: row.id(12), person: row.id(15), device: row.id(14), fix: stored.fix,
                    trigger: stored.state.trigger, battery: stored.state.battery,
                    charging: stored.state.charging, clockSkew: stored.state.clockSkew,
                    late: stored.state.late, received: stored.received, trace: row.text(13)))
        }
    }

    private func emergencies() throws -> [EmergencyRow] {
        try database.all(
            """
            SELECT id, person, emergency, trigger, raised, received, countdown_ends, state, told,
                recipients, ended, ended_circles, joined_calls, last_joined
            FROM emergency
            """
        ) { row in
            EmergencyRow(
                id: row.id(0), person: row.id(1), emergency: row.id(2),
                trigger: EmergencyTrigger(rawValue: row.text(3)) ?? .panic, raised: row.time(4),
                received: row.time(5), countdownEnds: row.time(6),
                state: EmergencyState(rawValue: row.text(7)) ?? .open,
                deliveryState: DeliveryState(rawValue: row.text(8)) ?? .none,
                recipients: IDList.read(row.blob(9)).map { PersonID($0) },
                ended: row.optionalTime(10),
                endedCircles: IDList.read(row.blob(11)).map { CircleID($0) },
                joinedCalls: row.int(12),
                lastJoined: try row.optionalText(13).map {
                    try JSON.parse($0).decode(EmergencySignal.self)
                })
        }
    }
}

/// Concatenated ids, sixteen bytes each.
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
