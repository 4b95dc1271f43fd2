import Directory
import Model
import Parsing

/// JSON of entities in the API.
package enum View {
    /// A person with contact points, for the person and the operator.
    ///
    /// - Parameter activation: the code of a new account, for the response that creates it
    package static func person(
        _ person: Person, _ credentials: [Credential],
        _ activation: (code: String, expires: Timestamp)? = nil
    ) -> JSON {
        var members = [JSON.Member("id", .string(person.id.description))]
        members += PersonField.all.map(\.field).members(of: person)
        let own = credentials.filter { $0.device == nil && $0.kind != .session }
        members.append(.init("credentials", .array(own.map { credential($0) })))
        if let activation {
            members.append(
                .init(
                    "activation",
                    [
                        "code": .string(activation.code),
                        "expires": .string(activation.expires.description),
                    ]))
        }
        members.append(.init("trialEnds", text(person.trialEnds?.description)))
        members.append(
            .init("guardians", .array(person.guardians.map { .string($0.description) })))
        members.append(.init("wardUntil", text(person.wardUntil?.description)))
        members.append(.init("version", .integer(person.version)))
        return .object(members)
    }

    /// A credential without its secret and digest.
    ///
    /// - Parameter lastUsed: the day of its last use, for the list of credentials; nil = not shown
    package static func credential(_ credential: Credential, lastUsed: String?? = nil) -> JSON {
        var members: [JSON.Member] = [
            .init("id", .string(credential.id.description)),
            .init("kind", .string(credential.kind.rawValue)),
            .init("name", .string(credential.name)),
            .init("device", text(credential.device?.description)),
            .init("created", .string(credential.created.description)),
            .init("expires", text(credential.expires?.description)),
        ]
        if case .some(let day) = lastUsed {
            members.append(.init("lastUsed", text(day)))
        }
        return .object(members)
    }

    /// A whole circle, with the names of its members.
    ///
    /// Zones and messages are lists of their own; the circle has their number and a digest that
    /// changes with every one of them. People with an open invitation see the members but not
    /// their sharing, and neither zones nor messages.
    package static func circle(
        _ circle: Circle, to audience: CircleAudience, in directory: Replica
    ) -> JSON {
        let isInvitation = audience == .invited
        let members = circle.members.map {
            member(
                $0, in: circle, name: directory.person($0.person)?.name ?? "",
                isInvitation: isInvitation)
        }
        // Members come before the escalation.
        var fields = CircleField.all.map(\.field).members(of: circle)
        let end = fields.firstIndex { $0.key == "escalation" } ?? fields.endIndex
        fields.insert(.init("members", .array(members)), at: end)
        fields.append(.init("sets", .array(circle.sets.map { .string($0.description) })))
        if !isInvitation {
            let owner = ZoneOwner.circle(circle.id)
            fields.append(
                .init(
                    "zones",
                    list(directory.zones.count(of: owner), directory.zones.digest(of: owner))))
            fields.append(
                .init(
                    "messages",
                    list(directory.messages.count(of: owner), directory.messages.digest(of: owner)))
            )
        }
        return .object(
            [.init("id", .string(circle.id.description))] + fields + [
                .init("version", .integer(circle.version))
            ])
    }

    private static func list(_ count: Int, _ digest: String) -> JSON {
        ["count": .integer(Int64(count)), "digest": .string(digest)]
    }

    /// - Parameter isInvitation: the viewer is no member, and sees nothing of how others share
    package static func member(
        _ member: Membership, in circle: Circle, name: String, isInvitation: Bool = false
    ) -> JSON {
        var members: [JSON.Member] = [
            .init("person", .string(member.person.description)), .init("name", .string(name)),
            .init("role", .string(member.role.rawValue)),
            .init("joined", text(member.joined?.description)),
        ]
        guard !isInvitation else { return .object(members) }
        members += [
            .init("sharing", sharing(member.sharing)),
            .init("precision", .string(member.precision.rawValue)),
            .init("trackerID", .string(member.trackerID)),
            .init("managed", .bool(member.managed)),
            .init("membersSeePosition", .bool(circle.membersSee(member))),
            .init("historyDays", .integer(Int64(circle.historyDays(of: member) ?? 0))),
            .init(
                "withheldFrom", .array(member.withheldFrom.map { .string($0.description) })),
            .init("joinsDrills", .bool(member.joinsDrills)),
        ]
        return .object(members)
    }

    private static func sharing(_ sharing: Sharing) -> JSON {
        switch sharing {
        case .on: "on"
        case .off: "off"
        case .pausedUntil(let end): ["pausedUntil": .string(end.description)]
        }
    }

    package static func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
}
