import Hashing
import Hosting
import MembershipCore
import Model
import Parsing
import Runtime
import SignOn
import Web

/// Connects ``Passkeys`` to HTTP and to the store. Bodies are those of WebAuthn's JSON, as
/// `PublicKeyCredential.toJSON()` and `parseCreationOptionsFromJSON()` have them.
final class PasskeyEndpoints {
    private let host: Host
    private unowned let keeper: any SessionKeeper
    private let tables: PasskeyTables
    private var machine: Passkeys
    /// Requests of this turn, by id.
    private var requests: [RequestID: Request] = [:]

    private static let challengeBytes = 32

    init(_ host: Host, _ keeper: any SessionKeeper) {
        self.host = host
        self.keeper = keeper
        tables = PasskeyTables(database: host.database)
        machine = Passkeys(party: PasskeyEndpoints.party(host))
    }

    /// Without a public URL, that of a process on the same machine.
    private static func party(_ host: Host) -> RelyingParty? {
        RelyingParty(
            publicURL: host.configuration.optional("JAGA_PUBLIC_URL")
                ?? "http://localhost:\(host.httpPort)")
    }

    // MARK: Turns

    func load() throws {
        machine = Passkeys(party: machine.party, rows: try tables.load())
        requests = [:]
    }

    func tick() throws { try perform(.tick) }

    func personRemoved(_ person: PersonID) throws { try perform(.personRemoved(person)) }

    // MARK: Requests

    func list(_ request: Request, of person: PersonID) throws {
        try checkOwner(request, person)
        keeper.answer(
            request.id,
            .json([
                "items": .array(machine.passkeys(of: person).map(Self.view)), "next": .null,
            ]))
    }

    func registrationOptions(_ request: Request, of person: PersonID) throws {
        try checkOwner(request, person)
        try perform(
            .registrationOptions(
                request.id, person, challenge: SecureRandom.bytes(Self.challengeBytes)))
    }

    func register(_ request: Request, for person: PersonID) throws {
        try checkOwner(request, person)
        let (name, response) = try Self.body(request)
        let registration = PasskeyRegistration(
            clientData: try response.bytes("clientDataJSON"),
            authenticatorData: try response.bytes("authenticatorData"))
        try perform(
            .register(
                request.id,
                Passkeys.Registration(
                    person: person, id: PasskeyID(SecureRandom.id()), name: name,
                    challenge: Self.challenge(in: registration.clientData),
                    response: registration)))
    }

    func remove(_ request: Request, _ id: PasskeyID, of person: PersonID) throws {
        try checkOwner(request, person)
        try perform(.remove(request.id, id, of: person))
    }

    func signInOptions(_ request: Request) throws {
        try perform(
            .signInOptions(request.id, challenge: SecureRandom.bytes(Self.challengeBytes)))
    }

    func signIn(_ request: Request) throws {
        guard host.sessionCookie(for: request) != nil else {
            throw Problem.denied(
                "browsers keep a session only over https",
                hint: "use the https address of this server")
        }
        let (_, response) = try Self.body(request)
        let assertion = PasskeyAssertion(
            clientData: try response.bytes("clientDataJSON"),
            authenticatorData: try response.bytes("authenticatorData"),
            signature: try response.bytes("signature"))
        let user = try response.optionalBytes("userHandle")
        let key = try Self.keyID(request)
        requests[request.id] = request
        try perform(
            .signIn(
                request.id,
                Passkeys.SignIn(
                    key: key, user: user,
                    challenge: Self.challenge(in: assertion.clientData), response: assertion)))
    }

    /// Passkeys belong to their person alone: nobody else makes, sees or removes them.
    private func checkOwner(_ request: Request, _ person: PersonID) throws(Problem) {
        guard let credential = host.credential(of: request) else {
            throw .unauthorized("the credentials are missing, invalid or expired")
        }
        guard credential.person == person, keeper.ownDirectory.person(person) != nil else {
            throw .denied("only the person may do this", hint: "not-yours")
        }
    }

    // MARK: Bodies

    /// The members of a credential that are not read: what browsers add to it.
    private static let credentialNames = [
        "id", "rawId", "type", "response", "authenticatorAttachment", "clientExtensionResults",
        "name",
    ]

    private static func body(
        _ request: Request
    ) throws(Problem) -> (name: String, response: ResponseMembers) {
        let json = try request.json(valuesMax: 1000)
        do throws(FieldError) {
            let fields = try Fields(json, known: credentialNames)
            guard try fields.text("type") == "public-key" else {
                throw .must("be public-key", at: "type", hint: "send the credential's toJSON()")
            }
            guard let response = fields.value("response"), response.object != nil else {
                throw .missing("response", hint: "send the credential's toJSON()")
            }
            let name = try fields.plainText(
                "name", charactersMax: Limits.nameCharactersMax, emptyAllowed: true)
            return (name ?? "", ResponseMembers(json: response))
        } catch {
            throw Problem(error)
        }
    }

