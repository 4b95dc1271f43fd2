import Dialects
import Directory
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// A change that a request asks for, with data for its response.
struct RequestedChange {
    var change: Change
    /// Path of the created entity; nil if none is created.
    var location: String?
    var secret: NewSecret?
    /// The file with the zones to create.
    var file: ImportedZones?
    /// The code to send, if one is needed.
    var code: ShortCode?
    /// The zones to mail.
    var mail: ZoneMail?
    /// Set-up data of the phone that gets the secret.
    var setup: PhoneSetup?
    /// The session of the request, and the header that removes its cookie if the change ends it.
    var endedSession: (id: CredentialID, cookieRemoval: String)?
    /// Link of the new invitation.
    var link: InvitationLink?

    init(
        _ change: Change, at location: String? = nil, secret: NewSecret? = nil,
        file: ImportedZones? = nil, code: ShortCode? = nil
    ) {
        self.change = change
        self.location = location
        self.secret = secret
        self.file = file
        self.code = code
    }
}

/// Parses a change from a request's path and body. Creates ids and secrets of new entities.
struct ChangeReader {
    let directory: Replica
    let principal: Principal
    /// The session of the request; nil if it has none.
    let session: CredentialID?
    let request: Request
    let parameters: Parameters
    let clocks: ZoneClocks
    let shapes: PreparedShapes
    /// Key of the digests of codes.
    let messageKey: [UInt8]
    /// URL at which phones reach the suite; nil = not configured.
    let publicURL: String?
    /// MQTT broker for phones; nil = none.
    var broker: PhoneBroker?

    func read(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        switch changing {
        case .createPerson, .updatePerson, .removePerson: try readPerson(changing)
        case .sendContactCode, .verifyContact, .testContact: try readContact(changing)
        case .createDevice, .updateDevice, .removeDevice: try readDevice(changing)
        case .rotateCredential, .setUpDevice, .createCredential, .removeCredential,
            .rotateOperatorToken, .rotateMonitorToken:
            try readCredential(changing)
        case .endSession:
            RequestedChange(.endSession(try parameters.id("session", CredentialID.self)))
        case .endSessions:
            RequestedChange(
                .endSessions(besides: try request.flag("others") ? session : nil))
        case .removeMonitorToken: RequestedChange(.removeMonitorToken)
        case .createCircle, .updateCircle, .removeCircle: try readCircle(changing)
        case .addMember, .updateMember, .removeMember: try readMember(changing)
        case .invite, .revokeInvitation, .acceptInvitation: try readInvitation(changing)
        case .replyToConsent: try readReply()
        case .declareWard: try readWard()
        case .createZone(let kind), .updateZone(let kind), .removeZone(let kind):
            try readZone(changing, of: parameters.owner(kind))
        case .importZones(let kind): try readZoneFile(for: parameters.owner(kind))
        case .mailZone(let kind): try readMail(of: parameters.owner(kind), try zone)
        case .mailSet: try readMail(of: .set(try set), nil)
        case .optOut: RequestedChange(.optOut(try person, try zone))
        case .optIn: RequestedChange(.optIn(try person, try zone))
        case .acceptZone: RequestedChange(.acceptZone(try person, try zone))
        case .declineZone: RequestedChange(.declineZone(try person, try zone))
        case .setNeverNotify:
            RequestedChange(.setNeverNotify(try person, try NeverNotifyBody.read(body())))
        case .setPIN: RequestedChange(.setPIN(try person, try PINBody.read(.pin, body())))
        case .setDuressPIN:
            RequestedChange(.setPIN(try person, try PINBody.read(.duressPIN, body())))
        case .createSet, .updateSet, .removeSet: try readSet(changing)
        case .subscribe: RequestedChange(.subscribe(try circle, try set))
        case .unsubscribe: RequestedChange(.unsubscribe(try circle, try set))
        case .createMessage(let kind), .updateMessage(let kind), .removeMessage(let kind),
            .confirmMessage(let kind), .sendCode(let kind), .enterCode(let kind):
            try readMessage(changing, of: parameters.owner(kind))
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

    private func readContact(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        let owner = try person
        let id = try parameters.id("contact", ContactID.self)
        switch changing {
        case .sendContactCode:
            let code = ShortCode()
            let digest = code.digest(for: .contact(id), key: messageKey)
            return RequestedChange(.sendContactCode(owner, id, digest), code: code)
        case .verifyContact:
            let digest = try typedCode().digest(for: .contact(id), key: messageKey)
            return RequestedChange(.verifyContact(owner, id, digest))
        default: return RequestedChange(.testContact(owner, id))
        }
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
            // Rights come first: only its person may learn whether the device exists.
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
                .createCredential(
                    try person, secret.credential, try CredentialBody.read(request)),
                secret: secret)
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
        // Vertices are counted per zone, so the number of values is not limited here.
        return try request.json(valuesMax: .max)
    }

    /// The version in `If-Match`; nil if it is missing or `*`.
    func ifVersion() throws(Problem) -> Int64? {
        guard let value = request.headers["If-Match"], value != "*" else { return nil }
        let digits =
            value.hasPrefix("\"") && value.hasSuffix("\"") ? value.dropFirst().dropLast() : ""
        guard let version = UntrustedNumber.integer(digits, in: 0...UntrustedNumber.most) else {
            throw .invalid(
                "the entity tag is invalid", field: "If-Match",
                hint: #"send the ETag of the last response, such as "3""#)
        }
        return Int64(version)
    }
}
