import Directory
import Hosting
import MembershipCore
import Model
import Parsing
import Web

/// Answers questions about rights.
struct RightsList {
    let reader: Reader

    /// What the caller may do by themselves, and in a circle if one is given.
    static func items(_ reader: Reader, circle: CircleID? = nil) -> [JSON] {
        let subject = RightsSubject(circle: circle, person: reader.principal.person)
        return RightsView.items(
            reader.principal.rights(
                about: subject, in: reader.directory.withoutNeverNotifyLists, at: reader.now))
    }

    /// `GET /v1/rights`: what the caller may do.
    ///
    /// `?circle=` names a circle and `?person=` a person (default: the caller); both together mean
    /// that person's membership. `?recipient=true` and `?acknowledged=true` describe an emergency
    /// of that person.
    func response() throws(Problem) -> Response {
        let query = reader.request.query
        let subject = RightsSubject(
            circle: try id(query, "circle", CircleID.self),
            person: try id(query, "person", PersonID.self) ?? reader.principal.person,
            isRecipient: try reader.request.flag("recipient"),
            isAcknowledged: try reader.request.flag("acknowledged"))
        let decisions = reader.principal.rights(
            about: subject, in: reader.directory.withoutNeverNotifyLists, at: reader.now)
        return .json(RightsView.list(decisions, of: reader.principal))
    }

    /// `GET /v1/circles/{circle}/rights`: which members and staff may perform `?action=`, if it is
    /// about a person, about `?person=`.
    func whoMay() throws(Problem) -> Response {
        try reader.allow(.administer, on: .suite)
        let id = try reader.parameters.id("circle", CircleID.self)
        guard let circle = reader.directory.circle(id) else {
            throw .notFound("there is no such circle")
        }
        let action = try action()
        let subject = RightsSubject(
            circle: id, person: try self.id(reader.request.query, "person", PersonID.self))
        guard let target = subject.target(of: action) else {
            throw .invalid(
                "the action is about a person", field: "person", hint: "add ?person= with an id")
        }
        let members = circle.members.map(\.person)
        let staff = reader.directory.sortedPeople.filter { $0.staff != nil }.map(\.id)
        let all = Set(members + staff).sorted().compactMap(reader.directory.person)
        let page = try Page(all, of: reader.request, id: \.id.description)
        let directory = reader.directory.withoutNeverNotifyLists
        return page.response { person in
            let decision = directory.decide(
                .person(person.id), action, on: target, at: reader.now)
            return .object(
                [
                    .init("person", .string(person.id.description)),
                    .init("name", .string(person.name)),
                    .init(
                        "role",
                        (circle.member(person.id)?.role.rawValue).map { .string($0) } ?? .null),
                    .init("staff", person.staff.map { .string($0.rawValue) } ?? .null),
                ] + RightsView.members(decision))
        }
    }

    private func action() throws(Problem) -> Action {
        let all = Action.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text = reader.request.query["action"] else {
            throw .invalid("the action is missing", field: "action", hint: "one of \(all)")
        }
        guard let action = Action(rawValue: text) else {
            throw .invalid("there is no such action", field: "action", hint: "one of \(all)")
        }
        return action
    }

    private func id<Kind: IdentifierKind>(
        _ query: Query, _ name: String, _ type: Identifier<Kind>.Type
    ) throws(Problem) -> Identifier<Kind>? {
        guard let text = query[name] else { return nil }
        do {
            return try Fields.id(.string(text), at: name, type)
        } catch {
            throw Problem(error)
        }
    }
}
