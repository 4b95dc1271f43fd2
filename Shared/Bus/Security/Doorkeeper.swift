import CZeroMQ
import Wire

/// The ZAP handler of a process: judges every CURVE handshake by key and place.
///
/// libzmq asks through `inproc://zeromq.zap.01` (RFC 27) and lets the handshake wait meanwhile, so
/// the one loop answers when it comes around. Without a handler it would let any key in: it is
/// there before the first socket, and goes after the last.
final class Doorkeeper {
    /// The name of a socket in requests; by it its readers are known.
    enum Place: String {
        /// The PUB for all streams, or for all but `in/p`.
        case publications
        /// The PUB for `in/p`.
        case inputs
        /// The ROUTER.
        case questions
        /// The SUB for outputs.
        case outputs
    }

    let socket: ZeroMQSocket
    private let security: BusSecurity
    private let admitted: [Place: Set<BusRole>]

    init(
        _ context: ZeroMQContext, _ security: BusSecurity, _ configuration: Bus.Configuration
    ) throws(BusError) {
        self.security = security
        let streams = configuration.served.map(\.stream)
        let inputs = streams.filter { configuration.isApart($0) }
        admitted = [
            .publications: BusRights.readers(of: streams.filter { !configuration.isApart($0) }),
            .inputs: BusRights.readers(of: inputs),
            .questions: BusRights.askers(about: streams),
            .outputs: BusRights.computers(
                of: configuration.served.filter(\.isComputed).map(\.stream)),
        ]
        socket = try ZeroMQSocket(.reply, in: context)
        _ = try socket.bind(to: "inproc://zeromq.zap.01")
    }

    /// Answers what waits; gives the first that was not let in.
    func next() -> PeerRefusal? {
        while let request = socket.receive()?.frames {
            if let refusal = answer(request) { return refusal }
        }
        return nil
    }

    /// Request: version, id, domain, address, routing id, mechanism, key. Answer: version, id,
    /// status, its text, user id, metadata. 400 is for good: the peer hears of it and does not try
    /// again on that connection.
    private func answer(_ request: [[UInt8]]) -> PeerRefusal? {
        let id = request.count > 1 ? request[1] : []
        let (role, refusal) = judge(request)
        if let role, refusal == nil {
            reply(id, "200", "welcome", role.rawValue)
        } else {
            reply(id, "400", "no", "")
        }
        return refusal
    }

    private func reply(_ id: [UInt8], _ status: String, _ text: String, _ user: String) {
        socket.send(
            Array("1.0".utf8), id, Array(status.utf8), Array(text.utf8), Array(user.utf8), [])
    }

    private func judge(_ request: [[UInt8]]) -> (BusRole?, PeerRefusal?) {
        guard request.count == 7, request[5] == Array("CURVE".utf8) else {
            return (
                nil, PeerRefusal(.mechanism, address: "", place: "this process", isOurs: false)
            )
        }
        let domain = String(decoding: request[2], as: UTF8.self)
        let address = String(decoding: request[3], as: UTF8.self)
        func refused(_ reason: PeerRefusal.Reason) -> PeerRefusal {
            PeerRefusal(reason, address: address, place: domain, isOurs: false)
        }
        guard let role = security.holder(of: request[6]) else {
            return (
                nil, refused(.unknownKey(fingerprint: CurveKey.fingerprint(request[6])))
            )
        }
        guard let place = Place(rawValue: domain), admitted[place]?.contains(role) == true else {
            return (role, refused(.forbidden(role, "connect to \(domain)")))
        }
        return (role, nil)
    }
}
