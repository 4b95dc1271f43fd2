import Model

/// Target of an action, by ids.
public enum RightsTarget: Hashable, Sendable {
    /// The suite itself, or an entity that does not exist yet.
    case suite
    case person(PersonID)
    case circle(CircleID)
    /// The position or the membership of a person in one circle.
    case member(PersonID, in: CircleID)
    /// An emergency of a person: whether the actor is a recipient, and whether it is acknowledged.
    case emergency(of: PersonID, isRecipient: Bool, isAcknowledged: Bool)

    /// The person whom it is about; nil for the suite and circles.
    var person: PersonID? {
        switch self {
        case .suite, .circle: nil
        case .person(let person), .member(let person, _), .emergency(let person, _, _): person
        }
    }
}

extension Replica {
    /// Decides whether a principal may perform an action now.
    ///
    ///     replica.decide(principal, .readPosition, on: .member(anna, in: family), at: now)
    public func decide(
        _ principal: Principal, _ action: Action, on target: RightsTarget, at now: Timestamp
    ) -> Decision {
        // The secret of a phone may be part of an address, so it reads nothing of others.
        if case .device(_, let owner) = principal, [.readEmergency, .readHistory].contains(action),
            target.person != owner
        {
            return .denied(.notYours)
        }
        return Rights.decide(query(principal, action, on: target, at: now), by: rights)
    }

    /// Returns the query for ``Rights/decide(_:)``, with what the replica knows of actor and
    /// target. Unknown people and circles have no members.
    public func query(
        _ principal: Principal, _ action: Action, on target: RightsTarget, at now: Timestamp
    ) -> RightsQuery {
        var query = RightsQuery(action: action)
        if case .operator = principal { query.isOperator = true }
        let actor = principal.person
        if let person = actor.flatMap({ people[$0] }) {
            query.plan = person.plan
            query.affiliation = person.affiliation
            query.staff = person.staff
            query.billing = person.billing
            query.signIn = person.signIn
        }
        if case .device(let device, _) = principal { query.platform = devices[device]?.platform }
        switch target {
        case .suite: break
        case .person(let person): fill(&query, about: person, for: actor)
        case .circle(let circle): fill(&query, about: circle, for: actor)
        case .member(let person, let circle):
            fill(&query, about: circle, for: actor)
            fill(&query, about: person, for: actor)
            query.resource.isSharing =
                circles[circle]?.member(person)?.sharing.isOn(at: now) ?? false
        case .emergency(let person, let isRecipient, let isAcknowledged):
            query.resource.isOwn = person == actor
            // To somebody on the person's never-notify list the emergency does not exist.
            let isHidden = actor.map { hidesEmergencies(of: person, from: $0) } ?? false
            query.resource.isRecipient = isRecipient && !isHidden
            query.resource.isAcknowledged = isAcknowledged
            if isHidden { query.staff = nil }
            query.role = isHidden ? nil : actor.flatMap { highestRole(of: $0, over: person) }
        }
        return query
    }

    private func fill(_ query: inout RightsQuery, about id: PersonID, for actor: PersonID?) {
        query.resource.isOwn = id == actor
        guard let person = people[id] else { return }
        query.billing = person.billing
        query.signIn = person.signIn
        guard let actor else { return }
        if id == actor {
            query.guardianship = person.guardians.isEmpty ? .none : .ward
        } else if person.guardians.contains(actor) {
            query.guardianship = .guardian
        }
    }

    private func fill(_ query: inout RightsQuery, about id: CircleID, for actor: PersonID?) {
        guard let circle = circles[id], let actor else { return }
        query.role = circle.member(actor)?.role
        query.resource.isInvited =
            query.role == nil && circle.members.contains { $0.person == actor }
        query.resource.membersSeePositions = circle.membersSeePositions
        query.resource.guardiansEditZones = circle.guardiansEditZones
    }

    /// Whether somebody must say why they read a person's trail: staff who share no circle with the
    /// person.
    public func needsReason(_ principal: Principal, toRead person: PersonID) -> Bool {
        guard let reader = principal.person else { return true }
        return reader != person && people[reader]?.staff != nil
            && commonCircles(of: reader, and: person).isEmpty
    }

    /// Whether somebody must say why they read the positions of a circle: staff who are not its
    /// members.
    public func needsReason(_ principal: Principal, toReadIn circle: CircleID) -> Bool {
        guard let reader = principal.person else { return true }
        return people[reader]?.staff != nil && circles[circle]?.member(reader) == nil
    }

    /// The circles that two people have both joined, ascending.
    public func commonCircles(of person: PersonID, and other: PersonID) -> [CircleID] {
        circles(of: person).filter { circles[$0]?.member(other) != nil }
    }

    /// The circles of a person in danger for which another one acknowledges and resolves: those
    /// that both have joined, ascending; for staff, all.
    public func circles(of person: PersonID, answeredBy other: PersonID) -> [CircleID] {
        people.read(other, { $0.staff }) ?? nil == nil
            ? commonCircles(of: person, and: other) : circles(of: person)
    }

    /// The highest role of one person in the circles that both have joined; nil if there is none.
    public func highestRole(of person: PersonID, over other: PersonID) -> Role? {
        var highest: Role?
        for id in circles(of: person) {
            guard let circle = circles[id], circle.member(other) != nil,
                let role = circle.member(person)?.role
            else { continue }
            if highest.map({ role.rank > $0.rank }) ?? true { highest = role }
        }
        return highest
    }
}

extension Role {
    /// Ascending with the rights of the role.
    var rank: Int {
        switch self {
        case .member: 0
        case .guardian: 1
        case .admin: 2
        }
    }
}

extension Sharing {
    /// Whether the position is shared at a time. A pause ends automatically.
    public func isOn(at now: Timestamp) -> Bool {
        switch self {
        case .on: true
        case .off: false
        case .pausedUntil(let end): end <= now
        }
    }
}
