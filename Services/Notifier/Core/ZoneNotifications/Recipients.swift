import Directory
import Model

/// Selection of recipients: pure functions that give a decision with its reason for every member.
package enum Recipients {
    /// Circles to which a zone belongs, directly or by a subscribed set; ascending. Empty for a
    /// private zone.
    package static func circles(of change: ZoneChange, in directory: Replica) -> [Circle] {
        if let id = change.circle { return directory.circle(id).map { [$0] } ?? [] }
        guard let set = change.set else { return [] }
        return directory.circles(of: change.person).compactMap(directory.circle)
            .filter { $0.sets.contains(set) }
    }

    /// Decides about a zone notification for each member of a circle, ids ascending.
    ///
    /// A reason that applies to the whole circle, such as too old, is given to each member.
    package static func decide(
        on change: ZoneChange, in circle: Circle, _ directory: Replica, at now: Timestamp
    ) -> [NotifyDecision] {
        let forAll = suppressed(change, from: circle, in: directory, at: now)
        let audience = directory.zone(change.zone)?.audience ?? .standard
        return circle.members.sorted { $0.person < $1.person }.map { member in
            NotifyDecision(
                recipient: member.person,
                reason: forAll ?? reason(for: member, in: circle, about: change, audience))
        }
    }

    /// Why a circle as a whole is not notified; nil = its recipients are.
    package static func suppressed(
        _ change: ZoneChange, from circle: Circle, in directory: Replica, at now: Timestamp
    ) -> NotifyReason? {
        guard let subject = circle.member(change.person) else { return .notOfCircle }
        if let reason = notSharingReason(of: subject, at: now) { return reason }
        guard let zone = directory.zone(change.zone) else {
            // The size of a removed zone is not known any more.
            return change.isEndOfZone && subject.precision == .exact ? nil : .zoneInactive
        }
        guard zone.active || change.isEndOfZone else { return .zoneInactive }
        switch zone.owner {
        case .circle(let owner) where owner == circle.id: break
        case .set(let owner) where circle.sets.contains(owner): break
        default: return .privateZone
        }
        if let transition = change.transition, !zone.transitions.contains(transition) {
            return .transitionOff
        }
        if subject.precision == .zone,
            !ZoneNaming(in: directory).mayName(zone, of: subject, in: circle)
        {
            return zone.isLargeEnoughToName ? .zoneNotAccepted : .zoneTooSmall
        }
        return now - change.ageFrom > Limits.routineAgeMax ? .tooOld : nil
    }

    /// Why a member currently shares nothing; nil = they share.
    package static func notSharingReason(of member: Membership, at now: Timestamp) -> NotifyReason?
    {
        switch member.sharing {
        case .on: nil
        case .off: .sharingOff
        case .pausedUntil(let end): now < end ? .sharingPaused : nil
        }
    }

    /// - Parameter audience: recipients configured in the zone
    private static func reason(
        for member: Membership, in circle: Circle, about change: ZoneChange,
        _ audience: ZoneAudience
    ) -> NotifyReason {
        if member.person == change.person { return .themselves }
        if member.joined == nil { return .notJoined }
        let role = circle.member(change.person).map { circle.role(of: member, over: $0) }
        let isNamed =
            audience.roles.contains(role ?? member.role)
            || audience.people.contains(member.person)
        return isNamed ? change.reason : .role
    }

    /// Members who may be notified of a person's emergency: all who joined, except the person; ids
    /// ascending.
    package static func helpers(of person: PersonID, in circle: Circle) -> [Membership] {
        circle.members
            .filter { $0.joined != nil && $0.person != person }
            .sorted { $0.person < $1.person }
    }

    /// Members named by a tier, ids ascending.
    package static func members(
        of tier: EscalationTier, for person: PersonID, in circle: Circle
    ) -> [Membership] {
        helpers(of: person, in: circle).filter {
            tier.roles.contains($0.role) || tier.people.contains($0.person)
        }
    }

    /// A circle's tiers. The default is guardians, then admins, then all members, 120 s each.
    package static func tiers(of circle: Circle) -> [EscalationTier] {
        guard circle.escalation.isEmpty else { return circle.escalation }
        return [
            EscalationTier(roles: [.guardian]), EscalationTier(roles: [.admin]),
            EscalationTier(roles: [.admin, .guardian, .member]),
        ]
    }
}

/// Selects the contact points of a person.
package enum ContactSelector {
    /// The preferred contact point of each channel, in order. Working ones precede others.
    package static func preferred(
        of person: Person, on channels: some Collection<Channel>,
        working isWorking: (ContactPoint) -> Bool = { _ in true }
    ) -> [ContactPoint] {
        let all = all(of: person, on: channels)
        return channels.compactMap { channel in
            let contacts = all.filter { $0.channel == channel }
            return contacts.first(where: isWorking) ?? contacts.first
        }
        .sorted(by: precedes)
    }

    /// All contact points on these channels, in order, each address once.
    package static func all(
        of person: Person, on channels: some Collection<Channel>
    ) -> [ContactPoint] {
        var seen: Set<String> = []
        return person.contacts
            .filter { channels.contains($0.channel) && !$0.address.isEmpty }
            .sorted(by: precedes)
            .filter { seen.insert("\($0.channel.rawValue) \($0.address)").inserted }
    }

    /// The order in which contact points are tried: verified ones first, then by preference.
    private static func precedes(_ first: ContactPoint, _ second: ContactPoint) -> Bool {
        (first.verified == nil ? 1 : 0, first.rank, first.id)
            < (second.verified == nil ? 1 : 0, second.rank, second.id)
    }

    /// Sorts people: those with a verified contact point on these channels come first.
    static func verifiedFirst(
        _ people: [PersonID], on channels: some Collection<Channel>, in directory: Replica
    ) -> [PersonID] {
        let verified = Set(
            people.filter { person in
                directory.person(person)?.contacts.contains {
                    $0.verified != nil && channels.contains($0.channel)
                } ?? false
            })
        return people.filter(verified.contains) + people.filter { !verified.contains($0) }
    }
}
