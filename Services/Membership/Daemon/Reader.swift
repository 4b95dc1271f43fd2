import Dialects
import Directory
import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

/// Answers GET requests from the directory in memory.
struct Reader {
    let directory: Replica
    let codes: Codes
    let sessions: Sessions
    let uses: CredentialUseRows
    let invitations: Invitations
    let consents: Consents
    let wards: Wards
    let principal: Principal
    /// That of the request.
    let credential: Credential
    let request: Request
    let parameters: Parameters
    let now: Timestamp
    /// URL at which phones reach the suite; nil = not configured.
    var publicURL: String?
    /// MQTT broker for phones; nil = none.
    var broker: PhoneBroker?
    let circleLists: CircleLists
    /// Returns the position from which a live stream continues after this response.
    let position: () -> String

    func read(_ reading: Route.Reading) throws(Problem) -> Response {
        switch reading {
        case .people: try people()
        case .person: try person()
        case .devices: try devices()
        case .device: try device()
        case .setup:
            try DeviceSetup(directory: directory, publicURL: publicURL, broker: broker)
                .response(to: request, parameters, by: principal)
        case .credentials: try credentials()
        case .sessions: try ownSessions()
        case .circles: try circles()
        case .circle: try circle()
        case .members: try members()
        case .member: try member()
        case .invitations: try circleInvitations()
        case .invitation: try invitation()
        case .consents: try personConsents()
        case .wards: try wardsOfPerson()
        case .zones(let kind): try zones(of: parameters.owner(kind))
        case .zone(let kind): try zone(of: parameters.owner(kind))
        case .zoneFile(let kind): try zoneFile(of: parameters.owner(kind))
        case .applicableZones: try applicableZones()
        case .neverNotify: try neverNotify()
        case .pin: try pin()
        case .sets: try sets()
        case .set: try set()
        case .messages(let kind): try messages(of: parameters.owner(kind))
        case .message(let kind): try message(of: parameters.owner(kind))
        case .rights: try RightsList(reader: self).response()
        case .rightsInCircle: try RightsList(reader: self).whoMay()
        case .me: try OwnSnapshot(self).response()
        }
    }

    /// Throws if the caller may not perform the action.
    func allow(_ action: Action, on target: RightsTarget) throws(Problem) {
        let decision = directory.decide(principal, action, on: target, at: now)
        if let denial = decision.denial { throw Problem(denial) }
    }

    // MARK: People

    private func people() throws(Problem) -> Response {
        try allow(.administer, on: .suite)
        let page = try Page(directory.sortedPeople, of: request, id: \.id.description)
        return page.response { View.person($0, directory.credentials(of: $0.id)) }
    }

    private func person() throws(Problem) -> Response {
        let person = try knownPerson(for: .readPerson)
        return .entity(
            View.person(person, directory.credentials(of: person.id)), version: person.version)
    }

    private func credentials() throws(Problem) -> Response {
        let person = try knownPerson(for: .readPerson)
        let page = try Page(
            directory.credentials(of: person.id), of: request, id: \.id.description)
        return try page.response { credential throws(Problem) in
            View.credential(credential, lastUsed: .some(try lastUse(of: credential.id)))
        }
    }

    private func ownSessions() throws(Problem) -> Response {
        guard let person = principal.person else { throw Problem(Denial.personOnly) }
        let current = sessions.session(of: credential.id)?.id
        let page = try Page(
            sessions.sessions(of: person, in: directory), of: request, id: \.id.description)
        return try page.response { session throws(Problem) in
            View.session(
                session, expires: directory.credential(session.credential)?.expires,
                lastUsed: try lastUse(of: session.credential), isCurrent: session.id == current)
        }
    }

    private func lastUse(of credential: CredentialID) throws(Problem) -> String? {
        do {
            return try uses.lastUse(of: credential)
        } catch {
            throw .unavailable("the last use cannot be read")
        }
    }

    private func devices() throws(Problem) -> Response {
        let person = try knownPerson(for: .readPerson)
        let page = try Page(directory.devices(of: person.id), of: request, id: \.id.description)
        return page.response { View.device($0, directory.credentials(of: $0.id)) }
    }

