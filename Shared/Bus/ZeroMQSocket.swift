import CZeroMQ
import Glibc
import Wire

/// Owns one ZeroMQ socket and sets the options common to all.
final class ZeroMQSocket {
    enum Kind: Int32 {
        case pair = 0
        case publish = 1
        case subscribe = 2
        case reply = 4
        case dealer = 5
        case router = 6
    }

    /// A received message and its sender, if known.
    struct Message {
        var frames: [[UInt8]]
        /// User id set by the ZAP handler; nil without one.
        var user: String?
        var address: String?

        var byteCount: Int { frames.reduce(0) { $0 + $1.count } }
    }

    let context: ZeroMQContext
    let pointer: UnsafeMutableRawPointer
    private let kind: Kind
    /// Nil for sockets within the process.
    private var queue: ReceiveQueue?

    init(_ kind: Kind, in context: ZeroMQContext) throws(BusError) {
        guard let pointer = zmq_socket(context.pointer, kind.rawValue) else {
            throw ZeroMQSocket.error("open socket")
        }
        self.context = context
        self.pointer = pointer
        self.kind = kind
        queue = BusLimits.receiveLimits(for: kind).map(ReceiveQueue.init)
        set(ZMQ_LINGER, 0)
        detectDeadConnections()
        set(ZMQ_HANDSHAKE_IVL, 2000)
        set(ZMQ_RECONNECT_IVL, 50)
        set(ZMQ_RECONNECT_IVL_MAX, 1000)
        // Frames above the protocol's limit are still received, to be rejected and counted; only
        // frames that would need much memory close the connection, which then reconnects.
        limitFrames(to: 16 << 20)
        // A receive queue that is full ends the process when its peer disconnects: 4.3.4 and 4.3.5
        // stop reading, mark the connection as broken, and then answer a PING (`!_io_error`, libzmq
        // #4364; `_input_stopped`, #3937). Any peer could trigger this on purpose. So ZeroMQ's
        // receive queues are unlimited; ours is bounded (``ReceiveQueue``).
        set(ZMQ_RCVHWM, 0)
        switch kind {
        case .publish:
            set(ZMQ_SNDHWM, 10_000)
            // Receives only subscriptions and handshakes.
            limitFrames(to: BusLimits.subscriptionBytesMax)
        // A queue must not outlive its connection (libzmq #3937).
        case .subscribe, .dealer: set(ZMQ_IMMEDIATE, 1)
        // Replies of 256 KiB each that wait for a slow consumer.
        case .router:
            set(ZMQ_ROUTER_MANDATORY, 1)
            set(ZMQ_SNDHWM, 256)
        // Within the process the sender must never block: libzmq emits events while it holds a
        // lock that closing the socket needs, and would hold it forever.
        case .pair, .reply: set(ZMQ_SNDHWM, 0)
        }
    }

    deinit { zmq_close(pointer) }

    /// Ends connections that send a longer frame, before it is in memory.
    func limitFrames(to bytes: Int) {
        var size = Int64(bytes)
        zmq_setsockopt(pointer, ZMQ_MAXMSGSIZE, &size, MemoryLayout<Int64>.size)
    }

    /// Lets the kernel end connections that carry nothing any more, instead of ZMTP heartbeats.
    ///
    /// Heartbeats can end the process. While a closed socket waits for ZeroMQ's reaper thread, its
    /// connections are open but deliver nothing: a received frame stops reading (`_input_stopped`),
    /// the end of the connection then removes its descriptor (`_io_error`), and the next PING
    /// asserts that neither happened (4.3.4, `!_io_error`; libzmq #4364). On a busy machine the
    /// reaper may wait longer than the interval. PINGs have no timer without this option, and PONGs
    /// are sent only while reading.
    ///
    /// A process that is suspended acknowledges packets until its buffers are full. The bus detects
    /// it by its silence (``PeerLink``).
    private func detectDeadConnections() {
        set(ZMQ_TCP_KEEPALIVE, 1)
        set(ZMQ_TCP_KEEPALIVE_IDLE, BusLimits.keepaliveSeconds)
        set(ZMQ_TCP_KEEPALIVE_INTVL, BusLimits.keepaliveSeconds)
        set(ZMQ_TCP_KEEPALIVE_CNT, BusLimits.keepaliveProbes)
        set(ZMQ_TCP_MAXRT, BusLimits.unacknowledgedMilliseconds)
    }

    /// Publishes handshake events of this socket. Returns the endpoint for a PAIR socket.
    func monitor(_ events: Int32) throws(BusError) -> String {
        let endpoint = context.monitorEndpoint()
        guard zmq_socket_monitor(pointer, endpoint, events) == 0 else {
            throw ZeroMQSocket.error("monitor socket")
        }
        return endpoint
    }

