import Hashing
import Model

/// Who looks at a circle; what they see differs.
public enum CircleAudience: String, Hashable, Sendable, CaseIterable {
    /// Members who have joined.
    case members
    /// People with an open invitation.
    case invited
}

/// A change of what somebody sees of circles, and of their own account.
public enum VisibleChange: Hashable, Sendable {
    /// An audience sees something else of a circle.
    case circle(CircleID, to: CircleAudience)
    /// A person no longer sees a circle.
    case circleGone(CircleID, for: PersonID)
    /// A person's own data changed.
    case person(PersonID)
    case personGone(PersonID)
    /// A credential of a person was created or changed.
    case credential(CredentialID, of: PersonID)
    /// A credential of a person was revoked, or their session ended.
    case credentialGone(CredentialID, of: PersonID)
}

extension Circle {
    /// As whom a person looks at the circle; nil if they do not see it.
    public func audience(of person: PersonID) -> CircleAudience? {
        members.first { $0.person == person }.map { $0.joined == nil ? .invited : .members }
    }
}

extension Replica {
    /// Returns what an event of `directory` changes for whom.
    ///
    /// Call it before ``apply(_:)``. A record that changes nothing visible, such as one of another
    /// person's device, yields nothing.
    public func visibleChanges(by body: EventBody) -> [VisibleChange] {
        steps(of: body).flatMap(visibleChanges(byStep:))
    }

    private func visibleChanges(byStep step: EventBody) -> [VisibleChange] {
        switch step {
        case .circleChanged(let circle):
            let gone = (circles[circle.id]?.members ?? []).map(\.person)
                .filter { circle.audience(of: $0) == nil }
            return allAudiences(of: circle.id) + gone.map { .circleGone(circle.id, for: $0) }
        case .circleRemoved(let removal):
            return (circles[removal.circle]?.members ?? []).map {
                .circleGone(removal.circle, for: $0.person)
            }
        case .personChanged(let person):
            guard let old = people[person.id], old.name != person.name else {
                return [.person(person.id)]
            }
            // Members see each other's names.
            return [.person(person.id)]
                + (circlesOfPerson[person.id] ?? []).flatMap(allAudiences(of:))
        case .personRemoved(let removal): return [.personGone(removal.person)]
        case .credentialChanged(let credential):
            let changed = credential.person.map { changes(of: credential, of: $0) } ?? []
            let old = credentials[credential.id]
            return old?.person == credential.person ? changed : gone(old) + changed
        case .credentialRemoved(let removal):
            return gone(credentials[removal.credential])
        case .zoneChanged(let zone):
            let old = zones[zone.id]
            return old?.version == zone.version && old?.owner == zone.owner
                ? [] : changes(ofItemOf: zone.owner, before: old?.owner)
        case .zoneRemoved(let removal):
            return zones[removal.zone].map { changes(ofItemOf: $0.owner) } ?? []
        case .messageChanged(let message):
            let old = messages[message.id]
            return old?.version == message.version && old?.owner == message.owner
                ? [] : changes(ofItemOf: message.owner, before: old?.owner)
        case .messageRemoved(let removal):
            return messages[removal.message].map { changes(ofItemOf: $0.owner) } ?? []
        default: return []
        }
    }

    private func allAudiences(of circle: CircleID) -> [VisibleChange] {
        CircleAudience.allCases.map { .circle(circle, to: $0) }
    }

    /// A person's own data lists the credentials that belong to no device and no session.
    private func changes(of credential: Credential, of person: PersonID) -> [VisibleChange] {
        (credential.device == nil && credential.kind != .session ? [.person(person)] : [])
            + [.credential(credential.id, of: person)]
    }

    private func gone(_ credential: Credential?) -> [VisibleChange] {
        guard let credential, let person = credential.person else { return [] }
        return changes(of: credential, of: person).dropLast()
            + [.credentialGone(credential.id, of: person)]
    }

    /// Zones and messages of a circle are shown to its members only.
    private func changes(
        ofItemOf owner: ZoneOwner, before old: ZoneOwner? = nil
    ) -> [VisibleChange] {
        let owners = old.map { $0 == owner ? [owner] : [owner, $0] } ?? [owner]
        return owners.flatMap { owner -> [VisibleChange] in
            switch owner {
            case .circle(let circle): [.circle(circle, to: .members)]
            case .person, .set: []
            }
        }
    }

    /// A digest of ids and versions of an owner's zones: equal if and only if no zone was added,
    /// changed or removed.
    public func zonesDigest(of owner: ZoneOwner) -> String {
        digest(zoneIDs(of: owner).map { ($0.raw, zones[$0]?.version ?? 0) })
    }

    /// A digest of ids and versions of an owner's messages.
    public func messagesDigest(of owner: ZoneOwner) -> String {
        digest((messagesOfOwner[owner] ?? []).map { ($0.raw, messages[$0]?.version ?? 0) })
    }

    /// The number of an owner's messages.
    public func messageCount(of owner: ZoneOwner) -> Int { messagesOfOwner[owner]?.count ?? 0 }

    private func digest(_ items: [(id: ID128, version: Int64)]) -> String {
        let parts = items.flatMap { [HashPart.id($0.id), .number($0.version)] }
        return Hash.id(of: parts).text
    }
}
