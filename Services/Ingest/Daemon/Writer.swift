import IngestCore
import Model
import Parsing
import Store

/// Writes the rows of effects in the turn's transaction.
struct Writer {
    let database: Database
    let reports: ReportTable
    let devices: DeviceTable
    let deviceLog: DeviceLogTable
    let quarantine: QuarantineTable

    init(database: Database) {
        self.database = database
        reports = ReportTable(database: database)
        devices = DeviceTable(database: database, reports: reports)
        deviceLog = DeviceLogTable(database: database)
        quarantine = QuarantineTable(database: database)
    }

    /// Records that an event of another service is applied.
    ///
    /// - Returns: false if it was applied before
    func isFirst(_ event: EventID, at time: Timestamp) throws -> Bool {
        try database.run(
            "INSERT OR IGNORE INTO applied (id, time) VALUES (?, ?)", .id(event), .time(time))
        return database.lastChanges == 1
    }

    /// Writes the row of an effect; ignores effects without rows.
    func write(_ effect: Effect) throws {
        switch effect {
        case .saveReport(let report, let device): try reports.save(report, of: device)
        case .saveReports(let all, let device): try reports.save(all, of: device)
        case .completeReport(let report, let device): try reports.complete(report, of: device)
        case .saveDevice(let row): try devices.save(row)
        case .updateDevice(let row): devices.markOutdated(row.number)
        case .savePrimaryDevice(let person, let device):
            try database.run(
                "INSERT OR REPLACE INTO leader (person, device) VALUES (?, ?)", .id(person),
                .id(device))
        case .wait(let row):
            try database.run(
                """
                INSERT INTO waiting (number, device, time, id, trace)
                SELECT ?, number, ?, ?, ? FROM device WHERE device = ?
                """, .integer(row.number), .time(row.report.fix.time), .id(row.report.id),
                .text(row.report.trace), .id(row.report.device))
        case .removeWaiting(let number):
            try database.run("DELETE FROM waiting WHERE number = ?", .integer(number))
        case .saveTime(let time):
            try database.run(
                """
                INSERT INTO sequence (one, time) VALUES (1, ?)
                ON CONFLICT (one) DO UPDATE SET time = excluded.time
                """, .time(time))
        case .saveLogic(let version):
            try database.run("UPDATE sequence SET logic = ?", .integer(version))
        case .saveEmergency(let row): try save(row)
        case .removeEmergency(let id):
            try database.run("DELETE FROM emergency WHERE id = ?", .id(id))
        case .removeApplied(let time):
            try database.run("DELETE FROM applied WHERE time < ?", .time(time))
            try reports.forgetSkewed(before: time)
        case .saveQuarantine, .removeQuarantine, .recordRetry: try writeQuarantine(effect)
        case .saveAccess(let row):
            try database.run(
                """
                INSERT INTO access (person, hour, viewer, asked) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET asked = coalesce(excluded.asked, asked)
                """,
                .id(row.person), .integer(row.hour), .blob(row.viewer?.raw.bytes ?? []),
                .time(row.asked))
        case .saveDeviceLog(let row): try deviceLog.save(row)
        case .device(let effect): try DeviceStatusWriter(database: database).write(effect)
        case .savePartition, .saveConfiguredCircle, .removeConfiguredCircle, .saveConfiguredPerson,
            .removeConfiguredPerson, .saveConfiguredPage, .removeConfiguredPage, .saveConfiguredSet,
            .removeConfiguredSet:
            try writeConfiguration(effect)
        case .saveArming, .saveAlarm, .removeAlarm, .savePolicy, .removePolicy, .saveWatch,
            .removeWatch, .saveDecision, .removeDecisions:
            try writeDecision(effect)
        case .saveExpectation, .removeExpectation, .saveContactState, .removeContactState,
            .saveContactLossHold:
            try writeContactState(effect)
        case .append, .raise, .answer, .journey, .erase: break
        }
    }

    /// Writes changes of the quarantine.
    private func writeQuarantine(_ effect: Effect) throws {
        switch effect {
        case .saveQuarantine(let row): try quarantine.save(row)
        case .removeQuarantine(let id):
            try database.run("DELETE FROM quarantine WHERE id = ?", .id(id))
        case .recordRetry(let id, let reason, let place, let time):
            try database.run(
                """
                UPDATE quarantine SET reason = coalesce(?, reason), place = coalesce(?, place),
                    retried = ? WHERE id = ?
                """, .text(reason?.rawValue), .integer(place), .time(time), .id(id))
        default: break
        }
    }

