import Directory
import Model
import NotifierCore
import Parsing
import Store
import Web

// Texts of zones to numbers outside of all circles, and numbers that want none.
extension NotifierService {
    /// What was proposed, sent and withheld for a person, newest first; for themselves.
    func proposals(
        of person: PersonID, _ request: Request, for principal: Principal
    ) throws -> Response {
        let page = try Page(request)
        let decision = outside.replica.decide(
            principal, .answerAlarms, on: .person(person), at: outside.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let rows = try store.texts(of: person, before: page.before, limit: page.limit)
        return page.response(rows.map { ($0.seq, Documents.text($0.row, at: outside.now)) })
    }

    /// The person's tap. Somebody else's proposal is not there for them.
    func send(_ request: Request, _ parameters: Parameters, by principal: Principal) throws {
        let person = try parameters.id("person", PersonID.self)
        let id = try parameters.id("proposal", ProposalID.self)
        let decision = outside.replica.decide(
            principal, .answerAlarms, on: .person(person), at: outside.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        guard let text = try store.text(id), text.person == person else {
            throw Problem.notFound("there is no such proposal")
        }
        try take(
            .send(
                SendCommand(
                    request: request.id, principal: principal, text: text,
                    trace: request.trace)))
    }

    /// Somebody told the operator STOP, or that they want to hear again.
    func stop(_ request: Request) throws {
        let body = try request.json()
        guard let number = body["number"]?.string, NotifierService.isE164(number) else {
            throw Problem.invalid(
                "this is no number", field: "number", hint: "such as +60123456789")
        }
        let stopped = body["stopped"]
        guard stopped == nil || stopped?.bool != nil else {
            throw Problem.invalid("true or false", field: "stopped")
        }
        try take(
            .stop(request: request.id, number: number, stopped: stopped?.bool ?? true))
    }

    /// Numbers that said STOP, the latest first.
    func stops(_ request: Request) throws -> Response {
        let page = try Page(request)
        let rows = try store.stops(before: page.before, limit: page.limit)
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

    func text(_ id: ProposalID) throws -> ZoneText? {
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

    fileprivate func stops(
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
    /// The number by its end only, as its owner may be somebody else's contact.
    static func text(_ row: ZoneText, at now: Timestamp) -> JSON {
        let isExpired = row.state == .proposed && row.expires <= now
        return [
            "id": .string(row.id.description), "person": .string(row.person.description),
            "state": .string(isExpired ? "expired" : row.state.rawValue),
            "reason": .string(row.reason.rawValue), "to": .string(masked(row.number)),
            "toMoniker": .string(row.toMoniker),
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