    /// Stops the monitor.
    ///
    /// Call it before closing the socket, since 4.3.4 otherwise leaks both ends of the monitor; and
    /// before closing the receiving PAIR, since libzmq otherwise blocks on sending an event while
    /// it holds the lock that this call needs.
    func stopMonitor() { zmq_socket_monitor(pointer, nil, 0) }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        zmq_setsockopt(pointer, option, &value, MemoryLayout<Int32>.size)
    }

    private func set(_ option: Int32, _ text: String) {
        zmq_setsockopt(pointer, option, text, text.utf8.count)
    }

    /// Authenticates with its own key, and lets the ZAP handler check the keys of clients.
    ///
    /// - Parameter place: the socket's name for the handler
    func serve(_ own: CurveKeyPair, as place: CurveAuthenticator.Place) {
        set(ZMQ_CURVE_SERVER, 1)
        set(ZMQ_CURVE_SECRETKEY, own.secret)
        set(ZMQ_ZAP_DOMAIN, place.rawValue)
    }

    /// Connects only to the owner of a key, and authenticates with its own.
    func use(_ own: CurveKeyPair, towards server: CurvePublicKey) {
        set(ZMQ_CURVE_SERVERKEY, server.text)
        set(ZMQ_CURVE_PUBLICKEY, own.publicKey.text)
        set(ZMQ_CURVE_SECRETKEY, own.secret)
    }

    func subscribe(to topic: [UInt8]) {
        zmq_setsockopt(pointer, ZMQ_SUBSCRIBE, topic, topic.count)
    }

    func unsubscribe(from topic: [UInt8]) {
        zmq_setsockopt(pointer, ZMQ_UNSUBSCRIBE, topic, topic.count)
    }

    func connect(to endpoint: String) throws(BusError) {
        guard zmq_connect(pointer, endpoint) == 0 else {
            throw ZeroMQSocket.error("connect to \(endpoint)")
        }
    }

    /// Binds the socket. Returns its actual endpoint.
    func bind(to endpoint: String) throws(BusError) -> String {
        guard zmq_bind(pointer, endpoint) == 0 else {
            throw ZeroMQSocket.error("bind \(endpoint)")
        }
        var text = [CChar](repeating: 0, count: 256)
        var count = text.count
        guard zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &text, &count) == 0 else {
            return endpoint
        }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Sends without blocking. Returns false if the message was not sent.
    @discardableResult
    func send(_ frames: [UInt8]...) -> Bool {
        for (index, frame) in frames.enumerated() {
            let flags = ZMQ_DONTWAIT | (index + 1 < frames.count ? ZMQ_SNDMORE : 0)
            var sent = zmq_send(pointer, frame, frame.count, flags)
            while sent < 0, zmq_errno() == EINTR {
                sent = zmq_send(pointer, frame, frame.count, flags)
            }
            if sent < 0 { return false }
        }
        return true
    }

    /// Whether messages are queued; poll does not report them.
    var hasReceived: Bool { queue?.isEmpty == false }

    /// The next message; nil if there is none.
    func receive() -> Message? {
        guard queue != nil else {
            var message: Message?
            _ = readOne { frames, _ in message = Message(frames: frames) }
            return message
        }
        drain()
        return queue?.popFirst()
    }

    /// Drains ZeroMQ's queue into the bounded one, which drops excess messages.
    private func drain() {
        for _ in 0..<BusLimits.drainedMessagesMax {
            let isRead = readOne { frames, last in
                let sender = zmq_msg_get(&last, ZMQ_SRCFD)
                let size = frames.reduce(0) { $0 + $1.count }
                guard queue?.admits(from: sender, bytes: size) == true else { return }
                var message = Message(frames: frames)
                if kind == .router {
                    // The routing frame of a ROUTER has no properties; the sender's frame has.
                    message.user = ZeroMQSocket.property("User-Id", of: &last)
                    message.address = ZeroMQSocket.property("Peer-Address", of: &last)
                }
                queue?.append(message, from: sender)
            }
            if !isRead { return }
        }
    }

    /// Reads one message and passes its frames, with the last one as a ZeroMQ message.
    ///
    /// Keeps only as many frames and bytes as needed to detect excess.
    ///
    /// - Returns: false if there is no message
    private func readOne(_ body: ([[UInt8]], inout zmq_msg_t) -> Void) -> Bool {
        var frames: [[UInt8]] = []
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        repeat {
            var received = zmq_msg_recv(&message, pointer, ZMQ_DONTWAIT)
            while received < 0, zmq_errno() == EINTR {
                received = zmq_msg_recv(&message, pointer, ZMQ_DONTWAIT)
            }
            if received < 0 { return false }
            guard frames.count < BusLimits.messageFramesMax else { continue }
            let content = UnsafeRawBufferPointer(
                start: zmq_msg_data(&message), count: zmq_msg_size(&message))
            frames.append(Array(content.prefix(WireLimits.frameBytesMax + 1)))
        } while zmq_msg_more(&message) != 0
        body(frames, &message)
        return true
    }

    private static func property(_ name: String, of message: inout zmq_msg_t) -> String? {
        zmq_msg_gets(&message, name).map { String(cString: $0) }
    }

    static func error(_ operation: String) -> BusError {
        let number = zmq_errno()
        let message = String(cString: zmq_strerror(number))
        switch number {
        case EADDRINUSE:
            return BusError(
                "address-in-use", operation, message,
                hint: "Stop the program that listens there, or choose another JAGA_PORT_BASE.")
        case EINVAL, EPROTONOSUPPORT, ENODEV, EADDRNOTAVAIL:
            return BusError(
                "bad-endpoint", operation, message,
                hint: "Use an endpoint of the form tcp://127.0.0.1:8201.")
        default: return BusError("socket", operation, message, hint: "")
        }
    }
}