    /// Writes decisions of evaluators and the timer.
    private func writeDecision(_ effect: Effect) throws {
        switch effect {
        case .saveArming(let person, let armed):
            try database.run(
                armed
                    ? "DELETE FROM disarmed WHERE person = ?"
                    : "INSERT OR IGNORE INTO disarmed (person) VALUES (?)", .id(person))
        case .saveAlarm(let row):
            try database.run(
                "INSERT OR REPLACE INTO alarm (id, body) VALUES (?, ?)", .id(row.change.alarm),
                .text(try JSON.encode(row).text))
        case .removeAlarm(let alarm):
            try database.run("DELETE FROM alarm WHERE id = ?", .id(alarm))
        case .savePolicy(let row):
            try database.run(
                "INSERT OR REPLACE INTO policy (device, body) VALUES (?, ?)",
                .id(row.policy.device), .text(try JSON.encode(row).text))
        case .removePolicy(let device):
            try database.run("DELETE FROM policy WHERE device = ?", .id(device))
        case .saveWatch(let row):
            try database.run(
                "INSERT OR REPLACE INTO watching (person, watch, until) VALUES (?, ?, ?)",
                .id(row.person), .id(row.watch), .time(row.until))
        case .removeWatch(let person):
            try database.run("DELETE FROM watching WHERE person = ?", .id(person))
        case .saveDecision(let row):
            try database.run(
                """
                INSERT INTO decision (event, person, zone, time, kind, circles, exact, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, .id(row.event), .id(row.person), .id(row.zone), .time(row.time),
                .integer(row.kind.rawValue), .blob(IDList.write(row.circles.map(\.raw))),
                .blob(IDList.write(row.exactCircles.map(\.raw))),
                .text(try JSON.encode(row.body).text))
        case .removeDecisions(let person):
            try database.run("DELETE FROM decision WHERE person = ?", .id(person))
        default: break
        }
    }

    private func save(_ row: EmergencyRow) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO emergency (id, person, emergency, trigger, raised, received,
                countdown_ends, state, told, recipients, ended, ended_circles, joined_calls,
                last_joined)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .id(row.id), .id(row.person), .id(row.emergency), .text(row.trigger.rawValue),
            .time(row.raised), .time(row.received), .time(row.countdownEnds),
            .text(row.state.rawValue), .text(row.deliveryState.rawValue),
            .blob(IDList.write(row.recipients.map(\.raw))), .time(row.ended),
            .blob(IDList.write(row.endedCircles.map(\.raw))), .integer(row.joinedCalls),
            .text(try row.lastJoined.map { try JSON.encode($0).text }))
    }

    private func writeConfiguration(_ effect: Effect) throws {
        switch effect {
        case .savePartition(let partition):
            try database.run(
                "INSERT OR IGNORE INTO partition (number) VALUES (?)", .integer(partition.number))
        case .saveConfiguredCircle(let row):
            try database.run(
                "INSERT OR REPLACE INTO configured_circle VALUES (?, ?, ?)",
                .id(row.circle), .integer(row.partition.number), .id(row.digest))
        case .removeConfiguredCircle(let circle, let partition):
            try database.run(
                "DELETE FROM configured_circle WHERE circle = ? AND partition = ?", .id(circle),
                .integer(partition.number))
        case .saveConfiguredPerson(let row):
            try database.run(
                "INSERT OR REPLACE INTO configured_person (person, digest) VALUES (?, ?)",
                .id(row.person), .id(row.digest))
        case .removeConfiguredPerson(let person):
            try database.run("DELETE FROM configured_person WHERE person = ?", .id(person))
        default: try writeConfiguredSet(effect)
        }
    }

    private func writeConfiguredSet(_ effect: Effect) throws {
        switch effect {
        case .saveConfiguredPage(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO configured_page (owner, page, partition, digest)
                VALUES (?, ?, ?, ?)
                """, .id(row.set), .integer(row.page), .integer(row.partition.number),
                .id(row.digest))
        case .removeConfiguredPage(let set, let page, let partition):
            try database.run(
                "DELETE FROM configured_page WHERE owner = ? AND partition = ? AND page = ?",
                .id(set), .integer(partition.number), .integer(page))
        case .saveConfiguredSet(let set, let partition):
            try database.run(
                "INSERT OR IGNORE INTO configured_set (owner, partition) VALUES (?, ?)", .id(set),
                .integer(partition.number))
        case .removeConfiguredSet(let set, let partition):
            for table in ["configured_set", "configured_page"] {
                try database.run(
                    "DELETE FROM \(table) WHERE owner = ? AND partition = ?", .id(set),
                    .integer(partition.number))
            }
        default: break
        }
    }
}
