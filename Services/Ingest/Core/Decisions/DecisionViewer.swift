import Directory
import Model

/// How much of a decision a viewer may see.
public enum DecisionSight: Hashable, Sendable {
    case everything
    /// Neither coordinates nor distances, and no names of small zones.
    case withoutPlace(namesZone: Bool)
}

/// Decides what a viewer may see of the decisions about a person.
public struct DecisionViewer: Hashable, Sendable {
    private struct Share: Hashable {
        var since: Timestamp
        var isExact: Bool
    }

    /// The viewer is the person: sees all, including private zones.
    private var isOwn = false
    private var shares: [CircleID: Share] = [:]

    /// - Returns: nil if the viewer may not know that the person exists
    /// - Throws: why a viewer who knows the person may not see decisions
    public init?(
        of person: PersonID, for principal: Principal, in directory: Replica, at now: Timestamp
    ) throws(Denial) {
        guard directory.person(person) != nil else { return nil }
        if directory.decide(principal, .readAccessLog, on: .person(person), at: now).isAllowed {
            isOwn = true
            return
        }
        var denial: Denial?
        for id in directory.circles(of: person) {
            guard let circle = directory.circle(id), let subject = circle.member(person) else {
                continue
            }
            let viewer = principal.person.flatMap(circle.member)
            let access = PositionAccess(of: principal, .readHistory, in: circle, directory, at: now)
            if viewer.map({ circle.role(of: $0, over: subject) }) == .member {
                denial = .roleTooLow
                continue
            }
            switch access.denial(of: subject) {
            case nil, .notSharing:
                let joined = [viewer?.joined, subject.joined].compactMap { $0 }.max()
                shares[id] = Share(
                    since: joined ?? .zero, isExact: access.detail(of: subject) == .exact)
            case .notAMember: break
            case let other?: denial = other
            }
        }
        guard shares.isEmpty else {
            // Somebody on the person's never-notify list sees as much as if there were none.
            let isHidden = principal.person.map { directory.hides(person, from: $0) } ?? false
            if isHidden { shares = [:] }
            return
        }
        guard let denial else { return nil }
        throw denial
    }

    /// How much of one decision the viewer may see; nil = nothing.
    ///
    /// Coordinates are shown only if the person shared exact positions at the time of the decision
    /// and does so now: changing the precision reveals nothing about the past.
    public func sight(of row: DecisionRow, in directory: Replica) -> DecisionSight? {
        if isOwn { return .everything }
        let common = row.circles.filter { id in
            shares[id].map { $0.since <= row.time } ?? false
        }
        guard !common.isEmpty else { return nil }
        let showsPlace = common.contains { id in
            shares[id]?.isExact == true && row.exactCircles.contains(id)
        }
        if showsPlace { return .everything }
        let isNamed = directory.zone(row.zone).map { zone in
            common.contains { id in
                guard let circle = directory.circle(id), let member = circle.member(row.person)
                else { return false }
                return ZoneNaming(in: directory).mayName(zone, of: member, in: circle)
            }
        }
        return .withoutPlace(namesZone: isNamed ?? false)
    }
}
