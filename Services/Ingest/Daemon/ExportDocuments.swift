import Directory
import IngestCore
import Model
import Parsing
import Store

/// The directory's data about a person, for export. Data about other members of their circles is
/// not included.
enum ExportDocuments {
    static func all(of person: PersonID, in directory: Replica) -> [(name: String, JSON)] {
        let zones = directory.zones(of: person).map { zone in json(of: zone, without: "prepared") }
        return [
            ("about.json", about(person)),
            ("person.json", directory.person(person).map { json(of: $0) } ?? .null),
            ("devices.json", .array(directory.devices(of: person).map { json(of: $0) })),
            ("credentials.json", .array(directory.credentials(of: person).map(credential))),
            ("circles.json", .array(circles(of: person, in: directory))),
            ("zones.json", .array(zones)),
            (
                "zone-messages.json",
                .array(directory.messages(of: .person(person)).map { json(of: $0) })
            ),
        ]
    }

    /// Small documents from ingest's store: the person's card, with the avatar as a separate file,
    /// and whether alarms are armed.
    static func kept(
        of person: PersonID, in database: Database
    ) throws -> (documents: [(name: String, JSON)], avatar: (name: String, bytes: [UInt8])?) {
        let card = try database.first(
            "SELECT name, face FROM card WHERE person = ?", .id(person)
        ) { row in
            (name: row.isNull(0) ? nil : row.text(0), avatar: row.isNull(1) ? nil : row.blob(1))
        }
        let avatar = card?.avatar.map { bytes in
            (name: bytes.first == 0x89 ? "face.png" : "face.jpg", bytes: bytes)
        }
        let isDisarmed =
            try database.first("SELECT 1 FROM disarmed WHERE person = ?", .id(person)) { _ in true }
        let shown: JSON = [
            "name": card?.name.map { .string($0) } ?? .null,
            "face": avatar.map { .string($0.name) } ?? .null,
        ]
        return (
            [("card.json", shown), ("alarms.json", ["armed": .bool(isDisarmed == nil)])], avatar
        )
    }

    private static func about(_ person: PersonID) -> JSON {
        [
            "person": .string(person.description),
            "files": [
                "person.json": "account and contact points",
                "devices.json": "phones", "credentials.json": "when tokens were made",
                "card.json": "name on the maps of others, with the file of the face",
                "circles.json": "membership of circles", "zones.json": "private zones",
                "zone-messages.json": "texts that private zones send",
                "reports": "every report of each phone that is kept, as GeoJSON",
                "journeys": "journeys with their fixes (GeoJSON) and what is pinned to them",
                "photos": "photos of journeys",
                "decisions.json": "what was decided about the person and zones",
                "access-log.json": "who saw the person",
                "emergencies.json": "calls for help",
                "suggested-zones.json": "circles drawn on the phones",
                "conditions.json": "what keeps phones from reporting",
                "alarms.json": "whether alarms are on",
                "reporting.json": "how phones are asked to report",
                "mqtt-topics.json": "names of phones at the operator's broker",
                "diary.json": "what became of requests of the phones",
                "quarantine.json": "what phones sent and nobody could use",
            ],
            "elsewhere": .array([
                .string("GET /v1/people/\(person)/notifications"),
                .string("GET /v1/people/\(person)/drafts"), .string("GET /v1/watches"),
            ]),
        ]
    }

    private static func json(of value: some Encodable, without field: String = "") -> JSON {
        guard let json = try? JSON.encode(value) else { return .null }
        guard case .object(let members) = json else { return json }
        return .object(members.filter { $0.key != field })
    }

    private static func credential(_ credential: Credential) -> JSON {
        [
            "id": .string(credential.id.description),
            "device": credential.device.map { .string($0.description) } ?? .null,
            "created": .string(credential.created.description),
        ]
    }

    private static func circles(of person: PersonID, in directory: Replica) -> [JSON] {
        (directory.circles(of: person) + directory.invitations(of: person)).compactMap { id in
            guard let circle = directory.circle(id),
                let member = circle.members.first(where: { $0.person == person })
            else { return nil }
            return [
                "id": .string(id.description), "name": .string(circle.name),
                "historyDays": .integer(Int64(circle.historyDays ?? 0)),
                "membership": json(of: member),
            ]
        }
    }
}

/// Lists of rows about a person.
enum ExportList: CaseIterable {
    case decisions, access, emergencies, suggestions, conditions, policies, topics, deviceLog,
        quarantine

    /// Rows per portion.
    static let pageRows = 500

    var file: String {
        switch self {
        case .decisions: "decisions.json"
        case .access: "access-log.json"
        case .emergencies: "emergencies.json"
        case .suggestions: "suggested-zones.json"
        case .conditions: "conditions.json"
        case .policies: "reporting.json"
        case .topics: "mqtt-topics.json"
        case .deviceLog: "diary.json"
        case .quarantine: "quarantine.json"
        }
    }

    /// One page of rows, ordered by a unique number.
    func page(
        of person: PersonID, after last: Int64, in database: Database
    ) throws -> [(number: Int64, json: JSON)] {
        try database.all(
            sql, .id(person), .integer(last), .integer(ExportList.pageRows)
        ) { row in (number: row.int64(0), json: try json(row)) }
    }