    private static func keyID(_ request: Request) throws(Problem) -> [UInt8] {
        try ResponseMembers(json: try request.json(valuesMax: 1000), path: "").bytes("id")
    }

    /// The challenge that the browser reports; empty if there is none.
    private static func challenge(in clientData: [UInt8]) -> [UInt8] {
        (try? JSON.parse(clientData, valuesMax: 1000))?["challenge"]?.string
            .flatMap { Base64.decode($0, alphabet: .url) } ?? []
    }

    /// Binary members of a credential.
    private struct ResponseMembers {
        let json: JSON
        var path = "response."

        func optionalBytes(_ name: String) throws(Problem) -> [UInt8]? {
            guard let value = json[name], !value.isNull else { return nil }
            guard let bytes = value.string.flatMap({ Base64.decode($0, alphabet: .url) }) else {
                throw Problem(
                    .must("be base64url", at: path + name, hint: "send the credential's toJSON()"))
            }
            return bytes
        }

        func bytes(_ name: String) throws(Problem) -> [UInt8] {
            guard let bytes = try optionalBytes(name) else {
                throw Problem(.missing(path + name, hint: "send the credential's toJSON()"))
            }
            return bytes
        }
    }

    // MARK: Effects

    private func perform(_ input: Passkeys.Input) throws {
        var effects: [Passkeys.Effect] = []
        machine.handle(input, in: keeper.ownDirectory, at: host.now, into: &effects)
        for effect in effects {
            switch effect {
            case .row(let change): try tables.record(change)
            case .openSession(let id, let person):
                guard let request = requests[id] else { break }
                _ = try keeper.openSession(of: person, for: request)
            case .answer(let id, let answer):
                requests[id] = nil
                respond(to: id, answer)
            }
        }
    }

    private func respond(to id: RequestID, _ answer: Passkeys.Answer) {
        var response: Response
        switch answer {
        case .registrationOptions(let person, let party, let challenge, let excluded):
            response = .json(Self.options(person, party, challenge, excluded))
        case .signInOptions(let party, let challenge):
            response = .json([
                "challenge": Self.text(challenge), "rpId": .string(party.id),
                "timeout": .integer(Limits.passkeyChallengeAgeMax.milliseconds),
                "userVerification": "required", "allowCredentials": [],
            ])
        case .registered(let passkey): response = .json(Self.view(passkey), status: 201)
        case .removed: response = Response(status: 204)
        case .signedIn(let person):
            response = .json(["person": .string(person.description)], status: 201)
        case .denied(let denial):
            host.log.warning("passkey rejected", ["reason": denial.reason])
            response = .problem(Problem(denial))
        }
        response.headers["Cache-Control"] = "no-store"
        keeper.answer(id, response)
    }

    /// `PublicKeyCredentialCreationOptionsJSON`.
    private static func options(
        _ person: Person, _ party: RelyingParty, _ challenge: [UInt8], _ excluded: [[UInt8]]
    ) -> JSON {
        [
            "rp": ["id": .string(party.id), "name": "Jaga"],
            "user": [
                "id": text(person.id.raw.bytes), "name": .string(person.name),
                "displayName": .string(person.name),
            ],
            "challenge": text(challenge),
            "pubKeyCredParams": .array(
                PasskeyKey.Algorithm.allCases.map {
                    ["type": "public-key", "alg": .integer(Int64($0.number))]
                }),
            "timeout": .integer(Limits.passkeyChallengeAgeMax.milliseconds),
            "excludeCredentials": .array(
                excluded.map { ["type": "public-key", "id": text($0)] }),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true,
                "userVerification": "required",
            ],
            "attestation": "none",
        ]
    }

    private static func view(_ passkey: Passkey) -> JSON {
        [
            "id": .string(passkey.id.description), "name": .string(passkey.name),
            "created": .string(passkey.created.description),
        ]
    }

    private static func text(_ bytes: [UInt8]) -> JSON {
        .string(Base64.encode(bytes, alphabet: .url))
    }
}

extension Problem {
    /// The problem document of a rejected request about passkeys.
    init(_ denial: PasskeyDenial) {
        switch denial {
        case .notYours: self = .denied("only the person may do this", hint: "not-yours")
        case .unavailable:
            self = .conflict(
                "passkeys do not work at the address of this server",
                hint: "use https with a name, or localhost")
        case .tooMany: self = .unavailable("too many passkeys are waiting", retryAfterSeconds: 5)
        case .full:
            self = .conflict(
                "no more than \(Limits.passkeysPerPersonMax) passkeys of a person are allowed",
                hint: "remove one first")
        case .challenge:
            self = .invalid(
                "the challenge is unknown, used or expired", hint: "ask for options again")
        case .unknown: self = .notFound("there is no such passkey")
        case .known: self = .conflict("this passkey is registered already")
        case .rejected(let rejection):
            self = .invalid(rejection.explanation, hint: "ask for options again")
        }
    }
}
