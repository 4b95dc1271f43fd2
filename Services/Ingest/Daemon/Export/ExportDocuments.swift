import Directory
import Model
import Parsing
import Store

/// Small documents about a person, for export. Data about other members of their circles is not
/// included.
enum ExportDocuments {
    /// Documents from the directory.
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

    /// Documents from ingest's store: the person's card, with the avatar as a separate file, and
    /// whether alarms are armed.
    static func kept(
        of person: PersonID, in database: Database
    ) throws -> (documents: [(name: String, JSON)], avatar: (name: String, bytes: [UInt8])?) {
        let card = try database.first(
            "SELECT name, avatar FROM card WHERE person = ?", .id(person)
        ) { row in
            (name: row.isNull(0) ? nil : row.text(0), avatar: row.isNull(1) ? nil : row.blob(1))
        }
        let avatar = card?.avatar.map { bytes in
            (name: bytes.first == 0x89 ? "avatar.png" : "avatar.jpg", bytes: bytes)
        }
        let isDisarmed =
            try database.first("SELECT 1 FROM disarmed WHERE person = ?", .id(person)) { _ in true }
        let shown: JSON = [
            "name": card?.name.map { .string($0) } ?? .null,
            "avatar": avatar.map { .string($0.name) } ?? .null,
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
                "card.json": "name on the maps of others, with the file of the avatar",
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
                "device-log.json": "what became of requests of the phones",
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
