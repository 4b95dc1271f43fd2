import Dialects
import Hashing
import Hosting
import IngestCore
import Model
import Web

/// Accepts requests of phone apps: with valid credentials none is rejected for its content.
final class PhoneRequests {
    private let runner: CoreRunner
    private let reader: PhoneReader
    private let admission: AdmissionControl
    private let batches: BatchRequests
    /// Digest of the names that each device last used.
    private var deviceNames: [DeviceID: ID128] = [:]

    private var host: any IngestHost { runner.host }

    init(
        _ runner: CoreRunner, reader: PhoneReader, admission: AdmissionControl,
        batches: BatchRequests
    ) {
        self.runner = runner
        self.reader = reader
        self.admission = admission
        self.batches = batches
    }

    /// - Parameter token: the token in the path
    /// - Throws: 401 if all secrets are missing or wrong, 503 if they may not have arrived here
    ///   yet, 403 if the token is not a device's
    func caller(of request: Request, token: String? = nil) throws(Problem) -> Caller {
        var secrets: [String] = []
        for secret in PhoneCredentials(request, token: token) {
            secrets.append(secret)
            let hash = Hash.sha256Text(secret)
            guard let credential = host.replica.credential(tokenHash: hash, at: host.now) else {
                continue
            }
            if let refusal = CredentialKinds.report.refusal(of: credential.kind) { throw refusal }
            guard let device = credential.device, let person = credential.person else { continue }
            host.recordUse(of: credential.id)
            return Caller(device: device, person: person, secret: secret)
        }
        throw admission.rejection(of: request, secrets: secrets, isPhone: true)
    }

    /// Delivers a phone's request. With valid credentials it is never rejected for its content: iOS
    /// would delete it, Android would send it for ever.
    ///
    /// - Parameter token: the token in the path
    func handle(_ request: Request, as phone: PhoneProtocol, token: String?) throws {
        let caller: Caller
        do {
            caller = try self.caller(of: request, token: token)
        } catch {
            if try acceptFormerSecretCall(request, as: phone, token: token) { return }
            return host.answer(request.id, .problem(error))
        }
        let parsed = reader.read(request, as: phone, from: caller)
        var (reading, kept) = (parsed.reading, request)
        if token != nil { kept.maskToken() }
        if !reading.rejections.isEmpty {
            maskSecret(caller.secret, in: &reading)
            kept.body = PhonePayload(query: request.query, body: request.body)
                .kept(by: parsed.client).without(caller.secret)
        }
        let client = parsed.client
        if client.ownTracks != nil { recordNames(of: request, caller.device) }
        runner.replies.pending[request.id] = Replies.Form(phone: form(of: parsed, caller.device))
        let hasReports = !reading.observations.isEmpty
        let requestsPolicy =
            switch client.answersPolicy {
            case .never: false
            case .withReports: hasReports
            case .always: true
            }
        try batches.accept(
            reading, of: kept, device: caller.device, person: caller.person, client: client,
            requestsFriends: client.answersFriends && hasReports
                && (reading.status.isEncrypted
                    || !isInURL(caller.secret, of: request, pathToken: token)),
            requestsPolicy: requestsPolicy,
            provesResponseReceived: client.provesResponseReceived,
            ownTracks: client.answersFriends ? client.ownTracks : nil)
    }

    /// Whether a secret is part of the URL, in its path or query.
    ///
    /// Logs of proxies and the history of browsers contain URLs. A person who finds one may send
    /// reports as the device, but must not learn where others are. An encrypted payload proves that
    /// the sender has the device's passphrase, too.
    private func isInURL(_ secret: String, of request: Request, pathToken: String?) -> Bool {
        pathToken == secret || request.query.items.contains { $0.value == secret }
    }

    /// The answer is encrypted if the request was.
    private func form(
        of parsed: (client: PhoneProtocol, reading: Reading), _ device: DeviceID
    ) -> PhoneForm {
        PhoneForm(
            phone: parsed.client,
            key: parsed.reading.status.isEncrypted ? runner.keys[device] : nil)
    }

    /// Accepts a call for help, and nothing else, with a secret that was replaced recently: the
    /// phone may not have been set up again yet.
    ///
    /// - Returns: whether there was one; then it has been answered
    private func acceptFormerSecretCall(
        _ request: Request, as phone: PhoneProtocol, token: String?
    ) throws -> Bool {
        guard let caller = admission.formerCaller(Array(PhoneCredentials(request, token: token)))
        else {
            return false
        }
        let parsed = reader.read(request, as: phone, from: caller)
        guard !parsed.reading.panics.isEmpty else { return false }
        if let problem = admission.wait(for: caller, of: request, isPhone: true) {
            host.answer(request.id, .problem(problem))
            return true
        }
        runner.replies.pending[request.id] = Replies.Form(phone: form(of: parsed, caller.device))
        var status = DeviceStatus()
        status.isTagged = parsed.reading.status.isTagged
        try runner.handle(
            .batch(
                IncomingBatch(
                    request: request.id, device: caller.device, person: caller.person,
                    arrivals: [], panics: parsed.reading.panics, client: parsed.client,
                    status: status,
                    isFromFormerSecret: true, trace: request.trace)))
        return true
    }

    /// Removes the secret from everything that is stored.
    private func maskSecret(_ secret: String, in reading: inout Reading) {
        for index in reading.rejections.indices {
            reading.rejections[index].payload = reading.rejections[index].payload?.without(secret)
        }
    }

    /// Logs changes of the names that a device uses, without the names. Only the credential
    /// identifies a device; changing names most likely mean that two phones share it.
    private func recordNames(of request: Request, _ device: DeviceID) {
        let user = request.headers["X-Limit-U"] ?? request.query["u"]
        let name = request.headers["X-Limit-D"] ?? request.query["d"]
        guard user != nil || name != nil else { return }
        let names = Hash.id(.text((user ?? "").lowercased()), .text((name ?? "").lowercased()))
        guard let known = deviceNames.updateValue(names, forKey: device), known != names else {
            return
        }
        runner.counts.namesChanged += 1
        host.log.info(
            "device name changed",
            ["device": device, "trace": request.trace])
    }
}

extension Request {
    /// Masks the token in the path.
    fileprivate mutating func maskToken() {
        path = path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/{token}"
    }
}
