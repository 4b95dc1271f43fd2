import MembershipCore
import Model
import Parsing

/// JSON of entities in the API.
enum View {
    /// A person with contact points, for the person and the operator.
    static func person(_ person: Person, _ credentials: [Credential]) -> JSON {
        var members = [JSON.Member("id", .string(person.id.description))]
        members += PersonField.all.map(\.field).members(of: person)
        let own = credentials.filter { $0.device == nil }
        members.append(.init("credentials", .array(own.map(credential))))
        members.append(.init("version", .integer(person.version)))
        return .object(members)
    }

    static func device(_ device: Device, _ credentials: [Credential]) -> JSON {
        .object(
            [
                .init("id", .string(device.id.description)),
                .init("person", .string(device.person.description)),
            ] + DeviceField.all.members(of: device) + [
                .init("credentials", .array(credentials.map(credential))),
                .init("version", .integer(device.version)),
            ])
    }

    /// A credential without its secret and digest.
    static func credential(_ credential: Credential) -> JSON {
        [
            "id": .string(credential.id.description),
            "created": .string(credential.created.description),
        ]
    }

    /// A circle with the names of its members.
    ///
    /// - Parameter isInvitation: the viewer has not joined, and sees the members but not their
    ///   sharing
    static func circle(
        _ circle: Circle, isInvitation: Bool = false, name: (PersonID) -> String
    ) -> JSON {
        let members = circle.members.map {
            member($0, name: name($0.person), isInvitation: isInvitation)
        }
        // Members come before the escalation.
        var fields = CircleField.all.map(\.field).members(of: circle)
        let end = fields.firstIndex { $0.key == "escalation" } ?? fields.endIndex
        fields.insert(.init("members", .array(members)), at: end)
        return .object(
            [.init("id", .string(circle.id.description))] + fields + [
                .init("sets", .array(circle.sets.map { .string($0.description) })),
                .init("version", .integer(circle.version)),
            ])
    }

    static func member(_ member: Membership, name: String, isInvitation: Bool = false) -> JSON {
        var members: [JSON.Member] = [
            .init("person", .string(member.person.description)), .init("name", .string(name)),
            .init("role", .string(member.role.rawValue)),
            .init("joined", text(member.joined?.description)),
        ]
        if !isInvitation {
            members.append(.init("sharing", sharing(member.sharing)))
            members.append(.init("precision", .string(member.precision.rawValue)))
            members.append(.init("trackerID", .string(member.trackerID)))
        }
        return .object(members)
    }

    private static func sharing(_ sharing: Sharing) -> JSON {
        switch sharing {
        case .on: "on"
        case .off: "off"
        case .pausedUntil(let end): ["pausedUntil": .string(end.description)]
        }
    }

    static func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
}
