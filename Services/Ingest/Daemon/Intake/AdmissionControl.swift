import API
import Dialects
import Hashing
import IngestCore
import Model
import Web

/// The device of a phone's request, and its secret.
struct Caller {
    var device: DeviceID
    var person: PersonID
    var secret: String
}

/// Limits request rates and rejects wrong credentials. Phones get 503 wherever they may keep their
/// data: some delete it after a 4xx.
final class AdmissionControl {
    private let runner: CoreRunner
    /// Two presses of "report" within this many seconds are a panic; 0 = never.
    private let pressesWithinSeconds: Int64
    /// Limits request rates; calls for help are exempt.
    var limiter: IngestLimiter
    /// Hashes of replaced secrets with which this turn opens an emergency.
    private var openedByReplaced: [String] = []
    /// Log rows of requests that were rejected before they reached the core; written with this
    /// turn.
    private var pendingLogRows: [DeviceLogRow] = []

    private var host: any IngestHost { runner.host }
    private var counts: Counts { runner.counts }

    init(_ runner: CoreRunner, limits: IngestLimits, pressesWithinSeconds: Int64) {
        self.runner = runner
        self.pressesWithinSeconds = pressesWithinSeconds
        limiter = IngestLimiter(limits)
    }

    /// Drops what a turn had begun before its rollback.
    func reload() {
        pendingLogRows.removeAll()
        openedByReplaced.removeAll()
    }

    /// Writes the log rows of requests that were rejected before they reached the core. Calls for
    /// help get the space when the disk is nearly full.
    func writeLogRows() throws {
        if host.diskPressure < .tight {
            for row in pendingLogRows { try runner.writer.deviceLog.save(row) }
        }
        pendingLogRows.removeAll(keepingCapacity: true)
    }

    func committed() {
        for hash in openedByReplaced { limiter.recordOpened(byReplaced: hash, at: host.now) }
        openedByReplaced.removeAll()
    }