    private var sql: String {
        switch self {
        case .decisions:
            """
            SELECT number, event, zone, time, kind, body FROM decision
            WHERE person = ?1 AND number > ?2 ORDER BY number LIMIT ?3
            """
        case .access:
            """
            SELECT number, hour, viewer, asked FROM (
                SELECT row_number() OVER (ORDER BY hour, viewer) AS number, hour, viewer, asked
                FROM access WHERE person = ?1)
            WHERE number > ?2 ORDER BY number LIMIT ?3
            """
        case .emergencies:
            """
            SELECT number, id, emergency, trigger, raised, received, state, told, ended FROM (
                SELECT row_number() OVER (ORDER BY received, id) AS number, * FROM emergency
                WHERE person = ?1)
            WHERE number > ?2 ORDER BY number LIMIT ?3
            """
        case .suggestions:
            """
            SELECT number, device, name, latitude, longitude, radius, offered FROM suggestion
            WHERE person = ?1 AND number > ?2 ORDER BY number LIMIT ?3
            """
        case .conditions:
            """
            SELECT number, device, hindrances, since FROM (
                SELECT row_number() OVER (ORDER BY device) AS number, * FROM condition
                WHERE person = ?1)
            WHERE number > ?2 ORDER BY number LIMIT ?3
            """
        case .policies:
            """
            SELECT number, device, body FROM (
                SELECT row_number() OVER (ORDER BY device) AS number, * FROM policy
                WHERE device IN (SELECT device FROM device WHERE person = ?1))
            WHERE number > ?2 ORDER BY number LIMIT ?3
            """
        case .topics:
            """
            SELECT number, device, name, since FROM (
                SELECT row_number() OVER (ORDER BY device, name) AS number, * FROM device_topic
                WHERE device IN (SELECT device FROM device WHERE person = ?1))
            WHERE number > ?2 ORDER BY number LIMIT ?3
            """
        case .deviceLog:
            """
            SELECT number, device, first, last, count, client, outcome, reason, status
            FROM device_log
            WHERE device IN (SELECT device FROM device WHERE person = ?1) AND number > ?2
            ORDER BY number LIMIT ?3
            """
        case .quarantine:
            """
            SELECT number, device, path, reason, payload, received FROM quarantine
            WHERE person = ?1 AND number > ?2 ORDER BY number LIMIT ?3
            """
        }
    }

    private func json(_ row: Row) throws -> JSON {
        func id<Kind>(_ column: Int, _ kind: Identifier<Kind>.Type) -> JSON {
            let id: Identifier<Kind>? = row.optionalID(column)
            return id.map { .string($0.description) } ?? .null
        }
        func time(_ column: Int) -> JSON {
            row.optionalTime(column).map { .string($0.description) } ?? .null
        }
        switch self {
        case .decisions:
            return [
                "id": id(1, EventID.self), "zone": id(2, ZoneID.self), "time": time(3),
                "kind": .string(EventKind(rawValue: UInt16(clamping: row.int64(4)))?.type ?? ""),
                "decision": try JSON.parse(row.text(5)),
            ]
        case .access:
            let viewer = ID128(bytes: row.blob(2)[...]).map { PersonID($0) }
            return [
                "hour": .string(Timestamp(seconds: row.int64(1) * 3600).description),
                "viewer": viewer.map { .string($0.description) } ?? .null, "asked": time(3),
            ]
        case .emergencies:
            return [
                "id": id(1, EmergencyID.self), "emergency": id(2, EmergencyID.self),
                "trigger": .string(row.text(3)), "raised": time(4), "received": time(5),
                "state": .string(row.text(6)), "told": .string(row.text(7)), "ended": time(8),
            ]
        case .suggestions:
            return [
                "device": id(1, DeviceID.self), "name": .string(row.text(2)),
                "lat": .number(Double(row.int64(3)) / 1e7),
                "lon": .number(Double(row.int64(4)) / 1e7),
                "radius": .integer(row.int64(5)), "offered": time(6),
            ]
        case .conditions:
            return [
                "device": id(1, DeviceID.self), "hindrances": .string(row.text(2)),
                "since": time(3),
            ]
        case .policies:
            return ["device": id(1, DeviceID.self), "policy": try JSON.parse(row.text(2))]
        case .topics:
            return [
                "device": id(1, DeviceID.self), "topic": .string(row.text(2)), "since": time(3),
            ]
        case .deviceLog:
            return [
                "device": id(1, DeviceID.self), "first": time(2), "last": time(3),
                "count": .integer(row.int64(4)), "client": .string(row.text(5)),
                "outcome": .string(row.text(6)), "reason": .string(row.text(7)),
                "status": .integer(row.int64(8)),
            ]
        case .quarantine:
            return [
                "device": id(1, DeviceID.self), "path": .string(row.text(2)),
                "reason": .string(row.text(3)), "received": time(5),
                "payload": .string(String(decoding: row.blob(4), as: UTF8.self)),
            ]
        }
    }
}
