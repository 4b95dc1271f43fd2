import Hashing
import Model
import NotifierCore
import Parsing
import Store
import Web

/// Position and size of a page of a list.
struct Page {
    /// Entries with a smaller sequence number follow.
    var before: Int64
    var limit: Int

    /// Reads `limit` and `cursor`.
    init(_ request: Request) throws(Problem) {
        limit = try request.pageLimit(max: Limits.pageMax) ?? Limits.pageMax
        before = try request.cursor() ?? .max
    }

    /// The page with a cursor for the next one; nil if this one is not full.
    func response(_ entries: [(seq: Int64, json: JSON)]) -> Response {
        let next: JSON =
            entries.count < limit ? nil : entries.last.map { .string(String($0.seq)) } ?? nil
        return .json(["items": .array(entries.map(\.json)), "next": next])
    }
}

// Lists, newest first.
extension NotifierService {
    /// A circle's timeline since the reader joined.
    ///
    /// Entries that a person did not share are visible to that person only. For a former member
    /// only emergencies are shown; for one who returned, entries since then.
    func timeline(
        of id: CircleID, _ request: Request, for principal: Principal
    ) throws -> Response {
        let page = try Page(request)
        let replica = host.replica
        let decision = replica.decide(principal, .readTimeline, on: .circle(id), at: host.now)
        guard let circle = replica.circle(id), decision != .denied(.notAMember) else {
            throw Problem.notFound("there is no such circle")
        }
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let reader = principal.person
        let since = reader.flatMap { circle.member($0)?.joined } ?? .zero
        let rows = try store.timeline(
            of: circle, for: reader, since: since, before: page.before, limit: page.limit)
        try recordAccess(to: rows.map(\.row.person), by: principal)
        return page.response(
            rows.map { seq, row in
                (seq, Documents.timeline(row.shown(in: circle), seq: seq, in: replica))
            })
    }

    /// Messages in the built-in sink. The access is recorded for everyone whom they are about.
    func outbox(_ request: Request, for principal: Principal) throws -> Response {
        let page = try Page(request)
        let messages = try store.sink(before: page.before, limit: page.limit)
        try recordAccess(to: messages.compactMap(\.person), by: principal)
        return page.response(messages.map { ($0.seq, $0.json) })
    }

    /// Messages, optionally in one state.
    func notifications(_ request: Request) throws -> Response {
        let page = try Page(request)
        var state: NotificationState?
        if let text = request.query["state"] {
            state = NotificationState(rawValue: text)
            guard state != nil else {
                let all = NotificationState.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.invalid("no such state", field: "state", hint: "one of \(all)")
            }
        }
        let rows = try store.notifications(
            in: state, before: page.before, limit: page.limit)
        return page.response(rows.map { ($0.seq, Documents.notification($0.row)) })
    }

    /// One message with its attempts and state changes.
    func notification(_ id: NotificationID) throws -> Response {
        guard let row = try store.notification(id) else {
            throw Problem.notFound("there is no such notification")
        }
        var members = Documents.notification(row).object ?? []
        members.append(.init("attempts", .array(try store.attempts(of: id))))
        members.append(.init("changes", .array(try store.changes(of: id))))
        return .json(.object(members))
    }
}

extension TimelineRecord {
    /// Removes decisions about former members, except in emergencies.
    fileprivate func shown(in circle: Circle) -> TimelineRecord {
        guard emergency == nil else { return self }
        var shown = self
        shown.decisions.removeAll { circle.member($0.recipient) == nil }
        return shown
    }
}

extension NotifierStore {
    func timeline(
        of circle: Circle, for reader: PersonID?, since: Timestamp, before: Int64, limit: Int
    ) throws -> [(seq: Int64, row: TimelineRecord)] {
        // Each member by hexadecimal id, with the time of joining.
        let members = circle.members.compactMap { member in
            member.joined.map { joined in
                JSON.Member(
                    Hex.encode(member.person.raw.bytes), .integer(joined.microseconds))
            }
        }
        return try database.all(
            """
            SELECT seq, body FROM timeline
            WHERE circle = ?1 AND seq < ?2 AND at >= ?3 AND (shared OR person = ?4)
                AND (json_extract(body, '$.emergency') IS NOT NULL
                    OR at >= (SELECT value FROM json_each(?6) WHERE key = lower(hex(person))))
            ORDER BY seq DESC LIMIT ?5
            """, .id(circle.id), .integer(before), .time(since), .id(reader), .integer(limit),
            .text(JSON.object(members).text)
        ) { (seq: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
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
}
