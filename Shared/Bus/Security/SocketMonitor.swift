import CZeroMQ
import Glibc

/// Detects rejected handshakes of one socket.
///
/// libzmq sends events to a PAIR socket within the process: number and value of an event, then the
/// bound endpoint (of connecting sockets, the remote one). Behaviour of 4.3.4, found by experiment:
/// - The ZAP handler rejects a key: `FAILED_AUTH` on both sides; the client does not retry.
/// - Only one side uses keys: `FAILED_PROTOCOL` with a mechanism mismatch on the side that reads
///   the other's greeting; the other may see only `FAILED_NO_DETAIL`.
/// - The client has another public key for the server: `FAILED_PROTOCOL` with a cryptographic value
///   at the server, `FAILED_NO_DETAIL` at the client, which retries.
/// - Only the descriptor of `ACCEPTED` identifies the peer, while it is open (see
///   ``MonitorQueue``); the end of the connection follows the failure with the same descriptor.
final class SocketMonitor {
    let socket: ZeroMQSocket
    private let watched: ZeroMQSocket
    private let place: String
    private let isOurs: Bool
    private var queue = MonitorQueue()
    private var rejections: ArraySlice<PeerRejection> = []
    /// Addresses of accepted connections that have not failed.
    private var addresses: [Int32: String] = [:]
    /// Why the connection failed whose end is expected next.
    private var failure: PeerRejection.Reason?
    private var interruptedCount = 0

    private static let events =
        ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED
        | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL

    /// - Parameters:
    ///   - place: the socket's name, or the peer that it connects to
    ///   - isOurs: whether the socket connects
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

    /// The next rejection; nil if there is none.
    func next() -> PeerRejection? {
        handleEvents()
        return rejections.popFirst()
    }

    /// Accepted connections that have not ended, those that are handshaking included.
    func countConnections() -> Int {
        handleEvents()
        return addresses.count
    }

    private func handleEvents() {
        while let event = queue.next(receive: receiveEvents, address: SocketMonitor.address) {
            if let rejection = handle(event) { rejections.append(rejection) }
        }
    }

    /// Receives all pending events.
    private func receiveEvents() -> [MonitorQueue.Event] {
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

    private func handle(_ event: MonitorQueue.Event) -> PeerRejection? {
        switch event.kind {
        case ZMQ_EVENT_ACCEPTED:
            let isLocal = BusSecurity.isLocal(endpoint: event.endpoint)
            addresses[event.value] = isLocal ? "127.0.0.1" : event.address
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: interruptedCount = 0
        // The ZAP handler has already reported it, with the key.
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: if isOurs { failure = .rejected }
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
            switch event.value {
            case ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: failure = .mechanism
            case ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC, ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE:
                failure = .foreignServerKey
            default: failure = .interrupted
            }
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            interruptedCount += 1
            failure = interruptedCount > BusLimits.interruptedHandshakesMax ? .interrupted : nil
        case ZMQ_EVENT_DISCONNECTED:
            let address = addresses.removeValue(forKey: event.value) ?? ""
            guard let reason = failure else { return nil }
            failure = nil
            return PeerRejection(
                reason, address: isOurs ? event.endpoint : address, place: place, isOurs: isOurs)
        default: break
        }
        return nil
    }

    /// The peer's address of an open descriptor.
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
