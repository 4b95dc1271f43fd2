import Directory
import Model
import NotifierCore
import Parsing
import Store
import Web

// Zone texts to numbers outside all circles, and opt-outs.
extension NotifierService {
    /// Drafts, sent and suppressed texts of a person, newest first; visible to that person only.
    func drafts(
        of person: PersonID, _ request: Request, for principal: Principal
    ) throws -> Response {
        let page = try Page(request)
        let decision = host.replica.decide(
            principal, .answerAlarms, on: .person(person), at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let rows = try store.texts(of: person, before: page.before, limit: page.limit)
        return page.response(rows.map { ($0.seq, Documents.text($0.row, at: host.now)) })
    }

    /// Sends a draft for its person. Drafts of others are reported as not found.
    func send(_ request: Request, _ parameters: Parameters, by principal: Principal) throws {
        let person = try parameters.id("person", PersonID.self)
        let id = try parameters.id("proposal", DraftID.self)
        let decision = host.replica.decide(
            principal, .answerAlarms, on: .person(person), at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        guard let text = try store.text(id), text.person == person else {
            throw Problem.notFound("there is no such draft")
        }
        try submit(
            .send(
                SendCommand(
                    request: request.id, principal: principal, text: text,
                    trace: request.trace)))
    }

    /// Sets or clears the opt-out of a number for the operator.
    func setOptOut(_ request: Request) throws {
        let body = try request.json()
        guard let number = body["number"]?.string, NotifierService.isE164(number) else {
            throw Problem.invalid(
                "not an E.164 number", field: "number", hint: "write it like +60123456789")
        }
        let stopped = body["stopped"]
        guard stopped == nil || stopped?.bool != nil else {
            throw Problem.invalid("not a boolean", field: "stopped", hint: "true or false")
        }
        try submit(
            .setOptOut(request: request.id, number: number, isOptedOut: stopped?.bool ?? true))
    }

    /// Opted-out numbers, newest first.
    func optOuts(_ request: Request) throws -> Response {
        let page = try Page(request)
        let rows = try store.optOuts(before: page.before, limit: page.limit)
        return page.response(rows.map { ($0.seq, Documents.number($0.row)) })
    }

    private static func isE164(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (6...15).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension NotifierStore {
    func save(_ row: ZoneText) throws {
        try database.run(
            """
            INSERT INTO texts (id, person, created, body) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (id) DO UPDATE SET body = ?4
            """, .id(row.id), .id(row.person), .time(row.created),
            .text(try JSON.encode(row).text))
    }

    func save(_ row: NumberState) throws {
        try database.run(
            """
            INSERT INTO numbers (number, stopped, body) VALUES (?1, ?2, ?3)
            ON CONFLICT (number) DO UPDATE SET stopped = ?2, body = ?3
            """, .text(row.number), .time(row.stopped), .text(try JSON.encode(row).text))
    }

    func text(_ id: DraftID) throws -> ZoneText? {
        try database.first("SELECT body FROM texts WHERE id = ?1", .id(id)) {
            try NotifierStore.decode($0.text(0))
        }
    }

    fileprivate func texts(
        of person: PersonID, before: Int64, limit: Int
    ) throws -> [(seq: Int64, row: ZoneText)] {
        try database.all(
            """
            SELECT seq, body FROM texts WHERE person = ?1 AND seq < ?2
            ORDER BY seq DESC LIMIT ?3
            """, .id(person), .integer(before), .integer(limit)
        ) { (seq: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
    }

    fileprivate func optOuts(
        before: Int64, limit: Int
    ) throws -> [(seq: Int64, row: NumberState)] {
        try database.all(
            """
            SELECT seq, body FROM numbers WHERE stopped IS NOT NULL AND seq < ?1
            ORDER BY seq DESC LIMIT ?2
            """, .integer(before), .integer(limit)
        ) { (seq: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
    }
}

extension Documents {
    /// The number is masked, as its owner may be somebody else's contact.
    static func text(_ row: ZoneText, at now: Timestamp) -> JSON {
        let isExpired = row.state == .draft && row.expires <= now
        return [
            "id": .string(row.id.description), "person": .string(row.person.description),
            "state": .string(isExpired ? "expired" : row.state.rawValue),
            "reason": .string(row.reason.rawValue), "to": .string(masked(row.number)),
            "recipientName": .string(row.recipientName),
            "zones": .array(row.zoneNames.map { .string($0) }), "text": .string(row.text),
            "created": .string(row.created.description),
            "expires": .string(row.expires.description),
            "notification": row.notification.map { .string($0.description) } ?? nil,
        ]
    }

    static func number(_ row: NumberState) -> JSON {
        [
            "number": .string(row.number),
            "stopped": row.stopped.map { .string($0.description) } ?? nil,
        ]
    }
}
