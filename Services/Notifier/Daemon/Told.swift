import Directory
import Model
import NotifierCore
import Parsing
import Store
import Web

// What was told to a person, and to others of them.
extension NotifierService {
    /// Newest first, for themselves. Of a message to somebody else they read its words, not where
    /// it went; a page may be short, the next one is there while `next` is.
    func told(of person: PersonID, _ request: Request, for principal: Principal) throws -> Response
    {
        let page = try Page(request)
        let decision = outside.replica.decide(
            principal, .exportData, on: .person(person), at: outside.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let rows = try store.notifications(
            in: nil, before: page.before, limit: Limits.toldLookedThrough)
        var items: [JSON] = []
        var subjects: Set<PersonID> = []
        var last = rows.last?.seq
        let replica = outside.replica
        for (seq, row) in rows where row.recipient == person || row.person == person {
            guard row.isReadable(by: person, in: replica) else { continue }
            items.append(Documents.told(row, to: person))
            if let subject = row.person { subjects.insert(subject) }
            guard items.count < page.limit else {
                last = seq
                break
            }
        }
        try recordAccess(to: subjects, by: principal)
        let isMore = last != rows.last?.seq || rows.count == Limits.toldLookedThrough
        return .json([
            "items": .array(items),
            "next": isMore ? last.map { .string(String($0)) } ?? .null : .null,
        ])
    }
}

extension Notification {
    /// Whether somebody may still read it. What they were notified of about another person, other
    /// than an emergency, is gone when the two share the circle no more.
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
    /// - Parameter reader: sees their own address
    static func told(_ row: Notification, to reader: PersonID) -> JSON {
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
            "text": .string(row.channel == .email ? row.words.long : row.words.short),
        ]
    }
}
