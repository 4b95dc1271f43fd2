import Dialects
import Directory
import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

/// Renders the result of a change as an HTTP response.
struct AnswerView {
    let directory: Replica
    let codes: Codes
    /// The caller; nil = somebody who signs in.
    let principal: Principal?
    let now: Timestamp
    /// Path of the new entity; nil if none was created.
    let location: String?
    /// The secret of a new credential, which only this response shows.
    let secret: NewSecret?
    /// The imported file; nil if no file was imported.
    var file: ImportedZones?
    /// The mailed zones; nil if none are mailed.
    var mail: ZoneMail?
    /// Set-up data of the phone; nil if none was requested.
    var setup: PhoneSetup?
    /// The activation code of a new account, which only this response shows; nil if there is none.
    var activation: (code: String, expires: Timestamp)?
    /// Removes the session's cookie; nil if it stays.
    var cookieRemoval: String?
    let circleLists: CircleLists
    /// Link of the new invitation; nil if there is none.
    var link: InvitationLink?

    /// - Parameter isActive: whether ingest already accepts the new credential
    func response(to answer: Answer, isActive: Bool = false) -> Response {
        var response = body(of: answer, isActive: isActive)
        if let principal, (200..<300).contains(response.status) {
            response.setCircleListVersion(of: principal, circleLists, in: directory)
        }
        return response
    }

    private func body(of answer: Answer, isActive: Bool) -> Response {
        switch answer {
        case .person(let person):
            entity(
                View.person(person, directory.credentials(of: person.id), activation),
                person.version)
        case .unreachablePerson(let person, let warning):
            entity(
                View.person(person, directory.credentials(of: person.id))
                    .appending(.init("warning", View.warning(warning))),
                person.version)
        case .codeSent(let expires):
            .json(["expires": .string(expires.description)], status: 202)
        case .testSent: .json([:], status: 202)
        case .signInCodeRequested: SignInView.codeRequested
        case .signInFailed: SignInView.failed
        case .choosePerson(let people): SignInView.choice(of: people)
        case .nameNeeded: SignInView.nameNeeded
        case .session(let person, let session):
            SignInView.opened(person, session, isActive: isActive)
        case .device(let device):
            entity(View.device(device, directory.credentials(of: device.id)), device.version)
        case .newDevice(let device, let credential):
            entity(
                [
                    "device": View.device(device, [credential]),
                    "credential": shown(credential), "active": .bool(isActive),
                ], device.version)
        case .credential(let credential):
            .json(
                .object(
                    [
                        .init("credential", shown(credential)), .init("active", .bool(isActive)),
                    ] + setupMembers), status: 201)
        case .circle(let circle): entity(view(circle), circle.version)
        case .zone(let zone):
            entity(View.zone(zone).appending(wholeCircle(of: zone.owner)), zone.version)
        case .zones(let zones):
            .json(
                JSON.object([
                    .init("items", .array(zones.map(View.zone))), .init("next", .null),
                    .init("notes", View.notes(file?.notes ?? [])),
                ]).appending(zones.first.flatMap { wholeCircle(of: $0.owner) }), status: 201)
        case .set(let set):
            entity(
                View.set(set, zones: directory.zones.count(of: .set(set.id))), set.version)
        case .message(let message):
            entity(
                View.message(message, codeExpires: codes.expiry(of: message, at: now))
                    .appending(wholeCircle(of: message.owner)),
                message.version)
        case .neverNotify(let list): .json(View.neverNotify(list, in: directory))
        case .pin(let isSet): .json(View.pin(isSet: isSet))
        case .invitation(let row): created(row)
        case .consent(let row): .json(View.consent(row, in: directory, at: now))
        case .requested(let row):
            .json(
                [
                    "state": .string(row.state(at: now).rawValue),
                    "expires": .string(row.expires.description),
                ], status: 202)
        case .mailed: .json(mail?.json ?? .null, status: 202)
        case .gone: gone
        case .erased(let person): .json(ErasureCertificate(person: person, at: now).json)
        case .rejected(let rejection): .problem(Problem(rejection, of: file))
        }
    }

    private var gone: Response {
        var response = Response(status: 204)
        if let cookieRemoval { response.headers["Set-Cookie"] = cookieRemoval }
        return response
    }

    private func entity(_ json: JSON, _ version: Int64) -> Response {
        .entity(json, version: version, status: location == nil ? 200 : 201, location: location)
    }

    private func shown(_ credential: Credential) -> JSON {
        .object(
            (View.credential(credential).object ?? []) + [
                .init("token", secret.map { .string($0.token) } ?? .null)
            ])
    }

    private var setupMembers: [JSON.Member] {
        setup.flatMap { DeviceSetup(directory: directory, publicURL: nil).json($0).object } ?? []
    }

    private func view(_ circle: Circle) -> JSON {
        View.circle(
            circle, to: principal.map { circle.audience(of: $0) } ?? .invited, in: directory)
    }

    /// The circle of a zone or message as a member of its response; nil if a person or a set owns
    /// it.
    private func wholeCircle(of owner: ZoneOwner) -> JSON.Member? {
        guard case .circle(let id) = owner, let circle = directory.circle(id) else { return nil }
        return .init("wholeCircle", view(circle))
    }

    private func created(_ row: Invitation) -> Response {
        let view = View.invitation(row, to: principal, in: directory, at: now)
        var response = Response.json(
            .object((view.object ?? []) + (link?.members ?? [])), status: 201)
        if let location { response.headers["Location"] = location }
        return response
    }
}

extension JSON {
    /// Returns an object with one more member, if there is one.
    fileprivate func appending(_ member: Member?) -> JSON {
        guard case .object(let members) = self, let member else { return self }
        return .object(members + [member])
    }
}

extension Circle {
    /// As whom a caller looks at the circle. Others than its people are the operator, or lost it
    /// by this very change; the latter see it as invited people do.
    func audience(of principal: Principal) -> CircleAudience {
        guard let person = principal.person else { return .members }
        return audience(of: person) ?? .invited
    }
}

extension Response {
    /// Sets the header with the version of a person's circle list; the operator has none.
    mutating func setCircleListVersion(
        of principal: Principal, _ lists: CircleLists, in directory: Replica
    ) {
        guard let person = principal.person else { return }
        headers["Circle-List-Version"] = String(lists.version(of: person, in: directory))
    }
}

extension Problem {
    /// The problem document of a rejection.
    ///
    /// - Parameter file: the file that the rejected zones come from
    init(_ rejection: CommandRejection, of file: ImportedZones? = nil) {
        switch rejection.reason {
        case .missing: self = .notFound(rejection.detail, hint: rejection.hint)
        case .denied, .wrongPIN: self = .denied(rejection.detail, hint: rejection.hint)
        case .outdated: self = .outdated(rejection.detail, hint: rejection.hint)
        case .conflict: self = .conflict(rejection.detail, hint: rejection.hint)
        case .invalid: self = .invalid(rejection.detail, hint: rejection.hint)
        case .tooOften(let wait):
            self = .tooMany(
                rejection.detail, retryAfterSeconds: Int(max(1, wait.milliseconds / 1000)))
            hint = rejection.hint
        }
        field = rejection.field
        if let item = rejection.item {
            self = located(at: file?.places[item] ?? .path("features[\(item)]"))
        }
    }
}
