import Dialects
import Directory
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// A change as a request asks for it, with the secret that its answer shows.
struct RequestedChange {
    var change: Change
    /// Where the changed thing is found afterwards; nil where it says itself.
    var location: String?
    var secret: NewSecret?
    /// Where the zones come from that the change makes.
    var file: ZonesOfFile?
    /// The code that may be sent.
    var code: MessageCode?
    /// The zones that are mailed.
    var mail: ZoneMail?
    /// What sets up the phone that gets the secret.
    var setup: PhoneSetup?

    init(
        _ change: Change, at location: String? = nil, secret: NewSecret? = nil,
        file: ZonesOfFile? = nil, code: MessageCode? = nil
    ) {
        self.change = change
        self.location = location
        self.secret = secret
        self.file = file
        self.code = code
    }
}

/// Makes a change of a request's path and body. Ids and secrets of new things are made here.
struct ChangeReader {
    let directory: Replica
    let principal: Principal
    let request: Request
    let parameters: Parameters
    let clocks: ZoneClocks
    let shapes: PreparedShapes
    /// By which codes are kept.
    let messageKey: [UInt8]
    /// Where phones find the suite; nil = nobody said.
    let publicURL: String?
    /// Where phones may publish; nil = nowhere.
    var broker: PhoneBroker?

    func read(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        switch changing {
        case .createPerson, .updatePerson, .removePerson: try readPerson(changing)
        case .createDevice, .updateDevice, .removeDevice: try readDevice(changing)
        case .rotateCredential, .setUpDevice, .createCredential, .removeCredential,
            .rotateOperatorToken, .rotateMonitorToken:
            try readCredential(changing)
        case .removeMonitorToken: RequestedChange(.removeMonitorToken)
        case .createCircle, .updateCircle, .removeCircle: try readCircle(changing)
        case .addMember, .updateMember, .removeMember: try readMember(changing)
        case .createZone(let holder), .updateZone(let holder), .removeZone(let holder):
            try readZone(changing, of: parameters.owner(holder))
        case .importZones(let holder): try readZoneFile(for: parameters.owner(holder))
        case .mailZone(let holder): try readMail(of: parameters.owner(holder), try zone)
        case .mailSet: try readMail(of: .set(try set), nil)
        case .refuseZone: RequestedChange(.refuseZone(try person, try zone))
        case .acceptZone: RequestedChange(.acceptZone(try person, try zone))
        case .createSet, .updateSet, .removeSet: try readSet(changing)
        case .subscribe: RequestedChange(.subscribe(try circle, try set))
        case .unsubscribe: RequestedChange(.unsubscribe(try circle, try set))
        case .createMessage(let holder), .updateMessage(let holder), .removeMessage(let holder),
            .confirmMessage(let holder), .sendCode(let holder), .enterCode(let holder):
            try readMessage(changing, of: parameters.owner(holder))
        }
    }

    private func readPerson(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        func patch(isNew: Bool) throws(Problem) -> PersonPatch {
            try PersonBody.read(body(), isNew: isNew, timeZones: clocks.folder)
        }
        if case .createPerson = changing {
            let id = PersonID(SecureRandom.id())
            return RequestedChange(
                .createPerson(id, try patch(isNew: true)), at: "/v1/people/\(id)")
        }
        let id = try person
        if case .removePerson = changing { return RequestedChange(.removePerson(id)) }
        return RequestedChange(.updatePerson(id, try patch(isNew: false)))
    }

    private func readDevice(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        let owner = try person
        if case .createDevice = changing {
            let id = DeviceID(SecureRandom.id())
            let patch = try DeviceBody.read(body(), isNew: true)
            let secret = NewSecret()
            return RequestedChange(
                .createDevice(owner, id, patch, secret.credential),
                at: "/v1/people/\(owner)/devices/\(id)", secret: secret)
        }
        let id = try parameters.id("device", DeviceID.self)
        if case .removeDevice = changing { return RequestedChange(.removeDevice(owner, id)) }
        return RequestedChange(
            .updateDevice(owner, id, try DeviceBody.read(body(), isNew: false)))
    }

