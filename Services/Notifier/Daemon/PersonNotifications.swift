import Directory
import Model
import NotifierCore
import Parsing
import Store
import Web

// Notifications to a person, and to others about them.
extension NotifierService {
    /// Notifications, newest first; visible to the person only.
    ///
    /// For a message to somebody else they see its text, not its address. A page may be short;
    /// `next` says whether there is another.
    func notifications(ofPerson person: PersonID, _ request: Request, for principal: Principal)
        throws -> Response
    {
        let page = try Page(request)
        let decision = host.replica.decide(
            principal, .exportData, on: .person(person), at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let rows = try store.notifications(
            in: nil, before: page.before, limit: Limits.notificationsScannedMax)
        var items: [JSON] = []
        var subjects: Set<PersonID> = []
        var last = rows.last?.seq
        let replica = host.replica
        for (seq, row) in rows where row.recipient == person || row.person == person {
            guard row.isReadable(by: person, in: replica) else { continue }
            items.append(Documents.personNotification(row, to: person))
            if let subject = row.person { subjects.insert(subject) }
            guard items.count < page.limit else {
                last = seq
                break
            }
        }
        try recordAccess(to: subjects, by: principal)
        let isMore = last != rows.last?.seq || rows.count == Limits.notificationsScannedMax
        return .json([
            "items": .array(items),
            "next": isMore ? last.map { .string(String($0)) } ?? .null : .null,
        ])
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
            "text": .string(row.channel == .email ? row.rendered.long : row.rendered.short),
        ]
    }
}
