import Dialects
import Directory
import MembershipCore
import Model
import Parsing
import Web

/// Renders the result of a change as an HTTP response.
struct AnswerView {
    let directory: Replica
    let codes: Codes
    let principal: Principal
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

    /// - Parameter isActive: whether ingest already accepts the new credential
    func response(to answer: Answer, isActive: Bool = false) -> Response {
        switch answer {
        case .person(let person):
            entity(View.person(person, directory.credentials(of: person.id)), person.version)
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
        case .circle(let circle):
            entity(
                View.circle(circle, isInvitation: isInvitation(circle)) {
                    directory.person($0)?.name ?? ""
                }, circle.version)
        case .zone(let zone): entity(View.zone(zone), zone.version)
        case .zones(let zones):
            .json(
                [
                    "items": .array(zones.map(View.zone)), "next": .null,
                    "notes": View.notes(file?.notes ?? []),
                ], status: 201)
        case .set(let set):
            entity(
                View.set(set, zones: directory.zoneCount(of: .set(set.id))), set.version)
        case .message(let message):
            entity(
                View.message(message, codeExpires: codes.expiry(of: message, at: now)),
                message.version)
        case .mailed: .json(mail?.json ?? .null, status: 202)
        case .gone: Response(status: 204)
        case .rejected(let rejection): .problem(Problem(rejection, of: file))
        }
    }

    private func entity(_ json: JSON, _ version: Int64) -> Response {
        .entity(json, version: version, status: location == nil ? 200 : 201, location: location)
    }

    private func shown(_ credential: Credential) -> JSON {
        [
            "id": .string(credential.id.description),
            "created": .string(credential.created.description),
            "token": secret.map { .string($0.token) } ?? .null,
        ]
    }

    private var setupMembers: [JSON.Member] {
        setup.flatMap { DeviceSetup(directory: directory, publicURL: nil).json($0).object } ?? []
    }

    private func isInvitation(_ circle: Circle) -> Bool {
        principal.person.map { circle.member($0) == nil } ?? false
    }
}

extension Problem {
    /// The problem document of a rejection.
    ///
    /// - Parameter file: the file that the rejected zones come from
    init(_ rejection: CommandRejection, of file: ImportedZones? = nil) {
        switch rejection.reason {
        case .missing: self = .notFound(rejection.detail, hint: rejection.hint)
        case .denied: self = .denied(rejection.detail, hint: rejection.hint)
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