    private func device() throws(Problem) -> Response {
        let person = try knownPerson(for: .readPerson)
        let id = try parameters.id("device", DeviceID.self)
        guard let device = directory.device(id), device.person == person.id else {
            throw .notFound("there is no such device")
        }
        return .entity(
            View.device(device, directory.credentials(of: id)), version: device.version)
    }

    /// The person in the path. Rights are checked first: callers who may not read about a person
    /// must not learn whether that person exists.
    func knownPerson(for action: Action) throws(Problem) -> Person {
        let id = try parameters.id("person", PersonID.self)
        try allow(action, on: .person(id))
        guard let person = directory.person(id) else { throw .notFound("there is no such person") }
        return person
    }

    /// The caller's own never-notify list.
    private func neverNotify() throws(Problem) -> Response {
        let id = try parameters.id("person", PersonID.self)
        if let denial = NeverNotifyRules(in: directory).denialOfList(of: id, to: principal, at: now)
        {
            throw Problem(denial)
        }
        guard directory.person(id) != nil else { throw .notFound("there is no such person") }
        return .json(View.neverNotify(directory.neverNotifyList(of: id), in: directory))
    }

    /// Whether the caller is asked for a PIN.
    private func pin() throws(Problem) -> Response {
        let id = try parameters.id("person", PersonID.self)
        if let denial = directory.denialOfPIN(of: id, to: principal, at: now) {
            throw Problem(denial)
        }
        guard directory.person(id) != nil else { throw .notFound("there is no such person") }
        return .json(View.pin(isSet: directory.asksPIN(of: id)))
    }

    // MARK: Circles

    /// Lists circles: all for the operator, joined ones for a person. Staff with the role of an
    /// operator list all with `?all=true`.
    private func circles() throws(Problem) -> Response {
        let circles: [Circle]
        let listsAll = try request.flag("all")
        if listsAll { try allow(.administer, on: .suite) }
        if let actor = principal.person, !listsAll {
            circles = directory.circles(of: actor).compactMap { directory.circle($0) }
        } else {
            circles = directory.sortedCircles
        }
        let page = try Page(circles, of: request, id: \.id.description)
        return listed(page.response { view($0) })
    }

    /// Adds the version of the caller's circle list.
    private func listed(_ response: Response) -> Response {
        var response = response
        response.setCircleListVersion(of: principal, circleLists, in: directory)
        return response
    }

    private func circle() throws(Problem) -> Response {
        let circle = try readableCircle()
        return listed(.entity(view(circle), version: circle.version))
    }

    private func members() throws(Problem) -> Response {
        let circle = try readableCircle()
        let page = try Page(
            circle.members.sorted { $0.person < $1.person }, of: request,
            id: \.person.description)
        return page.response { view($0, in: circle) }
    }

    private func member() throws(Problem) -> Response {
        let circle = try readableCircle()
        let person = try parameters.id("person", PersonID.self)
        guard let member = circle.members.first(where: { $0.person == person }) else {
            throw .notFound("there is no such member")
        }
        return .entity(view(member, in: circle), version: circle.version)
    }

    private func readableCircle() throws(Problem) -> Circle {
        let id = try parameters.id("circle", CircleID.self)
        try allow(.readCircle, on: .circle(id))
        guard let circle = directory.circle(id) else { throw .notFound("there is no such circle") }
        return circle
    }

    private func view(_ circle: Circle) -> JSON {
        View.circle(circle, to: circle.audience(of: principal), in: directory)
    }

    private func view(_ member: Membership, in circle: Circle) -> JSON {
        View.member(member, in: circle, name: name(of: member.person))
    }

    func name(of person: PersonID) -> String { directory.person(person)?.name ?? "" }
}

extension Problem {
    /// 403 with the reason.
    init(_ denial: Denial) { self = .denied(denial.explanation, hint: denial.rawValue) }
}

extension Response {
    /// An entity with its version as ETag.
    static func entity(
        _ json: JSON, version: Int64, status: Int = 200, location: String? = nil
    ) -> Response {
        var response = Response.json(json, status: status)
        response.headers["ETag"] = "\"\(version)\""
        if let location { response.headers["Location"] = location }
        return response
    }
}
