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
    /// Requests for a person's consent changed, which the person or a guardian reads.
    case consents(of: PersonID, for: PersonID)
}

extension Circle {
    /// As whom a person looks at the circle; nil if they do not see it.
    public func audience(of person: PersonID) -> CircleAudience? {
        members.first { $0.person == person }.map { $0.joined == nil ? .invited : .members }
    }
}

extension VisibleChange {
    /// Returns what an event of `directory` changes for whom.
    ///
    /// A record that changes nothing visible, such as one of another person's device, yields
    /// nothing.
    ///
    /// - Parameter directory: before the event
    public static func changes(
        by body: EventBody, in directory: Replica
    ) -> [VisibleChange] {
        if case .consentsChanged(let change) = body {
            let readers = [change.person] + (directory.person(change.person)?.guardians ?? [])
            return readers.map { .consents(of: change.person, for: $0) }
        }
        guard let change = DirectoryChange(body) else { return [] }
        let finder = VisibleChangeFinder(directory: directory)
        return DirectorySteps(directory: directory).steps(of: change)
            .flatMap(finder.changes(by:))
    }
}

/// Finds what one step changes for whom.
private struct VisibleChangeFinder {
    /// Before the step.
    let directory: Replica

    func changes(by step: DirectoryChange) -> [VisibleChange] {
        switch step {
        case .circle(let circle):
            let gone = listed(in: circle.id).filter { circle.audience(of: $0) == nil }
            return allAudiences(of: circle.id) + gone.map { .circleGone(circle.id, for: $0) }
        case .circleRemoved(let id): return listed(in: id).map { .circleGone(id, for: $0) }
        case .person(let person):
            guard let old = directory.person(person.id), old.name != person.name else {
                return [.person(person.id)]
            }
            // Members see each other's names.
            return [.person(person.id)]
                + directory.circles.ids(listing: person.id).flatMap(allAudiences(of:))
        case .personRemoved(let id): return [.personGone(id)]
        case .credential(let credential):
            let changed = credential.person.map { changes(of: credential, of: $0) } ?? []
            let old = directory.credential(credential.id)
            return old?.person == credential.person ? changed : gone(old) + changed
        case .credentialRemoved(let id): return gone(directory.credential(id))
        case .zone(let zone): return changes(from: directory.zone(zone.id), to: zone)
        case .zoneRemoved(let id): return changes(from: directory.zone(id), to: nil)
        case .message(let message):
            return changes(from: directory.message(message.id), to: message)
        case .messageRemoved(let id): return changes(from: directory.message(id), to: nil)
        case .device, .deviceRemoved, .set, .setRemoved, .neverNotify, .pin: return []
        }
    }

    /// Members and the invited of a circle.
    private func listed(in circle: CircleID) -> [PersonID] {
        (directory.circle(circle)?.members ?? []).map(\.person)
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
    private func changes<Item: OwnedItem>(from old: Item?, to new: Item?) -> [VisibleChange] {
        if let old, let new, old.version == new.version, old.owner == new.owner { return [] }
        var owners = [new?.owner].compactMap(\.self)
        if let old, old.owner != new?.owner { owners.append(old.owner) }
        return owners.flatMap { owner -> [VisibleChange] in
            switch owner {
            case .circle(let circle): [.circle(circle, to: .members)]
            case .person, .set: []
            }
        }
    }
}
