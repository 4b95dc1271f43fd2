import CZeroMQ
import Wire

/// ZAP handler of a process: checks every CURVE handshake by key and socket.
///
/// libzmq sends requests to `inproc://zeromq.zap.01` (RFC 27) and suspends the handshake meanwhile,
/// so the event loop answers on its next turn. Without a handler libzmq accepts any key: the
/// handler is created before the first socket and closed after the last.
final class CurveAuthenticator {
    /// A bound socket, named in requests.
    enum Place: String {
        /// The PUB for all streams, or for all except `in/p`.
        case publications
        /// The PUB for `in/p`.
        case inputs
        /// The ROUTER.
        case requests
        /// The SUB for proposals.
        case proposals
    }

    let socket: ZeroMQSocket
    private let security: BusSecurity
    private let admitted: [Place: Set<BusRole>]
    /// Counts the connections of bound sockets.
    var monitors: [Place: SocketMonitor] = [:]

    init(
        _ context: ZeroMQContext, _ security: BusSecurity, _ configuration: Bus.Configuration
    ) throws(BusError) {
        self.security = security
        let streams = configuration.served.map(\.stream)
        let inputs = streams.filter { configuration.isPublishedSeparately($0) }
        admitted = [
            .publications: BusRights.readers(
                of: streams.filter {
                    !configuration.isPublishedSeparately($0) && !BusRights.isReplayedOnly($0)
                }),
            .inputs: BusRights.readers(of: inputs),
            .requests: BusRights.requesters(about: streams),
            .proposals: BusRights.producers(
                of: configuration.served.filter(\.isDerived).map(\.stream)),
        ]
        socket = try ZeroMQSocket(.reply, in: context)
        _ = try socket.bind(to: "inproc://zeromq.zap.01")
    }

    /// Answers pending requests. Returns the first rejection.
    func next() -> PeerRejection? {
        while let request = socket.receive()?.frames {
            if let rejection = handle(request) { return rejection }
        }
        return nil
    }

    /// Request: version, id, domain, address, routing id, mechanism, key. Reply: version, id,
    /// status, status text, user id, metadata. Status 400 is permanent: the peer does not retry on
    /// that connection. After 300 it reconnects.
    private func handle(_ request: [[UInt8]]) -> PeerRejection? {
        let id = request.count > 1 ? request[1] : []
        let (role, rejection) = authenticate(request)
        if let role, rejection == nil {
            reply(id, "200", "welcome", role.rawValue)
        } else if case .tooManyConnections = rejection?.reason {
            reply(id, "300", "later", "")
        } else {
            reply(id, "400", "no", "")
        }
        return rejection
    }

    private func reply(_ id: [UInt8], _ status: String, _ text: String, _ user: String) {
        socket.send(
            Array("1.0".utf8), id, Array(status.utf8), Array(text.utf8), Array(user.utf8), [])
    }

    private func authenticate(_ request: [[UInt8]]) -> (BusRole?, PeerRejection?) {
        guard request.count == 7, request[5] == Array("CURVE".utf8) else {
            return (
                nil, PeerRejection(.mechanism, address: "", place: "this process", isOurs: false)
            )
        }
        let domain = String(decoding: request[2], as: UTF8.self)
        let address = String(decoding: request[3], as: UTF8.self)
        func rejection(_ reason: PeerRejection.Reason) -> PeerRejection {
            PeerRejection(reason, address: address, place: domain, isOurs: false)
        }
        guard let role = security.role(of: request[6]) else {
            return (
                nil, rejection(.unknownKey(fingerprint: CurveKey.fingerprint(request[6])))
            )
        }
        guard let place = Place(rawValue: domain), admitted[place]?.contains(role) == true else {
            return (role, rejection(.forbidden(role, "connect to \(domain)")))
        }
        if role.hasSeveralProcesses, let monitor = monitors[place],
            monitor.countConnections() > BusLimits.connectionsMax
        {
            return (role, rejection(.tooManyConnections(role)))
        }
        return (role, nil)
    }
}
