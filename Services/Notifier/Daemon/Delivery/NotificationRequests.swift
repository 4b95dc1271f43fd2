import Directory
import Model
import NotifierCore
import Parsing
import Web

/// Requests for notifications: of a person, and for the operator the queue and the sink.
struct NotificationRequests {
    let context: RequestContext

    /// Notifications, newest first; visible to the person only.
    ///
    /// For a message to somebody else they see its text, not its address. A page may be short;
    /// `next` says whether there is another.
    func list(
        ofPerson person: PersonID, _ request: Request, for principal: Principal
    ) throws -> RequestOutcome {
        let page = try Page(request)
        try context.require(.exportData, of: principal, on: .person(person))
        let rows = try context.store.notifications(
            in: nil, before: page.before, limit: Limits.notificationsScannedMax)
        var items: [JSON] = []
        var subjects: Set<PersonID> = []
        var last = rows.last?.seq
        for (seq, row) in rows where row.recipient == person || row.person == person {
            let isCovert = try isCovert(row)
            guard row.isReadable(by: person, in: context.directory),
                !isCovert || row.person != person
            else { continue }
            items.append(Documents.personNotification(row, to: person))
            if let subject = row.person, !isCovert { subjects.insert(subject) }
            guard items.count < page.limit else {
                last = seq
                break
            }
        }
        let isMore = last != rows.last?.seq || rows.count == Limits.notificationsScannedMax
        let list: JSON = [
            "items": .array(items),
            "next": isMore ? last.map { .string(String($0)) } ?? .null : .null,
        ]
        return .respond(.json(list), showing: Array(subjects))
    }

    /// Whether a message is about an emergency under duress. For its person it does not exist, and
    /// nobody's look at it stands in their access log.
    private func isCovert(_ row: Notification) throws -> Bool {
        guard let id = row.emergency else { return false }
        let known = try context.core.escalation.emergency(id) ?? context.store.emergency(id)
        return known?.underDuress != nil
    }

    /// Messages in the built-in sink.
    func outbox(_ request: Request) throws -> RequestOutcome {
        let page = try Page(request)
        let messages = try context.store.sink(before: page.before, limit: page.limit)
        return .respond(
            page.response(messages.map { ($0.seq, $0.json) }),
            showing: messages.compactMap(\.person))
    }

    /// Messages, optionally in one state.
    func list(_ request: Request) throws -> RequestOutcome {
        let page = try Page(request)
        var state: NotificationState?
        if let text = request.query["state"] {
            state = NotificationState(rawValue: text)
            guard state != nil else {
                let all = NotificationState.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.invalid("no such state", field: "state", hint: "one of \(all)")
            }
        }
        let rows = try context.store.notifications(
            in: state, before: page.before, limit: page.limit)
        return .respond(page.response(rows.map { ($0.seq, Documents.notification($0.row)) }))
    }

    /// One message with its attempts and state changes.
    func show(_ id: NotificationID) throws -> RequestOutcome {
        guard let row = try context.store.notification(id) else {
            throw Problem.notFound("there is no such notification")
        }
        var members = Documents.notification(row).object ?? []
        members.append(.init("attempts", .array(try context.store.attempts(of: id))))
        members.append(.init("changes", .array(try context.store.changes(of: id))))
        return .respond(.json(.object(members)))
    }
}

extension Notification {
    /// Whether a person may still read it. Except for emergencies, messages about somebody else are
    /// hidden once they share no circle.
    fileprivate func isReadable(by reader: PersonID, in directory: Replica) -> Bool {
        guard let subject = person, subject != reader, emergency == nil else { return true }
        return directory.commonCircles(of: subject, and: reader).contains { id in
            guard circle == nil || circle == id,
                let joined = directory.circle(id)?.member(subject)?.joined
            else { return false }
            return joined <= created
        }
    }
}

extension Documents {
    /// - Parameter reader: sees their own address unmasked
    static func personNotification(_ row: Notification, to reader: PersonID) -> JSON {
        let isOwn = row.recipient == reader
        return [
            "id": .string(row.id.description), "created": .string(row.created.description),
            "reason": .string(row.reason.rawValue), "state": .string(row.state.rawValue),
            "about": row.person.map { .string($0.description) } ?? .null,
            "recipient": row.recipient.map { .string($0.description) } ?? .null,
            "circle": row.circle.map { .string($0.description) } ?? .null,
            "emergency": row.emergency.map { .string($0.description) } ?? .null,
            "channel": .string(row.channel.rawValue),
            "to": .string(isOwn ? row.address : masked(row.address)),
            "text": .string(row.textWithoutToken(to: reader)),
        ]
    }

    /// A message without its text and with a masked address.
    static func notification(_ row: Notification) -> JSON {
        [
            "id": .string(row.id.description), "state": .string(row.state.rawValue),
            "reason": .string(row.reason.rawValue), "severity": .string(row.severity.rawValue),
            "channel": .string(row.channel.rawValue), "to": .string(masked(row.address)),
            "person": row.person.map { .string($0.description) } ?? nil,
            "recipient": row.recipient.map { .string($0.description) } ?? nil,
            "emergency": row.emergency.map { .string($0.description) } ?? nil,
            "circle": row.circle.map { .string($0.description) } ?? nil,
            "created": .string(row.created.description),
            "expires": .string(row.expires.description),
            "attemptsMade": .integer(Int64(row.attempts)),
            "due": row.due.map { .string($0.description) } ?? nil,
            "gateway": .string(row.gateway), "answer": .string(row.answer),
            "trace": .string(row.trace),
        ]
    }
}
