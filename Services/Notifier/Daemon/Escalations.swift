import Directory
import Model
import NotifierCore
import Parsing
import Store
import Web

// Emergencies for the operator: whom to call, and who was notified how.
extension NotifierService {
    /// Emergencies, newest first: active ones, or ended ones with `?state=ended`.
    func escalations(_ request: Request) throws -> Response {
        let page = try Page(request)
        let replica = host.replica
        switch request.query["state"] ?? "active" {
        case "active":
            let all = core.activeEmergencies
            let items = all.prefix(page.limit).map { Documents.escalation($0, in: replica) }
            return .json(["items": .array(Array(items)), "next": nil])
        case "ended":
            let rows = try store.endedEmergencies(before: page.before, limit: page.limit)
            return page.response(
                rows.map { ($0.ended, Documents.escalation($0.row, in: replica)) })
        default:
            throw Problem.invalid("no such state", field: "state", hint: "active or ended")
        }
    }

    /// One emergency with contact points and messages of everyone concerned, without a position.
    ///
    /// The access is recorded for everyone whose contact points it shows.
    func escalation(_ id: EmergencyID, for principal: Principal) throws -> Response {
        guard let row = try core.emergency(id) ?? store.emergency(id) else {
            throw Problem.notFound(
                "there is no such emergency", hint: "GET /v1/escalations lists them")
        }
        // Access to names and numbers is logged; the id identifies nobody.
        host.log.info("operator read contacts of an emergency", ["emergency": row.id])
        let messages = try store.notifications(of: row.id, limit: Limits.escalationMessagesMax)
        let replica = host.replica
        let others = Documents.recipients(of: row, in: replica)
        try recordAccess(to: [row.person] + others, by: principal)
        return .json(Documents.escalation(row, messages: messages, in: replica))
    }

    /// Emergencies that have been unacknowledged for too long, each with the next command.
    var unacknowledged: [String] {
        core.activeEmergencies.filter { $0.state == .open }.compactMap { emergency in
            let since = emergency.reopened ?? emergency.opened ?? emergency.raised
            guard host.now - since >= Limits.unacknowledgedAlarmAge else { return nil }
            return "emergency \(emergency.id) is not acknowledged; run jaga emergency show "
                + "\(emergency.id)"
        }
    }
}

extension Documents {
    /// An entry of the list: names, no numbers.
    static func escalation(_ row: Emergency, in directory: Replica) -> JSON {
        func time(_ time: Timestamp?) -> JSON { time.map { .string($0.description) } ?? .null }
        return [
            "id": .string(row.id.description), "reference": .string(row.reference),
            "person": person(row.person, in: directory), "state": .string(row.state.rawValue),
            "trigger": .string(row.trigger.rawValue), "raised": time(row.raised),
            "opened": time(row.opened), "ended": time(row.ended),
            "acknowledged": row.firstAcknowledgement.map {
                ["by": person($0.by, in: directory), "at": time($0.at)]
            } ?? .null,
            "notified": .integer(Int64(row.recipients.count)), "held": .bool(row.isHeld == true),
        ]
    }

    /// - Parameter messages: messages about it, newest first
    static func escalation(
        _ row: Emergency, messages: [Notification], in directory: Replica
    ) -> JSON {
        var members = escalation(row, in: directory).object ?? []
        members.append(.init("note", row.note.map(JSON.string) ?? .null))
        members.append(.init("contacts", contacts(of: row.person, in: directory)))
        let circles = Documents.circles(of: row, in: directory)
        let notified = Set(row.recipients)
        var recipients: [JSON] = []
        for person in Documents.recipients(of: row, in: directory) {
            let own = messages.filter { $0.recipient == person }
            recipients.append([
                "person": Documents.person(person, in: directory),
                "notified": .bool(notified.contains(person)),
                "circles": .array(
                    circles.compactMap { circle in
                        circle.member(person).map {
                            ["name": .string(circle.name), "role": .string($0.role.rawValue)]
                        }
                    }),
                "contacts": contacts(of: person, in: directory),
                "messages": .array(own.map(message)),
            ])
        }
        members.append(.init("recipients", .array(recipients)))
        return .object(members)
    }

    /// People who were notified, then the other members of the person's circles.
    static func recipients(of row: Emergency, in directory: Replica) -> [PersonID] {
        var listed: Set<PersonID> = [row.person]
        let members = circles(of: row, in: directory).flatMap { $0.members.map(\.person) }
        return (row.recipients + members).filter { listed.insert($0).inserted }
    }

    private static func circles(of row: Emergency, in directory: Replica) -> [Circle] {
        directory.sortedCircles.filter { $0.member(row.person)?.joined != nil }
    }

    private static func contacts(of person: PersonID, in directory: Replica) -> JSON {
        .array(
            (directory.person(person)?.contacts ?? []).sorted { $0.rank < $1.rank }.map {
                ["channel": .string($0.channel.rawValue), "address": .string($0.address)]
            })
    }

    private static func message(_ row: Notification) -> JSON {
        [
            "id": .string(row.id.description), "created": .string(row.created.description),
            "reason": .string(row.reason.rawValue), "channel": .string(row.channel.rawValue),
            "to": .string(row.address), "state": .string(row.state.rawValue),
            "gateway": .string(row.gateway), "answer": .string(row.answer),
        ]
    }
}

extension NotifierStore {
    func emergency(_ id: EmergencyID) throws -> Emergency? {
        let text = try database.first("SELECT body FROM emergencies WHERE id = ?1", .id(id)) {
            $0.text(0)
        }
        return try text.map { try NotifierStore.decode($0) }
    }

    /// Ended emergencies, newest end first.
    ///
    /// - Parameter before: microseconds since 1970, exclusive
    func endedEmergencies(
        before: Int64, limit: Int
    ) throws -> [(ended: Int64, row: Emergency)] {
        try database.all(
            """
            SELECT ended, body FROM emergencies WHERE ended IS NOT NULL AND ended < ?1
            ORDER BY ended DESC LIMIT ?2
            """, .integer(before), .integer(limit)
        ) { (ended: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
    }

    /// Messages about an emergency, newest first.
    func notifications(of emergency: EmergencyID, limit: Int) throws -> [Notification] {
        try database.all(
            """
            SELECT body FROM notifications WHERE emergency = ?1 ORDER BY seq DESC LIMIT ?2
            """, .id(emergency), .integer(limit)
        ) { try NotifierStore.decode($0.text(0)) }
    }
}
