import CZeroMQ
import Glibc

/// Hears which handshakes of one socket come to nothing.
///
/// libzmq tells through a PAIR within the process: number and value of an event, then the bound
/// endpoint (or, of who connects, the other's). Facts of 4.3.4, by experiment:
/// - A key that ZAP does not let in: `FAILED_AUTH` on both sides, and the connecting side does not
///   try again.
/// - No keys against keys: `FAILED_PROTOCOL` with a mismatch of mechanisms on the side that reads
///   the other's greeting; the other may see no more than an end, `FAILED_NO_DETAIL`.
/// - A client with another public key for the server: `FAILED_PROTOCOL` with a cryptographic value
///   at the server, an end at the client, which goes on trying.
/// - Who it was is told only by the descriptor of `ACCEPTED`, while it is open (see
///   ``MonitorQueue``); the end of the connection follows the failure with the same descriptor.
final class SocketMonitor {
    let socket: ZeroMQSocket
    private let watched: ZeroMQSocket
    private let place: String
    private let isOurs: Bool
    private var queue = MonitorQueue()
    /// Of those that were accepted and have not failed yet.
    private var addresses: [Int32: String] = [:]
    /// Why the connection failed whose end comes next.
    private var failure: PeerRefusal.Reason?
    private var brokenOff = 0

    private static let events =
        ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED
        | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL

    /// - Parameters:
    ///   - place: what the socket is for, or the peer that it connects to
    ///   - isOurs: whether it connects
    init(
        _ watched: ZeroMQSocket, place: String, isOurs: Bool
    ) throws(BusError) {
        self.place = place
        self.isOurs = isOurs
        self.watched = watched
        let endpoint = try watched.monitor(SocketMonitor.events)
        do {
            socket = try ZeroMQSocket(.pair, in: watched.context)
            try socket.connect(to: endpoint)
        } catch {
            watched.stopMonitor()
            throw error
        }
    }

    deinit { watched.stopMonitor() }

    /// The next refusal; nil when there is none.
    func next() -> PeerRefusal? {
        while let event = queue.next(told: told, address: SocketMonitor.address) {
            if let refusal = take(event) { return refusal }
        }
        return nil
    }

    /// All that was told since it was last looked at.
    private func told() -> [MonitorQueue.Event] {
        var events: [MonitorQueue.Event] = []
        while let frames = socket.receive()?.frames {
            guard frames.count == 2, frames[0].count == 6 else { continue }
            let (kind, value) = frames[0].withUnsafeBytes { raw in
                (
                    Int32(raw.loadUnaligned(as: UInt16.self)),
                    raw.loadUnaligned(fromByteOffset: 2, as: Int32.self)
                )
            }
            let endpoint = String(decoding: frames[1], as: UTF8.self)
            events.append(.init(kind: kind, value: value, endpoint: endpoint))
        }
        return events
    }

    private func take(_ event: MonitorQueue.Event) -> PeerRefusal? {
        switch event.kind {
        case ZMQ_EVENT_ACCEPTED:
            let isLocal = BusSecurity.isLocal(endpoint: event.endpoint)
            addresses[event.value] = isLocal ? "127.0.0.1" : event.address
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: brokenOff = 0
        // At the door the doorkeeper has told it already, with the key.
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: if isOurs { failure = .rejected }
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
            switch event.value {
            case ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: failure = .mechanism
            case ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC, ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE:
                failure = .foreignServerKey
            default: failure = .brokenOff
            }
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            brokenOff += 1
            failure = brokenOff > BusLimits.brokenHandshakesMax ? .brokenOff : nil
        case ZMQ_EVENT_DISCONNECTED:
            let address = addresses.removeValue(forKey: event.value) ?? ""
            guard let reason = failure else { return nil }
            failure = nil
            return PeerRefusal(
                reason, address: isOurs ? event.endpoint : address, place: place, isOurs: isOurs)
        default: break
        }
        return nil
    }

    /// Who is at the other end, as long as the descriptor is open.
    private static func address(of descriptor: Int32) -> String {
        var name = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &size) == 0
            }
        }
        guard isKnown, name.sin_family == sa_family_t(AF_INET) else { return "" }
        var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        guard inet_ntop(AF_INET, &name.sin_addr, &text, socklen_t(text.count)) != nil else {
            return ""
        }
        return CurveKey.text(text)
    }
}
