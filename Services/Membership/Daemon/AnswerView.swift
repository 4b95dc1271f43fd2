import Dialects
import Directory
import MembershipCore
import Model
import Parsing
import Web

/// Makes the HTTP answer of what became of a change.
struct AnswerView {
    let directory: Replica
    let codes: Codes
    let principal: Principal
    let now: Timestamp
    /// Where the new thing is; nil when nothing new was made.
    let location: String?
    /// The secret that a new credential shows once.
    let secret: NewSecret?
    /// Where new zones come from; nil when from no file.
    var file: ZonesOfFile?
    /// The zones that are mailed; nil when none are.
    var mail: ZoneMail?
    /// What sets up the phone that gets the secret; nil when nobody asked for it.
    var setup: PhoneSetup?

    /// - Parameter isActive: whether a new credential is known where phones report already.
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
        case .refused(let refusal): .problem(Problem(refusal, of: file))
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
    /// What a refusal is in HTTP.
    ///
    /// - Parameter file: where the zones come from that are refused
    init(_ refusal: Refusal, of file: ZonesOfFile? = nil) {
        switch refusal.reason {
        case .missing: self = .notFound(refusal.detail, hint: refusal.hint)
        case .denied: self = .denied(refusal.detail, hint: refusal.hint)
        case .outdated: self = .outdated(refusal.detail, hint: refusal.hint)
        case .conflict: self = .conflict(refusal.detail, hint: refusal.hint)
        case .invalid: self = .invalid(refusal.detail, hint: refusal.hint)
        case .tooOften(let wait):
            self = .tooMany(
                refusal.detail, retryAfterSeconds: Int(max(1, wait.milliseconds / 1000)))
            hint = refusal.hint
        }
        field = refusal.field
        if let item = refusal.item {
            self = located(at: file?.places[item] ?? .path("features[\(item)]"))
        }
    }
}
