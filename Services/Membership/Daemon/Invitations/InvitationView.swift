import Directory
import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

extension View {
    /// An invitation for the admins of its circle. Only the inviter and the operator read the whole
    /// number or address.
    static func invitation(
        _ row: Invitation, to viewer: Principal?, in directory: Replica, at now: Timestamp
    ) -> JSON {
        let isOwn = viewer.map { Actor($0) == row.inviter } ?? false
        return [
            "id": .string(row.id.description), "circle": .string(row.circle.description),
            "inviter": actor(row.inviter, in: directory),
            "role": .string(row.role.rawValue),
            "contact": row.contact.map { contact($0, isMasked: !isOwn) } ?? .null,
            "state": .string(row.state(at: now).rawValue),
            "uses": .integer(Int64(row.usesMax)),
            "accepted": .integer(Int64(row.accepted.count)),
            "declined": .integer(Int64(row.declined)),
            "created": .string(row.created.description),
            "expires": .string(row.expires.description),
        ]
    }

    /// What the invited read before they accept: who invites, and how many people will see what of
    /// them. Nothing about a member.
    static func preview(_ row: Invitation, to circle: Circle, in directory: Replica) -> JSON {
        let days = min(row.historyDays ?? .max, circle.historyDays ?? .max)
        let watchers: [JSON] = [Role.admin, .guardian, .member].map { role in
            let people = circle.members.filter { $0.joined != nil && $0.role == role }
            let sees = role != .member || row.membersSee && circle.membersSeePositions
            return [
                "role": .string(role.rawValue), "people": .integer(Int64(people.count)),
                "seesPosition": .bool(sees),
                "historyDays": .integer(days == .max ? 0 : Int64(days)),
            ]
        }
        let inviter = row.inviter.person.flatMap(directory.person)
        return [
            "circle": .string(circle.name),
            "inviter": inviter.map { .string($0.name) } ?? .null,
            "role": .string(row.role.rawValue),
            "contact": row.contact.map { contact($0, isMasked: true) } ?? .null,
            "expires": .string(row.expires.description), "watchers": .array(watchers),
        ]
    }

    /// A person by id and name; null for the operator.
    static func actor(_ actor: Actor, in directory: Replica) -> JSON {
        guard case .person(let id) = actor else { return .null }
        return [
            "id": .string(id.description),
            "name": .string(directory.person(id)?.name ?? ""),
        ]
    }

    private static func contact(_ contact: Invitation.Contact, isMasked: Bool) -> JSON {
        [
            "channel": .string(contact.channel.rawValue),
            "address": .string(isMasked ? masked(contact.address) : contact.address),
        ]
    }

    /// The beginning and the end: enough for its owner to recognise it.
    static func masked(_ address: String) -> String {
        if let at = address.lastIndex(of: "@") {
            return "\(address[..<at].prefix(1))…\(address[at...])"
        }
        return address.utf8.count < 8 ? "…" : "\(address.prefix(3))…\(address.suffix(2))"
    }
}

extension Reader {
    func circleInvitations() throws(Problem) -> Response {
        let circle = try invitingCircle()
        let page = try Page(invitations.invitations(to: circle), of: request, id: \.id.description)
        return page.response { View.invitation($0, to: principal, in: directory, at: now) }
    }

    func invitation() throws(Problem) -> Response {
        let circle = try invitingCircle()
        let id = try parameters.id("invitation", InvitationID.self)
        guard let row = invitations[id], row.circle == circle else {
            throw .notFound("there is no such invitation")
        }
        return .json(View.invitation(row, to: principal, in: directory, at: now))
    }

    private func invitingCircle() throws(Problem) -> CircleID {
        let id = try parameters.id("circle", CircleID.self)
        try allow(.invite, on: .circle(id))
        guard directory.circle(id) != nil else { throw .notFound("there is no such circle") }
        return id
    }
}
