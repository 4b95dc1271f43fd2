import Dialects
import Hashing
import IngestCore
import Model
import Web

/// Protocols of phone apps beside OwnTracks and Jaga's own.
enum PhoneDialect: Sendable {
    case overland
    case osmAnd
    case gpsLogger
    case openGTS

    var client: ClientApp {
        switch self {
        case .overland: .overland
        case .osmAnd: .osmAnd
        case .gpsLogger: .gpsLogger
        case .openGTS: .openGTS
        }
    }
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

    /// - Parameter token: what stands in the path.
    func deliver(_ request: Request, as dialect: PhoneDialect, token: String?) throws {
        let caller: Caller
        do {
            caller = try self.caller(of: request, token: token)
        } catch {
            return outside.answer(request.id, .problem(error))
        }
        let payload = PhonePayload(query: request.query, body: request.body)
        let reading = read(
            payload, of: dialect.client, received: outside.now, device: caller.device)
        let isOverland = dialect == .overland
        pending[request.id] = Pending(phone: isOverland ? .overland : .empty)
        try deliver(
            reading, of: request.kept(token: token), by: caller, from: dialect.client,
            wantsPolicy: isOverland)
    }

    /// Delivers what was read, without the secret in anything that is kept.
    private func deliver(
        _ reading: Reading, of request: Request, by caller: Caller, from client: ClientApp,
        wantsPolicy: Bool
    ) throws {
        var reading = reading
        var request = request
        if !reading.rejections.isEmpty {
            request.body = request.body.without(caller.secret)
            for index in reading.rejections.indices {
                reading.rejections[index].payload = reading.rejections[index].payload?
                    .without(caller.secret)
            }
        }
        try deliver(
            reading, of: request, device: caller.device, person: caller.person,
            client: client, wantsPolicy: wantsPolicy, provesHearing: wantsPolicy)
    }
}

extension Request {
    /// As it is kept where it cannot be used: the path without its token, query and body together.
    fileprivate func kept(token: String?) -> Request {
        var request = self
        if token != nil {
            request.path =
                path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/{token}"
        }
        request.body = PhonePayload(query: query, body: body).kept
        return request
    }
}
