import JourneysDaemon
import Model
import Parsing
import Store

/// A list of rows about a person in an export.
struct ExportList: Sendable {
    let file: String
    /// Selects rows of person ?1 after number ?2 in order, at most ?3; the first column is a unique
    /// number.
    let sql: String
    let json: @Sendable (Row) throws -> JSON

    private static let pageRows = 500

    func file(of person: PersonID, in database: Database) -> ExportFile {
        ExportFile(file) { (last: Int64?) in
            let rows = try database.all(
                sql, .id(person), .integer(last ?? .min), .integer(ExportList.pageRows)
            ) { row in (number: row.int64(0), json: try json(row)) }
            let isFull = rows.count == ExportList.pageRows
            return (rows.map(\.json), isFull ? rows.last?.number : nil)
        }
    }

    static let all: [ExportList] = [
        ExportList(
            file: "decisions.json",
            sql: """
                SELECT number, event, zone, time, kind, body FROM decision
                WHERE person = ?1 AND number > ?2 ORDER BY number LIMIT ?3
                """
        ) { row in
            [
                "id": row.json(1, EventID.self), "zone": row.json(2, ZoneID.self),
                "time": row.json(time: 3),
                "kind": .string(EventKind(rawValue: UInt16(clamping: row.int64(4)))?.type ?? ""),
                "decision": try JSON.parse(row.text(5)),
            ]
        },
        ExportList(
            file: "access-log.json",
            sql: """
                SELECT number, hour, viewer, kind, reason, count, asked FROM (
                    SELECT row_number() OVER (ORDER BY hour, viewer, kind, reason) AS number,
                        hour, viewer, kind, reason, count, asked
                    FROM access WHERE person = ?1)
                WHERE number > ?2 ORDER BY number LIMIT ?3
                """
        ) { row in
            let viewer = ID128(bytes: row.blob(2)[...]).map { PersonID($0) }
            return [
                "hour": .string(Timestamp(seconds: row.int64(1) * 3600).description),
                "viewer": viewer.map { .string($0.description) } ?? .null,
                "kind": .string(row.text(3)), "reason": .string(row.text(4)),
                "count": .integer(row.int64(5)), "asked": row.json(time: 6),
            ]
        },
        ExportList(
            file: "emergencies.json",
            sql: """
                SELECT number, id, emergency, trigger, raised, received, state, delivery_state,
                    ended FROM (
                    SELECT row_number() OVER (ORDER BY received, id) AS number, * FROM emergency
                    WHERE person = ?1 AND under_duress IS NULL)
                WHERE number > ?2 ORDER BY number LIMIT ?3
                """
        ) { row in
            [
                "id": row.json(1, EmergencyID.self), "emergency": row.json(2, EmergencyID.self),
                "trigger": .string(row.text(3)), "raised": row.json(time: 4),
                "received": row.json(time: 5),
                "state": .string(row.text(6)), "deliveryState": .string(row.text(7)),
                "ended": row.json(time: 8),
            ]
        },
        ExportList(
            file: "suggested-zones.json",
            sql: """
                SELECT number, device, name, latitude, longitude, radius, suggested FROM suggestion
                WHERE person = ?1 AND number > ?2 ORDER BY number LIMIT ?3
                """
        ) { row in
            [
                "device": row.json(1, DeviceID.self), "name": .string(row.text(2)),
                "lat": .number(Double(row.int64(3)) / 1e7),
                "lon": .number(Double(row.int64(4)) / 1e7),
                "radius": .integer(row.int64(5)), "suggested": row.json(time: 6),
            ]
        },
        ExportList(
            file: "conditions.json",
            sql: """
                SELECT number, device, impairments, since FROM (
                    SELECT row_number() OVER (ORDER BY device) AS number, * FROM condition
                    WHERE person = ?1)
                WHERE number > ?2 ORDER BY number LIMIT ?3
                """
        ) { row in
            [
                "device": row.json(1, DeviceID.self), "impairments": .string(row.text(2)),
                "since": row.json(time: 3),
            ]
        },
        ExportList(
            file: "reporting.json",
            sql: """
                SELECT number, device, body FROM (
                    SELECT row_number() OVER (ORDER BY device) AS number, * FROM policy
                    WHERE device IN (SELECT device FROM device WHERE person = ?1))
                WHERE number > ?2 ORDER BY number LIMIT ?3
                """
        ) { row in
            ["device": row.json(1, DeviceID.self), "policy": try JSON.parse(row.text(2))]
        },
        ExportList(
            file: "mqtt-topics.json",
            sql: """
                SELECT number, device, name, since FROM (
                    SELECT row_number() OVER (ORDER BY device, name) AS number, * FROM device_topic
                    WHERE device IN (SELECT device FROM device WHERE person = ?1))
                WHERE number > ?2 ORDER BY number LIMIT ?3
                """
        ) { row in
            [
                "device": row.json(1, DeviceID.self), "topic": .string(row.text(2)),
                "since": row.json(time: 3),
            ]
        },
        ExportList(
            file: "device-log.json",
            sql: """
                SELECT number, device, first, last, count, client, outcome, reason, status
                FROM device_log
                WHERE device IN (SELECT device FROM device WHERE person = ?1) AND number > ?2
                ORDER BY number LIMIT ?3
                """
        ) { row in
            [
                "device": row.json(1, DeviceID.self), "first": row.json(time: 2),
                "last": row.json(time: 3),
                "count": .integer(row.int64(4)), "client": .string(row.text(5)),
                "outcome": .string(row.text(6)), "reason": .string(row.text(7)),
                "status": .integer(row.int64(8)),
            ]
        },
        ExportList(
            file: "quarantine.json",
            sql: """
                SELECT number, device, path, reason, payload, received FROM quarantine
                WHERE person = ?1 AND number > ?2 ORDER BY number LIMIT ?3
                """
        ) { row in
            [
                "device": row.json(1, DeviceID.self), "path": .string(row.text(2)),
                "reason": .string(row.text(3)), "received": row.json(time: 5),
                "payload": .string(String(decoding: row.blob(4), as: UTF8.self)),
            ]
        },
    ]
}

extension Row {
    fileprivate func json<Kind>(_ column: Int, _ kind: Identifier<Kind>.Type) -> JSON {
        let id: Identifier<Kind>? = optionalID(column)
        return id.map { .string($0.description) } ?? .null
    }

    fileprivate func json(time column: Int) -> JSON {
        optionalTime(column).map { .string($0.description) } ?? .null
    }
}
