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

extension RightsQuery {
    /// The query about a principal and a target, with what a directory knows of both. Unknown
    /// people and circles have no members.
    public init(
        _ principal: Principal, _ action: Action, on target: RightsTarget, in directory: Replica,
        at now: Timestamp
    ) {
        self.init(action: action)
        if case .operator = principal { isOperator = true }
        let actor = principal.person
        if let person = actor.flatMap(directory.person) {
            plan = person.plan
            affiliation = person.affiliation
            // The secret of a phone may be part of an address, so a phone never acts for staff.
            if case .device = principal {} else { staff = person.staff }
            billing = person.billing
            signIn = person.signIn
        }
        if case .device(let id, _) = principal { platform = directory.device(id)?.platform }
        switch target {
        case .suite: break
        case .person(let person): fill(about: directory.person(person), person, for: actor, at: now)
        case .circle(let circle): fill(about: directory.circle(circle), for: actor)
        case .member(let person, let circle):
            let circle = directory.circle(circle)
            fill(about: circle, for: actor)
            fill(about: directory.person(person), person, for: actor, at: now)
            if let circle, let subject = circle.member(person) {
                fill(
                    about: subject, in: circle, for: actor, as: actor.flatMap(circle.member),
                    at: now)
            }
        case .emergency(let person, let isRecipient, let isAcknowledged):
            resource.isOwn = person == actor
            // To somebody on the person's never-notify list the emergency does not exist.
            let isHidden = actor.map { directory.hidesEmergencies(of: person, from: $0) } ?? false
            resource.isRecipient = isRecipient && !isHidden
            resource.isAcknowledged = isAcknowledged
            if isHidden { staff = nil }
            role =
                isHidden
                ? nil : actor.flatMap { directory.circles.highestRole(of: $0, over: person) }
        }
    }

    private mutating func fill(
        about person: Person?, _ id: PersonID, for actor: PersonID?, at now: Timestamp
    ) {
        resource.isOwn = id == actor
        guard let person else { return }
        billing = person.billing
        signIn = person.signIn
        guard let actor, person.isWard(at: now) else { return }
        if id == actor {
            guardianship = .ward
        } else if person.guardians.contains(actor) {
            guardianship = .guardian
        }
    }

    private mutating func fill(about circle: Circle?, for actor: PersonID?) {
        guard let circle, let actor else { return }
        role = circle.member(actor)?.role
        resource.isInvited = role == nil && circle.members.contains { $0.person == actor }
        resource.membersSeePositions = circle.membersSeePositions
        resource.guardiansEditZones = circle.guardiansEditZones
    }

    /// Fills in what one member shows to the actor: everybody agrees for themselves.
    ///
    /// - Parameters:
    ///   - actor: nil = the operator
    ///   - membership: of the actor in the circle, once they have joined; passed in because
    ///     circles are searched for members
    public mutating func fill(
        about subject: Membership, in circle: Circle, for actor: PersonID?,
        as membership: Membership?, at now: Timestamp
    ) {
        resource.isOwn = subject.person == actor
        resource.isSharing = subject.sharing.isOn(at: now)
        resource.membersSeePositions = circle.membersSee(subject)
        role = membership.map { circle.role(of: $0, over: subject) }
    }
}

extension Principal {
    /// Whether it must say why it reads a person's trail: staff who share no circle with the
    /// person.
    public func needsReason(toRead person: PersonID, in directory: Replica) -> Bool {
        guard let reader = self.person else { return true }
        return reader != person && directory.person(reader)?.staff != nil
            && directory.commonCircles(of: reader, and: person).isEmpty
    }

    /// Whether it must say why it reads the positions of a circle: staff who are not its members.
    public func needsReason(toReadIn circle: CircleID, in directory: Replica) -> Bool {
        guard let reader = self.person else { return true }
        return directory.person(reader)?.staff != nil
            && directory.circle(circle)?.member(reader) == nil
    }

    /// Decides every action whose target the subject names, in the order of the table.
    public func rights(
        about subject: RightsSubject, in directory: Replica, at now: Timestamp
    ) -> [(action: Action, decision: Decision)] {
        Action.allCases.compactMap { action in
            subject.target(of: action).map { target in
                (action, directory.decide(self, action, on: target, at: now))
            }
        }
    }
}

extension Role {
    /// Ascending with the rights of the role.
    public var rank: Int {
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
