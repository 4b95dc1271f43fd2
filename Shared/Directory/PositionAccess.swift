import Model

/// How much of a person's position somebody may see.
public enum PositionDetail: Hashable, Sendable, CaseIterable {
    /// Nothing, not even that there is a position.
    case nothing
    /// The name of a zone (``ZoneNaming/name(at:of:in:)``), no coordinates.
    case zone
    /// The position.
    case exact
}

/// An emergency that is open or acknowledged.
public enum Incident: Hashable, Sendable {
    /// The person called for help themselves.
    case ownCall
    case automatic
}

/// Decides who may see the position of a circle's members now: the one definition for positions,
/// friends on a phone's map, journeys, decisions, notifications and emergencies.
///
/// Depends on role, circle setting, what the person agreed to, sharing, pause, precision, and the
/// person's own call.
///
///     let access = PositionAccess(of: .person(ben), in: family, directory, at: now)
///     access.detail(of: anna, sharesByOwnCall: emergency.isOwnCall)
public struct PositionAccess: Sendable {
    private let circle: Circle
    /// The viewer in the circle, before it is filled in for one member.
    private let query: RightsQuery
    private let viewer: PersonID?
    /// Of the viewer, once they have joined the circle.
    private let membership: Membership?
    private let now: Timestamp
    private let hidden: Set<PersonID>
    private let rights: RightsTable

    /// - Parameter action: `readPosition`, `locate` or `readHistory`
    public init(
        of principal: Principal, _ action: Action = .readPosition, in circle: Circle,
        _ directory: Replica, at now: Timestamp
    ) {
        self.circle = circle
        query = RightsQuery(principal, action, on: .circle(circle.id), in: directory, at: now)
        viewer = principal.person
        membership = principal.person.flatMap(circle.member)
        self.now = now
        rights = directory.rights
        var hidden: Set<PersonID> = []
        if let viewer = principal.person {
            for member in circle.members
            where directory.hidesEmergencies(of: member.person, from: viewer) {
                hidden.insert(member.person)
            }
        }
        self.hidden = hidden
    }

    /// Decides what the viewer may see of a member.
    ///
    /// - Parameters:
    ///   - sharesByOwnCall: whether the viewer is a recipient of the member's active emergency, and
    ///     the member called for help themselves (``EmergencyTrigger/isOwnCall``): from the end of
    ///     the countdown to the end of the emergency, that shows the exact position whatever they
    ///     share
    ///   - incident: the member's open emergency, which officers handle; nil = none
    public func detail(
        of member: Membership, sharesByOwnCall: Bool = false, incident: Incident? = nil
    ) -> PositionDetail {
        if sharesByOwnCall, viewer != nil, !hidden.contains(member.person) { return .exact }
        if query.staff == .officer, let incident, !hidden.contains(member.person) {
            var query = query
            query.resource.isInEmergency = true
            query.resource.isSharing = member.sharing.isOn(at: now) || incident == .ownCall
            if Rights.decide(query, by: rights).isAllowed {
                let isExact = member.precision == .exact || incident == .ownCall
                return isExact ? .exact : .zone
            }
        }
        guard denial(of: member) == nil else { return .nothing }
        return member.precision == .exact || viewer == member.person ? .exact : .zone
    }

    /// Why sharing, role or circle setting show nothing of a member; nil = they show something.
    public func denial(of member: Membership) -> Denial? {
        var query = query
        query.fill(about: member, in: circle, for: viewer, as: membership, at: now)
        return Rights.decide(query, by: rights).denial
    }
}

extension Membership {
    /// From when on a circle sees the exact position if nothing changes; nil = never. A pause ends
    /// automatically.
    public func exactlyShared(from time: Timestamp) -> Timestamp? {
        guard precision == .exact else { return nil }
        return switch sharing {
        case .on: time
        case .off: nil
        case .pausedUntil(let end): max(end, time)
        }
    }
}