    /// Why the credentials of a request are rejected: 401 if they are missing or wrong, 503 if they
    /// may not have arrived here yet or were replaced recently.
    ///
    /// - Parameters:
    ///   - secrets: the secrets in the request, all of them unknown
    ///   - isPhone: whether the request uses a phone protocol
    func rejection(of request: Request, secrets: [String], isPhone: Bool = false) -> Problem {
        guard host.isDirectoryFresh || secrets.isEmpty else {
            counts.notFresh += 1
            return .unavailable("credentials cannot be checked right now")
        }
        if let device = formerCaller(secrets)?.device {
            counts.replaced += 1
            pendingLogRows.append(
                DeviceLogRow(
                    device: device, time: host.now,
                    client: runner.core.reports.devices[device]?.client ?? .jaga,
                    outcome: .rejected,
                    reason: "replaced-credentials", status: 503, trace: request.trace))
            return .unavailable(
                "the device has a new token: set it up again",
                retryAfterSeconds: Int(Limits.locateSeconds))
        }
        counts.unauthorized += 1
        if let wait = limiter.recordFailure(from: request.remote, at: host.now) {
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

    /// The device that recently used one of these secrets.
    func formerCaller(_ secrets: [String]) -> Caller? {
        for secret in secrets {
            let hash = Hash.sha256Text(secret)
            if let id = limiter.deviceOfReplaced(hash, at: host.now),
                let device = host.replica.device(id)
            {
                return Caller(device: id, person: device.person, secret: secret)
            }
        }
        return nil
    }

    /// Why a call for help with a replaced secret has to wait; nil = it is accepted.
    func wait(for former: Caller, of request: Request, isPhone: Bool) -> Problem? {
        let hash = Hash.sha256Text(former.secret)
        let opens = runner.core.emergencies.signals.current(of: former.person) == nil
        let wait = limiter.admitCallByReplaced(
            hash, from: request.remote, opens: opens, at: host.now)
        guard let wait else {
            if opens { openedByReplaced.append(hash) }
            return nil
        }
        pendingLogRows.append(
            DeviceLogRow(
                device: former.device, time: host.now,
                client: runner.core.reports.devices[former.device]?.client ?? .jaga,
                outcome: .rejected,
                reason: "rate-\(wait.limit.rawValue)", status: isPhone ? 503 : 429,
                trace: request.trace))
        return problem(wait, isPhone: isPhone)
    }

    /// Remembers a removed secret of a device that stays: it was replaced.
    func recordReplaced(_ event: Event, _ brokerSecrets: BrokerSecrets?) throws {
        guard case .credentialRemoved(let removal) = event.body,
            let former = host.replica.credential(removal.credential), let device = former.device
        else { return }
        limiter.recordReplaced(former.hash, of: device, at: host.now)
        try brokerSecrets?.recordReplaced(former.hash, of: device)
    }

    /// Admits a request of Jaga's own API.
    ///
    /// - Parameter bytes: bytes that it costs; nil = its body
    /// - Throws: 429 with the time to wait
    func admit(
        _ principal: Principal, _ request: Request, bytes: Int? = nil
    ) throws(Problem) {
        let wait = limiter.admit(
            caller(principal), from: request.remote, bytes: bytes ?? request.body.count,
            at: host.now)
        if let wait { throw problem(wait, isPhone: false) }
    }

    /// Admits an alarm answer.
    ///
    /// - Throws: 429 with the time to wait
    func admitAnswer(_ principal: Principal) throws(Problem) {
        guard let caller = caller(principal),
            let wait = limiter.admitAnswer(caller, at: host.now)
        else { return }
        throw problem(wait, isPhone: false)
    }

    /// The id by which requests are counted; nil = not limited.
    private func caller(_ principal: Principal) -> ID128? {
        switch principal {
        case .operator: nil
        case .person(let person): person.raw
        case .device(let device, _): device.raw
        }
    }

    /// Why a batch has to wait, unless it has a call for help or may be one. A call that only joins
    /// an active emergency counts like any batch.
    func wait(
        for reading: Reading, of request: Request, _ device: DeviceID, _ client: PhoneProtocol
    ) -> Problem? {
        let mayBeCall = reading.status.pressed != nil && pressesWithinSeconds > 0
        let isCall = !reading.panics.isEmpty || mayBeCall
        let joins =
            isCall
            && (runner.core.reports.devices[device].map {
                runner.core.emergencies.signals.joinsUnstored($0.person, at: host.now)
            } ?? false)
        guard !isCall || joins else { return nil }
        if joins { counts.joinedCalls += reading.panics.count }
        let wait = limiter.admit(
            device.raw, from: request.remote, reports: reading.observations.count,
            bytes: request.body.count, at: host.now)
        guard let wait else { return nil }
        let isPhone = runner.replies.pending[request.id]?.phone != nil
        pendingLogRows.append(
            DeviceLogRow(
                device: device, time: host.now, client: client, outcome: .rejected,
                reason: "rate-\(wait.limit.rawValue)", status: isPhone ? 503 : 429,
                trace: request.trace))
        return problem(wait, isPhone: isPhone)
    }

    private func problem(_ wait: IngestLimiter.Wait, isPhone: Bool) -> Problem {
        counts.limited[wait.limit, default: 0] += 1
        let detail =
            switch wait.limit {
            case .device: "too many requests from this device"
            case .address: "too many requests from this address"
            case .failures: "too many requests with wrong or replaced credentials"
            }
        return isPhone
            ? .unavailable(detail, retryAfterSeconds: wait.seconds)
            : .tooMany(detail, retryAfterSeconds: wait.seconds)
    }

    /// Phones may name themselves in many ways; a token in the body is not found here.
    func knowsSender(of request: Request) -> Bool {
        var token: String?
        if case .found(let found, let parameters) = IngestRequests.router.route(request),
            case .phoneByToken = found.id
        {
            token = parameters["token"]
        }
        return PhoneCredentials(request, token: token).contains { secret in
            host.replica.principal(tokenHash: Hash.sha256Text(secret), at: host.now) != nil
                || formerCaller([secret]) != nil
        }
    }
}
