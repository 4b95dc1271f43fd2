import Dialects
import Hashing
import IngestCore
import Model
import Web

/// Protocols of phone apps beside Jaga's own.
enum PhoneDialect: Sendable {
    case ownTracks
    case overland
    case osmAnd
    case gpsLogger
    case openGTS

    init(_ spoken: SpokenProtocol) {
        self =
            switch spoken {
            case .ownTracks: .ownTracks
            case .overland: .overland
            }
    }

    /// The app that speaks it in a request.
    func client(of request: Request) -> ClientApp {
        switch self {
        case .ownTracks: ClientApp(OwnTracks.App(userAgent: request.headers["User-Agent"] ?? ""))
        case .overland: .overland
        case .osmAnd: .osmAnd
        case .gpsLogger: .gpsLogger
        case .openGTS: .openGTS
        }
    }

    /// Whether a message of another protocol is known by reading it as one of this.
    fileprivate var knowsOthers: Bool { self == .ownTracks || self == .overland }
}

/// What a phone takes as success.
enum PhoneAnswer: Sendable {
    /// An array of messages.
    case ownTracks(OwnTracksForm)
    /// `{"result":"ok"}`
    case overland
    /// Nothing.
    case empty
}

// What phone apps send: with good credentials nothing is refused for what it says.
extension IngestService {
    /// The device that a phone's request comes from, and the secret that says so.
    struct Caller {
        var device: DeviceID
        var person: PersonID
        var secret: String
    }

    /// - Parameter token: what stands in the path.
    /// - Throws: 401 where no secret is there or all are surely wrong, 503 where they may only not
    ///   have arrived here yet, 403 for what is no device's.
    func caller(of request: Request, token: String? = nil) throws(Problem) -> Caller {
        var secrets: [String] = []
        for secret in PhoneCredentials(request, token: token) {
            secrets.append(secret)
            let hash = Hash.sha256Text(secret)
            guard let principal = outside.replica.principal(tokenHash: hash) else { continue }
            let (device, person) = try device(principal)
            return Caller(device: device, person: person, secret: secret)
        }
        throw refusal(of: request, secrets: secrets, isPhone: true)
    }

    /// With good credentials nothing is refused for what it says: iOS would delete it, Android
    /// would send it for ever.
    ///
    /// - Parameter token: what stands in the path.
    func deliver(_ request: Request, as dialect: PhoneDialect, token: String?) throws {
        let caller: Caller
        do {
            caller = try self.caller(of: request, token: token)
        } catch {
            if try hear(request, as: dialect, token: token) { return }
            return outside.answer(request.id, .problem(error))
        }
        let said = read(request, as: dialect, from: caller)
        var (reading, kept) = (said.reading, request)
        if token != nil { kept.hideToken() }
        if !reading.rejections.isEmpty {
            hide(caller.secret, in: &reading)
            kept.body = PhonePayload(query: request.query, body: request.body)
                .kept(by: said.client).without(caller.secret)
        }
        if let app = said.client.ownTracks {
            noteNames(of: request, caller.device)
            let key = reading.news.isSealed ? deviceKeys[caller.device] : nil
            pending[request.id] = Pending(phone: .ownTracks(OwnTracksForm(app: app, key: key)))
            // Overland understands nothing but success, also where it speaks as OwnTracks does.
            let isTold = app != .overland && !reading.observations.isEmpty
            return try deliver(
                reading, of: kept, device: caller.device, person: caller.person,
                client: said.client, wantsFriends: isTold, wantsPolicy: isTold,
                ownTracks: app == .overland ? nil : app)
        }
        let isOverland = said.client == .overland
        pending[request.id] = Pending(phone: isOverland ? .overland : .empty)
        try deliver(
            reading, of: kept, device: caller.device, person: caller.person, client: said.client,
            wantsPolicy: isOverland, provesHearing: isOverland)
    }

    /// Takes a call for help, and nothing else, of a phone whose secret was replaced a while ago:
    /// it may not have been set up anew yet, and cannot wait for that.
    ///
    /// - Returns: whether there was one; it is answered then
    private func hear(
        _ request: Request, as dialect: PhoneDialect, token: String?
    ) throws -> Bool {
        guard let caller = formerCaller(Array(PhoneCredentials(request, token: token))) else {
            return false
        }
        let said = read(request, as: dialect, from: caller)
        guard !said.reading.panics.isEmpty else { return false }
        if let problem = wait(for: caller, of: request, isPhone: true) {
            outside.answer(request.id, .problem(problem))
            return true
        }
        let form = said.client.ownTracks.map {
            OwnTracksForm(
                app: $0, key: said.reading.news.isSealed ? deviceKeys[caller.device] : nil)
        }
        let isOverland = said.client == .overland
        pending[request.id] = Pending(
            phone: form.map { .ownTracks($0) } ?? (isOverland ? .overland : .empty))
        var news = PhoneNews()
        news.isTagged = said.reading.news.isTagged
        try take(
            .delivery(
                Delivery(
                    request: request.id, device: caller.device, person: caller.person,
                    arrivals: [], panics: said.reading.panics, client: said.client, news: news,
                    isByFormerSecret: true, trace: request.trace)))
        return true
    }

    /// What a request says, in the protocol that it speaks, wherever it was sent.
    func read(
        _ request: Request, as dialect: PhoneDialect, from caller: Caller
    ) -> (client: ClientApp, reading: Reading) {
        let payload = PhonePayload(query: request.query, body: request.body)
        func read(_ dialect: PhoneDialect) -> (client: ClientApp, reading: Reading) {
            let client = dialect.client(of: request)
            let key = dialect == .ownTracks ? deviceKeys[caller.device] : nil
            let reading = self.read(
                payload, of: client, received: outside.now, key: key, device: caller.device)
            return (client, reading)
        }
        // Most are what their path says: of these two nobody pays for looking twice.
        if dialect.knowsOthers {
            let said = read(dialect)
            guard said.reading.rejections.first?.reason == .notAnObject else { return said }
        }
        return read(SpokenProtocol(request.body).map(PhoneDialect.init) ?? dialect)
    }

    /// Takes the secret out of anything that is kept.
    private func hide(_ secret: String, in reading: inout Reading) {
        for index in reading.rejections.indices {
            reading.rejections[index].payload = reading.rejections[index].payload?.without(secret)
        }
    }
}

extension Request {
    /// The path as it may be kept.
    fileprivate mutating func hideToken() {
        path = path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/{token}"
    }
}
