import Dialects
import Hashing
import IngestCore
import Model
import Web

// Who has to wait or is not known. Phones are told "later" (503) wherever they may keep what they
// have: some delete what is answered with 4xx.
extension IngestService {
    /// Why nobody is known by the credentials of a request: 401 where these are missing or surely
    /// wrong, 503 where they may only not have arrived here yet, or were right until a while ago.
    ///
    /// - Parameters:
    ///   - secrets: those that came along, none of which is known
    ///   - isPhone: it is an app's protocol, and not Jaga's own
    func refusal(of request: Request, secrets: [String], isPhone: Bool = false) -> Problem {
        guard outside.isDirectoryFresh || secrets.isEmpty else {
            counts.notFresh += 1
            return .unavailable("credentials cannot be checked right now")
        }
        if let device = replaced(secrets) {
            counts.replaced += 1
            diaryNotes.append(
                DiaryRow(
                    device: device, time: outside.now,
                    client: core.device(device)?.client ?? .jaga, outcome: .refused,
                    reason: "replaced-credentials", status: 503, trace: request.trace))
            return .unavailable(
                "the device has a new secret: set it up with that",
                retryAfterSeconds: Int(Limits.locateSeconds))
        }
        counts.unauthorized += 1
        if let wait = gate.fail(from: request.remote, at: outside.now) {
            return problem(wait, isPhone: isPhone)
        }
        guard secrets.isEmpty else {
            return .unauthorized(
                "the credentials are wrong", hint: "check or renew the device's token")
        }
        return .unauthorized(
            "credentials are missing",
            hint: "send a token as Bearer, or as the password of Basic; phone apps also in the"
                + " address")
    }

    private func replaced(_ secrets: [String]) -> DeviceID? { formerCaller(secrets)?.device }

    /// The device of which one of these was the secret until a while ago.
    func formerCaller(_ secrets: [String]) -> Caller? {
        for secret in secrets {
            let hash = Hash.sha256Text(secret)
            if let id = gate.deviceOfReplaced(hash, at: outside.now),
                let device = outside.replica.device(id)
            {
                return Caller(device: id, person: device.person, secret: secret)
            }
        }
        return nil
    }

    /// Why a call for help by a former secret has to wait: it is one of very many.
    func wait(for former: Caller, of request: Request, isPhone: Bool) -> Problem? {
        let hash = Hash.sha256Text(former.secret)
        let opens = !core.isInEmergency(former.person)
        let wait = gate.callByReplaced(hash, from: request.remote, opens: opens, at: outside.now)
        guard let wait else {
            if opens { openedByReplaced.append(hash) }
            return nil
        }
        diaryNotes.append(
            DiaryRow(
                device: former.device, time: outside.now,
                client: core.device(former.device)?.client ?? .jaga, outcome: .refused,
                reason: "rate-\(wait.limit.rawValue)", status: isPhone ? 503 : 429,
                trace: request.trace))
        return problem(wait, isPhone: isPhone)
    }

    /// A device's secret goes while the device stays: a new one has taken its place.
    func noteReplaced(_ event: Event) throws {
        guard case .credentialRemoved(let removal) = event.body,
            let former = outside.replica.credential(removal.credential), let device = former.device
        else { return }
        gate.replace(former.hash, of: device, at: outside.now)
        if mqtt != nil { try brokerSecrets.noteReplaced(former.hash, of: device) }
    }

    /// Lets a call of Jaga's own API pass.
    ///
    /// - Parameter bytes: that have to be read for it; nil = its body.
    /// - Throws: 429 with how long to wait
    func pass(
        _ principal: Principal, _ request: Request, bytes: Int? = nil
    ) throws(Problem) {
        let wait = gate.pass(
            caller(principal), from: request.remote, bytes: bytes ?? request.body.count,
            at: outside.now)
        if let wait { throw problem(wait, isPhone: false) }
    }

    /// Lets an answer to an alarm pass.
    ///
    /// - Throws: 429 with how long to wait
    func passAnswer(_ principal: Principal) throws(Problem) {
        guard let caller = caller(principal),
            let wait = gate.passAnswer(caller, at: outside.now)
        else { return }
        throw problem(wait, isPhone: false)
    }

    /// Whose calls are counted together; nil = the operator, who is not limited.
    private func caller(_ principal: Principal) -> ID128? {
        switch principal {
        case .operator: nil
        case .person(let person): person.raw
        case .device(let device, _): device.raw
        }
    }

    /// Why a delivery has to wait, unless a call for help comes with it, or what may be one. One
    /// that only joins the emergency that goes on as a count holds for its sender like any other.
    func wait(
        for reading: Reading, of request: Request, _ device: DeviceID, _ client: ClientApp
    ) -> Problem? {
        let mayBeCall = reading.news.pressed != nil && pressesWithinSeconds > 0
        let isCall = !reading.panics.isEmpty || mayBeCall
        let joins =
            isCall
            && (core.device(device).map {
                core.joinsUnstored($0.person, at: outside.now)
            } ?? false)
        guard !isCall || joins else { return nil }
        if joins { counts.joinedCalls += reading.panics.count }
        let wait = gate.pass(
            device.raw, from: request.remote, reports: reading.observations.count,
            bytes: request.body.count, at: outside.now)
        guard let wait else { return nil }
        let isPhone = pending[request.id]?.phone != nil
        diaryNotes.append(
            DiaryRow(
                device: device, time: outside.now, client: client, outcome: .refused,
                reason: "rate-\(wait.limit.rawValue)", status: isPhone ? 503 : 429,
                trace: request.trace))
        return problem(wait, isPhone: isPhone)
    }

    private func problem(_ wait: Gate.Wait, isPhone: Bool) -> Problem {
        counts.limited[wait.limit, default: 0] += 1
        let detail =
            switch wait.limit {
            case .device: "this device calls too often"
            case .address: "too many calls come from this address"
            case .failures: "too many calls with wrong or former credentials"
            }
        return isPhone
            ? .unavailable(detail, retryAfterSeconds: wait.seconds)
            : .tooMany(detail, retryAfterSeconds: wait.seconds)
    }
}

extension IngestService {
    /// Phones name themselves in many ways; those whose token is in the body are not known yet.
    func knowsSender(of request: Request) -> Bool {
        var token: String?
        if case .found(.phoneByToken, let parameters) = Endpoint.router.route(request) {
            token = parameters["token"]
        }
        return PhoneCredentials(request, token: token).contains { secret in
            outside.replica.principal(tokenHash: Hash.sha256Text(secret)) != nil
                || formerCaller([secret]) != nil
        }
    }
}

extension Endpoint {
    /// Calls for help and what takes them back: nothing holds them up. Answers to alarms have a
    /// limit of their own. Deliveries are asked about once it is known what is in them.
    var isUrgent: Bool {
        switch self {
        case .emergencies, .emergency, .cancellation: true
        case .phone, .phoneByToken, .reports: true
        default: false
        }
    }

    /// Answers to alarms, and "I am all right".
    var isAnswer: Bool {
        switch self {
        case .allRight, .alarmAction: true
        default: false
        }
    }
}
