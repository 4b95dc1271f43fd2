import Directory
import Model

/// Who is told what: one pure function for each kind of news, with a reason for everybody.
public enum Audience {
    /// The circles whose zone it is: its own, or those of the person that subscribe to its set;
    /// ascending. None for a private zone.
    public static func circles(of news: ZoneNews, in directory: Replica) -> [Circle] {
        if let id = news.circle { return directory.circle(id).map { [$0] } ?? [] }
        guard let set = news.set else { return [] }
        return directory.circles(of: news.person).compactMap(directory.circle)
            .filter { $0.sets.contains(set) }
    }

    /// The decisions about zone news, one for each member of the circle, ids ascending.
    ///
    /// What is told to nobody (too old, not shared) gives each member that reason.
    public static func decide(
        on news: ZoneNews, in circle: Circle, _ directory: Replica, at now: Timestamp
    ) -> [NotifyDecision] {
        let forAll = withheld(news, from: circle, in: directory, at: now)
        let audience = directory.zone(news.zone)?.audience ?? .standard
        return circle.members.sorted { $0.person < $1.person }.map { member in
            NotifyDecision(
                recipient: member.person,
                reason: forAll ?? reason(for: member, about: news, audience))
        }
    }

    /// Why the whole circle is not told; nil when those are whom the zone names.
    public static func withheld(
        _ news: ZoneNews, from circle: Circle, in directory: Replica, at now: Timestamp
    ) -> NotifyReason? {
        guard let subject = circle.member(news.person) else { return .notOfCircle }
        if let silence = silence(of: subject, at: now) { return silence }
        guard let zone = directory.zone(news.zone) else {
            // Nobody knows any more how small it was.
            return news.isEndOfZone && subject.precision == .exact ? nil : .zoneInactive
        }
        guard zone.active || news.isEndOfZone else { return .zoneInactive }
        switch zone.owner {
        case .circle(let owner) where owner == circle.id: break
        case .set(let owner) where circle.sets.contains(owner): break
        default: return .privateZone
        }
        if let transition = news.transition, !zone.transitions.contains(transition) {
            return .transitionUnwanted
        }
        if subject.precision == .zone,
            zone.prepared.inradiusCentimetres < Limits.namedZoneInradiusCentimetresMin
        {
            return .zoneTooSmall
        }
        return now - news.ageFrom > Limits.newsAgeMax ? .tooOld : nil
    }

    /// Why a member shares nothing at this time; nil while they do.
    public static func silence(of member: Membership, at now: Timestamp) -> NotifyReason? {
        switch member.sharing {
        case .on: nil
        case .off: .sharingOff
        case .pausedUntil(let end): now < end ? .sharingPaused : nil
        }
    }

    /// - Parameter audience: whom the zone names.
    private static func reason(
        for member: Membership, about news: ZoneNews, _ audience: ZoneAudience
    ) -> NotifyReason {
        if member.person == news.person { return .themselves }
        if member.joined == nil { return .notJoined }
        let isNamed =
            audience.roles.contains(member.role) || audience.people.contains(member.person)
        return isNamed ? news.reason : .role
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
    /// The person's own call (``EmergencyTrigger/isOwnCall``) shares the position with the
    /// recipients whatever the sharing; everything else only while exact positions are shared.
    public static func seesPosition(
        of person: PersonID, calledThemselves isOwnCall: Bool, in circle: Circle,
        at now: Timestamp
    ) -> Bool {
        guard let member = circle.member(person) else { return false }
        if isOwnCall { return true }
        return member.precision == .exact && silence(of: member, at: now) == nil
    }
}

/// The ways to one person.
public enum Reach {
    /// The preferred contact point of each channel, in the order of preference. One that works goes
    /// before one that does not.
    public static func preferred(
        of person: Person, on channels: some Collection<Channel>,
        working isWorking: (ContactPoint) -> Bool = { _ in true }
    ) -> [ContactPoint] {
        let all = all(of: person, on: channels)
        return channels.compactMap { channel in
            let contacts = all.filter { $0.channel == channel }
            return contacts.first(where: isWorking) ?? contacts.first
        }
        .sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
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
