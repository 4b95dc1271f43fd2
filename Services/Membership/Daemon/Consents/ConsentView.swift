import Directory
import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

extension View {
    /// A request for consent, for the person and a ward's guardians.
    static func consent(_ row: Consent, in directory: Replica, at now: Timestamp) -> JSON {
        let circle = row.circle.flatMap(directory.circle).map { circle -> JSON in
            ["id": .string(circle.id.description), "name": .string(circle.name)]
        }
        var members: [JSON.Member] = [
            .init("id", .string(row.id.description)), .init("circle", circle ?? .null),
        ]
        members += question(row.question, in: directory)
        members += [
            .init("asker", actor(row.asker, in: directory)),
            .init("asked", .string(row.asked.description)),
            .init("expires", .string(row.expires.description)),
            .init("state", .string(row.state(at: now).rawValue)),
            .init("replied", text(row.reply?.at.description)),
            .init("repliedBy", row.reply.map { actor(.person($0.by), in: directory) } ?? .null),
        ]
        return .object(members)
    }

    private static func question(
        _ question: Consent.Question, in directory: Replica
    ) -> [JSON.Member] {
        switch question {
        case .membersSee: [.init("question", "members-see-position")]
        case .history(let days, let before):
            [
                .init("question", "history-days"),
                .init("historyDays", .integer(Int64(days ?? 0))),
                .init("historyDaysBefore", .integer(Int64(before))),
            ]
        case .role(let viewer, let role):
            [
                .init("question", "role"), .init("person", actor(.person(viewer), in: directory)),
                .init("role", .string(role.rawValue)),
            ]
        case .guardian(let guardian):
            [
                .init("question", "guardian"),
                .init("person", actor(.person(guardian), in: directory)),
            ]
        }
    }
}

extension Reader {
    func personConsents() throws(Problem) -> Response {
        let person = try knownPerson(for: .readPerson)
        let page = try Page(consents.consents(of: person.id), of: request, id: \.id.description)
        return page.response { View.consent($0, in: directory, at: now) }
    }
}

extension ChangeReader {
    func readReply() throws(Problem) -> RequestedChange {
        let (person, id) = (try person, try parameters.id("consent", ConsentID.self))
        let body = try body()
        do throws(FieldError) {
            guard let agreed = try Fields(body, known: ["agreed"]).flag("agreed") else {
                throw .missing("agreed", hint: "use true or false")
            }
            return RequestedChange(.replyToConsent(person, id, agreed: agreed))
        } catch {
            throw Problem(error)
        }
    }
}
