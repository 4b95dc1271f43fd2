import Model
import Parsing

/// JSON of entities in the API.
enum View {
    /// A person with contact points, for the person and the operator.
    static func person(_ person: Person, _ credentials: [Credential]) -> JSON {
        var members: [JSON.Member] = [
            .init("id", .string(person.id.description)), .init("name", .string(person.name)),
            .init("locale", .string(person.locale)), .init("timeZone", .string(person.timeZone)),
            .init("contacts", .array(person.contacts.map(contact))),
            .init("plan", .string(person.plan.rawValue)),
            .init("billing", .string(person.billing.rawValue)),
            .init("affiliation", .string(person.affiliation.rawValue)),
            .init("signIn", .string(person.signIn.rawValue)),
            .init("primaryDevice", text(person.primaryDevice?.description)),
        ]
        let own = credentials.filter { $0.device == nil }
        members.append(.init("credentials", .array(own.map(credential))))
        members.append(.init("version", .integer(person.version)))
        return .object(members)
    }

    private static func contact(_ contact: ContactPoint) -> JSON {
        [
            "id": .string(contact.id.description), "channel": .string(contact.channel.rawValue),
            "address": .string(contact.address), "rank": .integer(Int64(contact.rank)),
        ]
    }

    static func device(_ device: Device, _ credentials: [Credential]) -> JSON {
        [
            "id": .string(device.id.description), "person": .string(device.person.description),
            "name": .string(device.name), "platform": .string(device.platform.rawValue),
            "client": .string(device.client),
            "credentials": .array(credentials.map(credential)),
            "version": .integer(device.version),
        ]
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
        [
            "id": .string(circle.id.description), "name": .string(circle.name),
            "membersSeePositions": .bool(circle.membersSeePositions),
            "guardiansEditZones": .bool(circle.guardiansEditZones),
            "historyDays": .integer(Int64(circle.historyDays ?? 0)),
            "members": .array(
                circle.members.map {
                    member($0, name: name($0.person), isInvitation: isInvitation)
                }),
            "escalation": .array(circle.escalation.map(tier)),
            "sets": .array(circle.sets.map { .string($0.description) }),
            "version": .integer(circle.version),
        ]
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

    private static func tier(_ tier: EscalationTier) -> JSON {
        [
            "roles": .array(tier.roles.map { .string($0.rawValue) }),
            "people": .array(tier.people.map { .string($0.description) }),
            "channels": .array(tier.channels.map { .string($0.rawValue) }),
            "waitSeconds": .integer(Int64(tier.waitSeconds)),
        ]
    }

    static func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
}
