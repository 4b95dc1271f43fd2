import Directory
import Model

/// Who is told what: one pure function for each kind of news, with a reason for everybody.
public enum Audience {
    /// The decisions about a crossing, one for each member of the zone's circle, ids ascending.
    ///
    /// A crossing that is told to nobody (a private zone, too old, not shared) gives each member
    /// that reason.
    public static func decide(
        on crossing: ZoneCrossing, in directory: Replica, at now: Timestamp
    ) -> [NotifyDecision] {
        guard let id = crossing.circle, let circle = directory.circle(id) else { return [] }
        let forAll = withheld(crossing, from: circle, in: directory, at: now)
        return circle.members.sorted { $0.person < $1.person }.map { member in
            NotifyDecision(
                recipient: member.person,
                reason: forAll ?? reason(for: member, about: crossing.person))
        }
    }

    /// Why the whole circle is not told of a crossing; nil when guardians are.
    public static func withheld(
        _ crossing: ZoneCrossing, from circle: Circle, in directory: Replica, at now: Timestamp
    ) -> NotifyReason? {
        guard let subject = circle.member(crossing.person) else { return .notOfCircle }
        guard let zone = directory.zone(crossing.zone), zone.active else { return .zoneInactive }
        guard zone.owner == .circle(circle.id) else { return .privateZone }
        guard zone.transitions.contains(crossing.inside ? .enter : .exit) else {
            return .transitionUnwanted
        }
        if let silence = silence(of: subject, at: now) { return silence }
        if subject.precision == .zone,
            zone.prepared.inradiusCentimetres < Limits.namedZoneInradiusCentimetresMin
        {
            return .zoneTooSmall
        }
        return now - crossing.fix.time > Limits.newsAgeMax ? .tooOld : nil
    }

    /// Why a member shares nothing at this time; nil while they do.
    public static func silence(of member: Membership, at now: Timestamp) -> NotifyReason? {
        switch member.sharing {
        case .on: nil
        case .off: .sharingOff
        case .pausedUntil(let end): now < end ? .sharingPaused : nil
        }
    }

    private static func reason(for member: Membership, about person: PersonID) -> NotifyReason {
        if member.person == person { return .themselves }
        if member.joined == nil { return .notJoined }
        return member.role == .member ? .role : .zoneCrossed
    }

    /// Everybody of a circle who may ever be told of a person's emergency: joined, and not the
    /// person themselves; ids ascending.
    public static func helpers(of person: PersonID, in circle: Circle) -> [Membership] {
        circle.members
            .filter { $0.joined != nil && $0.person != person }
            .sorted { $0.person < $1.person }
    }

    /// The members whom a tier names, ids ascending.
    public static func members(
        of tier: EscalationTier, for person: PersonID, in circle: Circle
    ) -> [Membership] {
        helpers(of: person, in: circle).filter {
            tier.roles.contains($0.role) || tier.people.contains($0.person)
        }
    }

    /// A circle's tiers: its own, else guardians, then admins, then all members, 120 s each.
    public static func tiers(of circle: Circle) -> [EscalationTier] {
        guard circle.escalation.isEmpty else { return circle.escalation }
        return [
            EscalationTier(roles: [.guardian]), EscalationTier(roles: [.admin]),
            EscalationTier(roles: [.admin, .guardian, .member]),
        ]
    }

    /// Whether a circle sees where a person in danger is.
    ///
    /// Who presses for help shares their position with those told, whatever they share otherwise;
    /// what raises an emergency without them shares it only while they share exact positions.
    public static func seesPosition(
        of person: PersonID, inDangerBy trigger: EmergencyTrigger, in circle: Circle,
        at now: Timestamp
    ) -> Bool {
        switch trigger {
        case .panic, .shake: return true
        case .fall, .crash, .noMotion, .watchExpired, .lostContact, .guardian:
            guard let member = circle.member(person) else { return false }
            return member.precision == .exact && silence(of: member, at: now) == nil
        }
    }
}

/// The ways to one person.
public enum Reach {
    /// The preferred contact point of each channel, in the order of preference.
    public static func preferred(
        of person: Person, on channels: some Collection<Channel>
    ) -> [ContactPoint] {
        var seen: Set<Channel> = []
        return all(of: person, on: channels).filter { seen.insert($0.channel).inserted }
    }

    /// All contact points on these channels in the order of preference, each address once.
    public static func all(
        of person: Person, on channels: some Collection<Channel>
    ) -> [ContactPoint] {
        var seen: Set<String> = []
        return person.contacts
            .filter { channels.contains($0.channel) && !$0.address.isEmpty }
            .sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
            .filter { seen.insert("\($0.channel.rawValue) \($0.address)").inserted }
    }
}
