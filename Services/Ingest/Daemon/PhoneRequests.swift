import Dialects
import Hashing
import IngestCore
import Model
import Web

/// Phone protocols other than Jaga's own.
enum PhoneDialect: Sendable {
    case ownTracks
    case overland
    case osmAnd
    case gpsLogger
    case openGTS

    init(_ spoken: DetectedProtocol) {
        self =
            switch spoken {
            case .ownTracks: .ownTracks
            case .overland: .overland
            }
    }

    /// The app that sent a request in this protocol.
    func client(of request: Request) -> ClientApp {
        switch self {
        case .ownTracks: ClientApp(OwnTracks.App(userAgent: request.headers["User-Agent"] ?? ""))
        case .overland: .overland
        case .osmAnd: .osmAnd
        case .gpsLogger: .gpsLogger
        case .openGTS: .openGTS
        }
    }

    /// Whether reading a message in this protocol detects messages of others.
    fileprivate var knowsOthers: Bool { self == .ownTracks || self == .overland }
}

/// The form of a successful response to a phone.
enum PhoneResponse: Sendable {
    /// An array of messages.
    case ownTracks(OwnTracksForm)
    /// `{"result":"ok"}`
    case overland
    /// An empty body.
    case empty
}

// Requests of phone apps: with valid credentials none is rejected for its content.
extension IngestService {
    /// The device of a phone's request, and its secret.
    struct Caller {
        var device: DeviceID
        var person: PersonID
        var secret: String
    }

    /// - Parameter token: the token in the path
    /// - Throws: 401 if all secrets are missing or wrong, 503 if they may not have arrived here
    ///   yet, 403 if the token is not a device's
    func caller(of request: Request, token: String? = nil) throws(Problem) -> Caller {
        var secrets: [String] = []
        for secret in PhoneCredentials(request, token: token) {
            secrets.append(secret)
            let hash = Hash.sha256Text(secret)
            guard let principal = host.replica.principal(tokenHash: hash) else { continue }
            let (device, person) = try device(principal)
            return Caller(device: device, person: person, secret: secret)
        }
        throw rejection(of: request, secrets: secrets, isPhone: true)
    }

    /// Delivers a phone's request. With valid credentials it is never rejected for its content: iOS
    /// would delete it, Android would send it for ever.
    ///
    /// - Parameter token: the token in the path
    func handlePhone(_ request: Request, as dialect: PhoneDialect, token: String?) throws {
        let caller: Caller
        do {
            caller = try self.caller(of: request, token: token)
        } catch {
            if try acceptFormerSecretCall(request, as: dialect, token: token) { return }
            return host.answer(request.id, .problem(error))
        }
        let parsed = read(request, as: dialect, from: caller)
        var (reading, kept) = (parsed.reading, request)
        if token != nil { kept.maskToken() }
        if !reading.rejections.isEmpty {
            maskSecret(caller.secret, in: &reading)
            kept.body = PhonePayload(query: request.query, body: request.body)
                .kept(by: parsed.client).without(caller.secret)
        }
        if let app = parsed.client.ownTracks {
            recordNames(of: request, caller.device)
            let key = reading.status.isEncrypted ? deviceKeys[caller.device] : nil
            pending[request.id] = Pending(phone: .ownTracks(OwnTracksForm(app: app, key: key)))
            // Overland understands only success, even when it uses OwnTracks's protocol.
            let requestsContent = app != .overland && !reading.observations.isEmpty
            return try accept(
                reading, of: kept, device: caller.device, person: caller.person,
                client: parsed.client, requestsFriends: requestsContent,
                requestsPolicy: requestsContent,
                ownTracks: app == .overland ? nil : app)
        }
        let isOverland = parsed.client == .overland
        pending[request.id] = Pending(phone: isOverland ? .overland : .empty)
        try accept(
            reading, of: kept, device: caller.device, person: caller.person, client: parsed.client,
            requestsPolicy: isOverland, provesResponseReceived: isOverland)
    }

    /// Accepts a call for help, and nothing else, with a secret that was replaced recently: the
    /// phone may not have been set up again yet.
    ///
    /// - Returns: whether there was one; then it has been answered
    private func acceptFormerSecretCall(
        _ request: Request, as dialect: PhoneDialect, token: String?
    ) throws -> Bool {
        guard let caller = formerCaller(Array(PhoneCredentials(request, token: token))) else {
            return false
        }
        let parsed = read(request, as: dialect, from: caller)
        guard !parsed.reading.panics.isEmpty else { return false }
        if let problem = wait(for: caller, of: request, isPhone: true) {
            host.answer(request.id, .problem(problem))
            return true
        }
        let form = parsed.client.ownTracks.map {
            OwnTracksForm(
                app: $0, key: parsed.reading.status.isEncrypted ? deviceKeys[caller.device] : nil)
        }
        let isOverland = parsed.client == .overland
        pending[request.id] = Pending(
            phone: form.map { .ownTracks($0) } ?? (isOverland ? .overland : .empty))
        var status = DeviceStatus()
        status.isTagged = parsed.reading.status.isTagged
        try handle(
            .batch(
                IncomingBatch(
                    request: request.id, device: caller.device, person: caller.person,
                    arrivals: [], panics: parsed.reading.panics, client: parsed.client,
                    status: status,
                    isFromFormerSecret: true, trace: request.trace)))
        return true
    }

    /// Reads a request in its actual protocol, whatever its path.
    func read(
        _ request: Request, as dialect: PhoneDialect, from caller: Caller
    ) -> (client: ClientApp, reading: Reading) {
        let payload = PhonePayload(query: request.query, body: request.body)
        func read(_ dialect: PhoneDialect) -> (client: ClientApp, reading: Reading) {
            let client = dialect.client(of: request)
            let key = dialect == .ownTracks ? deviceKeys[caller.device] : nil
            let reading = self.read(
                payload, of: client, received: host.now, key: key, device: caller.device)
            return (client, reading)
        }
        // Most requests match their path: for these two protocols only one read is needed.
        if dialect.knowsOthers {
            let parsed = read(dialect)
            guard parsed.reading.rejections.first?.reason == .notAnObject else { return parsed }
        }
        return read(DetectedProtocol(request.body).map(PhoneDialect.init) ?? dialect)
    }

    /// Removes the secret from everything that is stored.
    private func maskSecret(_ secret: String, in reading: inout Reading) {
        for index in reading.rejections.indices {
            reading.rejections[index].payload = reading.rejections[index].payload?.without(secret)
        }
    }
}

extension Request {
    /// Masks the token in the path.
    fileprivate mutating func maskToken() {
        path = path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/{token}"
    }
}
