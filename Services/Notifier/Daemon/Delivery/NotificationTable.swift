import Model
import NotifierCore
import Parsing
import Store

/// Notifications with their attempts and changes, and the built-in sink.
extension NotifierStore {
    func save(_ row: Notification) throws {
        try database.run(
            """
            INSERT INTO notifications (id, token, emergency, state, pending, created, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (id) DO UPDATE SET emergency = ?3, state = ?4, pending = ?5, body = ?7
            """, .id(row.id), .text(row.token), .id(row.emergency), .text(row.state.rawValue),
            .flag(row.isPending), .time(row.created), try text(row))
    }

    func save(_ row: Attempt) throws {
        try database.run(
            """
            INSERT INTO attempts
                (notification, number, gateway, started, finished, outcome, answer)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (notification, number)
            DO UPDATE SET finished = ?5, outcome = ?6, answer = ?7
            """, .id(row.notification), .integer(row.number), .text(row.gateway),
            .time(row.started), .time(row.finished), .text(row.outcome?.rawValue),
            .text(row.answer))
    }

    func append(_ row: NotificationChange) throws {
        try database.run(
            """
            INSERT INTO changes (notification, at, state, gateway, answer)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """, .id(row.notification), .time(row.at), .text(row.state.rawValue),
            .text(row.gateway), .text(row.answer))
    }

    func appendToSink(_ delivery: OutgoingMessage, at now: Timestamp) throws {
        try database.run(
            """
            INSERT INTO sink (notification, attempt, at, channel, address, subject, text)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, .id(delivery.notification), .integer(delivery.attempt), .time(now),
            .text(delivery.channel.rawValue), .text(delivery.address), .text(delivery.subject),
            .text(delivery.text))
    }

    func notification(_ id: NotificationID) throws -> Notification? {
        try first("SELECT body FROM notifications WHERE id = ?1", .id(id))
    }

    func notification(token: String) throws -> Notification? {
        try first("SELECT body FROM notifications WHERE token = ?1", .text(token))
    }

    /// Messages about an emergency, newest first.
    func notifications(of emergency: EmergencyID, limit: Int) throws -> [Notification] {
        try database.all(
            """
            SELECT body FROM notifications WHERE emergency = ?1 ORDER BY seq DESC LIMIT ?2
            """, .id(emergency), .integer(limit)
        ) { try NotifierStore.decode($0.text(0)) }
    }

    func notifications(
        in state: NotificationState?, before: Int64, limit: Int
    ) throws -> [(seq: Int64, row: Notification)] {
        try database.all(
            """
            SELECT seq, body FROM notifications WHERE seq < ?1 AND (?2 IS NULL OR state = ?2)
            ORDER BY seq DESC LIMIT ?3
            """, .integer(before), .text(state?.rawValue), .integer(limit)
        ) { (seq: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
    }

    /// Messages of the sink, each with its subject; nil = none or unknown.
    func sink(before: Int64, limit: Int) throws -> [(seq: Int64, person: PersonID?, json: JSON)] {
        try database.all(
            """
            SELECT sink.seq, notification, attempt, at, channel, address, subject, text,
                json_extract(notifications.body, '$.person')
            FROM sink LEFT JOIN notifications ON notifications.id = sink.notification
            WHERE sink.seq < ?1 ORDER BY sink.seq DESC LIMIT ?2
            """, .integer(before), .integer(limit)
        ) { row in
            let id: NotificationID = row.id(1)
            return (
                seq: row.int64(0), person: row.optionalText(8).flatMap { PersonID($0) },
                json: [
                    "notification": .string(id.description), "attempt": .integer(row.int64(2)),
                    "at": .string(row.time(3).description), "channel": .string(row.text(4)),
                    "to": .string(row.text(5)), "subject": .string(row.text(6)),
                    "text": .string(row.text(7)),
                ]
            )
        }
    }

    func attempts(of id: NotificationID) throws -> [JSON] {
        try database.all(
            """
            SELECT number, gateway, started, finished, outcome, answer FROM attempts
            WHERE notification = ?1 ORDER BY number
            """, .id(id)
        ) { row in
            [
                "number": .integer(row.int64(0)), "gateway": .string(row.text(1)),
                "started": .string(row.time(2).description),
                "finished": row.optionalTime(3).map { .string($0.description) } ?? nil,
                "outcome": row.optionalText(4).map(JSON.string) ?? nil,
                "answer": .string(row.text(5)),
            ]
        }
    }

    func changes(of id: NotificationID) throws -> [JSON] {
        try database.all(
            """
            SELECT at, state, gateway, answer FROM changes WHERE notification = ?1
            ORDER BY rowid
            """, .id(id)
        ) { row in
            [
                "at": .string(row.time(0).description), "state": .string(row.text(1)),
                "gateway": .string(row.text(2)), "answer": .string(row.text(3)),
            ]
        }
    }

    /// Deletes a message with its attempts.
    func erase(_ notification: NotificationID) throws {
        for table in ["attempts", "changes"] {
            try database.run("DELETE FROM \(table) WHERE notification = ?1", .id(notification))
        }
        try database.run("DELETE FROM notifications WHERE id = ?1", .id(notification))
    }
}
