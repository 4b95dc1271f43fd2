import Directory
import Hosting
import Model
import NotifierCore
import Parsing
import Runtime
import Web

/// Requests about emergencies: commands of people, and for the operator, whom to call and who was
/// notified how.
struct EscalationRequests {
    let context: RequestContext

    /// Reads an acknowledgement, resolution or confirmation. The body may be empty or contain a
    /// note.
    func command(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws -> Command {
        let emergency = try parameters.id("emergency", EmergencyID.self)
        return Command(
            request: request.id, emergency: emergency, principal: principal,
            note: try note(of: request), trace: request.trace)
    }

    /// Reads the person's confirmation of an end, with their PIN if one is set.
    func confirmation(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws -> Command {
        var command = try command(request, parameters, by: principal)
        command.pin = try request.pin()
        return command
    }

    /// Reads an acknowledgement with the code of a message.
    func referenceCommand(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws -> ReferenceCommand {
        ReferenceCommand(
            request: request.id, code: parameters["code"], principal: principal,
            note: try note(of: request), trace: request.trace)
    }

    private func note(of request: Request) throws -> String? {
        var note: String?
        if !request.body.isEmpty {
            let member = try request.json()["note"]
            note = member?.string
            if let member, !member.isNull, note == nil {
                throw Problem.invalid("not a string", field: "note")
            }
        }
        if let note, note.count > Limits.commandNoteCharactersMax {
            throw Problem.invalid(
                "the note is too long", field: "note",
                hint: "at most \(Limits.commandNoteCharactersMax) characters")
        }
        return note
    }

    /// Emergencies, newest first: active ones, or ended ones with `?state=ended`.
    func list(_ request: Request, for reader: PersonID?) throws -> RequestOutcome {
        let page = try Page(request)
        let directory = context.directory
        switch request.query["state"] ?? "active" {
        case "active":
            let items = context.core.escalation.active.filter { mayRead($0, reader) }
                .prefix(page.limit).map {
                    Documents.escalation($0, in: directory)
                }
            return .respond(.json(["items": .array(items), "next": nil]))
        case "ended":
            var found: [(seq: Int64, json: JSON)] = []
            var before = page.before
            while found.count < page.limit {
                let rows = try context.store.endedEmergencies(
                    for: reader, before: before, limit: page.limit)
                found += rows.filter { mayRead($0.row, reader) }
                    .map { ($0.ended, Documents.escalation($0.row, in: directory)) }
                guard rows.count == page.limit, let last = rows.last else { break }
                before = last.ended
            }
            return .respond(page.response(Array(found.prefix(page.limit))))
        default:
            throw Problem.invalid("no such state", field: "state", hint: "active or ended")
        }
    }

    /// What the caller may do about an emergency, about its person, and in a circle of both:
    /// `?circle=`, or the first.
    func rights(
        in id: EmergencyID, _ request: Request, of principal: Principal
    ) throws -> RequestOutcome {
        let (directory, now) = (context.directory, context.now)
        let row = try context.core.escalation.emergency(id) ?? context.store.emergency(id)
        let isRecipient = principal.person.map { row?.recipients.contains($0) ?? false } ?? false
        let target = RightsTarget.emergency(
            of: row?.person ?? PersonID(.zero), isRecipient: isRecipient, isAcknowledged: false)
        // Who may not read it must not learn that it exists.
        guard let row, row.isVisible(to: principal.person),
            directory.decide(principal, .readEmergency, on: target, at: now).isAllowed
        else { throw Problem.notFound("there is no such emergency") }
        let circles =
            principal.person.map { directory.circles(of: row.person, answeredBy: $0) }
            ?? directory.circles(of: row.person)
        var circle = circles.first
        if let text = request.query["circle"] {
            guard let named = CircleID(text), circles.contains(named) else {
                throw Problem.invalid(
                    "not a circle of both", field: "circle", hint: "omit it for the first circle")
            }
            circle = named
        }
        let subject = RightsSubject(
            circle: circle, person: row.person, isRecipient: isRecipient,
            isAcknowledged: row.state != .open)
        let decisions = principal.rights(about: subject, in: directory, at: now)
        return .respond(.json(RightsView.list(decisions, of: principal)))
    }

    /// Whether an emergency exists for a reader; the operator is nil. For staff on the never-notify
    /// list of its person it does not.
    private func mayRead(_ row: Emergency, _ reader: PersonID?) -> Bool {
        row.isVisible(to: reader)
            && reader.map { !context.directory.hidesEmergencies(of: row.person, from: $0) } ?? true
    }

    /// One emergency with contact points and messages of everyone concerned, without a position.
    ///
    /// The access is recorded for everyone whose contact points it shows, and logged with the id,
    /// which identifies nobody.
    func show(_ id: EmergencyID, for reader: PersonID?, _ log: Log) throws -> RequestOutcome {
        let store = context.store
        guard let row = try context.core.escalation.emergency(id) ?? store.emergency(id),
            mayRead(row, reader)
        else {
            throw Problem.notFound(
                "there is no such emergency", hint: "GET /v1/escalations lists them")
        }
        log.info("staff read contacts of an emergency", ["emergency": row.id])
        let messages = try store.notifications(of: row.id, limit: Limits.escalationMessagesMax)
        let others = Documents.recipients(of: row, in: context.directory)
        return .respond(
            .json(Documents.escalation(row, messages: messages, in: context.directory)),
            showing: (row.underDuress == nil ? [row.person] : []) + others)
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

    /// People who were notified, then the other members of the person's circles. People on the
    /// person's never-notify list are missing: the operator must not call them.
    static func recipients(of row: Emergency, in directory: Replica) -> [PersonID] {
        var listed: Set<PersonID> = [row.person]
        let members = circles(of: row, in: directory).flatMap { $0.members.map(\.person) }
        return (row.recipients + members).filter { person in
            !directory.hidesEmergencies(of: row.person, from: person)
                && listed.insert(person).inserted
        }
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

    static func document(_ status: EmergencyStatus, in directory: Replica) -> JSON {
        [
            "emergency": .string(status.emergency.description),
            "state": .string(status.state.rawValue),
            "by": person(status.by, in: directory),
            "at": .string(status.at.description),
            "yours": .bool(status.isYours),
        ]
    }
}
