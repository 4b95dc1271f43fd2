import Directory
import Model
import NotifierCore
import Parsing
import Web

/// Requests about zone texts to numbers outside all circles.
struct DraftRequests {
    let context: RequestContext

    /// Drafts, sent and suppressed texts of a person, newest first; visible to that person only.
    func list(
        of person: PersonID, _ request: Request, for principal: Principal
    ) throws -> RequestOutcome {
        let page = try Page(request)
        try context.require(.answerAlarms, of: principal, on: .person(person))
        let rows = try context.store.texts(of: person, before: page.before, limit: page.limit)
        return .respond(
            page.response(rows.map { ($0.seq, Documents.text($0.row, at: context.now)) }))
    }

    /// Sends a draft for its person. Drafts of others are reported as not found.
    func send(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws -> RequestOutcome {
        let person = try parameters.id("person", PersonID.self)
        let id = try parameters.id("draft", DraftID.self)
        try context.require(.answerAlarms, of: principal, on: .person(person))
        guard let text = try context.store.text(id), text.person == person else {
            throw Problem.notFound("there is no such draft")
        }
        return .submit(
            .send(
                SendCommand(
                    request: request.id, principal: principal, text: text,
                    trace: request.trace)))
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
}