    private func readCredential(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        let secret = NewSecret()
        switch changing {
        case .rotateOperatorToken:
            return RequestedChange(.rotateOperatorToken(secret.credential), secret: secret)
        case .rotateMonitorToken:
            return RequestedChange(.rotateMonitorToken(secret.credential), secret: secret)
        case .rotateCredential:
            return RequestedChange(
                .rotateCredential(
                    try person, try parameters.id("device", DeviceID.self), secret.credential),
                secret: secret)
        case .setUpDevice:
            let id = try parameters.id("device", DeviceID.self)
            // Rights come first: whether there is such a device is only for its person to know.
            let asked = directory.decide(
                principal, .editDevices,
                on: .person(directory.device(id)?.person ?? PersonID(.zero)), at: clocks.now)
            if let denial = asked.denial { throw Problem(denial) }
            let setup = try DeviceSetup(
                directory: directory, publicURL: publicURL, broker: broker
            ).setup(of: id, token: secret.token, for: request)
            guard let owner = directory.device(id)?.person else {
                throw .notFound("there is no such device")
            }
            var requested = RequestedChange(
                .rotateCredential(owner, id, secret.credential), secret: secret)
            requested.setup = setup
            return requested
        case .createCredential:
            return RequestedChange(
                .createCredential(try person, secret.credential), secret: secret)
        default:
            return RequestedChange(
                .removeCredential(
                    try person, try parameters.id("credential", CredentialID.self)))
        }
    }

    private func readCircle(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        if case .createCircle = changing {
            let id = CircleID(SecureRandom.id())
            return RequestedChange(
                .createCircle(id, try CircleBody.read(body(), isNew: true)),
                at: "/v1/circles/\(id)")
        }
        let id = try circle
        if case .removeCircle = changing { return RequestedChange(.removeCircle(id)) }
        return RequestedChange(.updateCircle(id, try CircleBody.read(body(), isNew: false)))
    }

    private func readMember(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        let circle = try circle
        if case .addMember = changing {
            let (person, patch) = try MemberBody.readNew(body())
            return RequestedChange(
                .addMember(circle, person, patch), at: "/v1/circles/\(circle)/members/\(person)")
        }
        let person = try person
        if case .removeMember = changing { return RequestedChange(.removeMember(circle, person)) }
        return RequestedChange(.updateMember(circle, person, try MemberBody.read(body())))
    }

    var person: PersonID {
        get throws(Problem) { try parameters.id("person", PersonID.self) }
    }

    var circle: CircleID {
        get throws(Problem) { try parameters.id("circle", CircleID.self) }
    }

    var zone: ZoneID {
        get throws(Problem) { try parameters.id("zone", ZoneID.self) }
    }

    var set: ZoneSetID {
        get throws(Problem) { try parameters.id("set", ZoneSetID.self) }
    }

    func body() throws(Problem) -> JSON {
        guard !request.body.isEmpty else {
            throw .invalid("the body is empty", hint: "send a JSON object")
        }
        // Too many points are told of their zone; phones are answered elsewhere.
        return try request.json(valuesMax: .max)
    }

    /// The version that `If-Match` names; nil without one, or for any.
    func ifVersion() throws(Problem) -> Int64? {
        guard let value = request.headers["If-Match"], value != "*" else { return nil }
        let digits =
            value.hasPrefix("\"") && value.hasSuffix("\"") ? value.dropFirst().dropLast() : ""
        guard let version = OutsideNumber.integer(digits, in: 0...OutsideNumber.most) else {
            throw .invalid(
                "this is not an entity tag of ours", field: "If-Match",
                hint: #"send the ETag of the last answer, such as "3""#)
        }
        return Int64(version)
    }
}
