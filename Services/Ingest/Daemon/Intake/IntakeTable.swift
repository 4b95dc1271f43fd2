import IngestCore
import Model
import Store

/// The tables `report`, `device`, `primary_device` and `waiting`.
struct IntakeTable {
    let database: Database
    let reports: ReportTable
    let devices: DeviceTable

    init(database: Database) {
        self.database = database
        reports = ReportTable(database: database)
        devices = DeviceTable(database: database, reports: reports)
    }

    func write(_ effect: IntakeEffect) throws {
        switch effect {
        case .saveReports(let all, let device): try reports.save(all, of: device)
        case .completeReport(let report, let device): try reports.complete(report, of: device)
        case .saveDevice(let row): try devices.save(row)
        case .updateDevice(let row): devices.markOutdated(row.number)
        case .savePrimaryDevice(let person, let device):
            try database.run(
                "INSERT OR REPLACE INTO primary_device (person, device) VALUES (?, ?)", .id(person),
                .id(device))
        case .saveWaiting(let row):
            try database.run(
                """
                INSERT INTO waiting (number, device, time, id, trace)
                SELECT ?, number, ?, ?, ? FROM device WHERE device = ?
                """, .integer(row.number), .time(row.report.fix.time), .id(row.report.id),
                .text(row.report.trace), .id(row.report.device))
        case .removeWaiting(let number):
            try database.run("DELETE FROM waiting WHERE number = ?", .integer(number))
        }
    }

    func load(into stored: inout Core.Stored) throws {
        try reports.load()
        stored.devices = try devices.load()
        try database.rows("SELECT person, device FROM primary_device") { row in
            stored.firstDevices[row.id(0)] = row.id(1)
        }
        stored.waiting = try database.all(
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
}
