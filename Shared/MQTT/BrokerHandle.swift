import CMosquitto
import Glibc

/// Owner of one libmosquitto client, for one connection.
///
/// Each connection uses a new client, so that it cannot send packets of the previous one. Packets,
/// including acknowledgements, wait in the library until ``write()``. The library queues them only
/// in its threaded mode, so that mode is set, although there are no threads.
final class BrokerHandle {
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue
    private static let keepAliveSeconds: Int32 = 60

    private let client: OpaquePointer
    private let events = BrokerEvents()

    /// - Throws: ``BrokerFailure`` if the login cannot be used
    init(_ login: BrokerLogin) throws(BrokerFailure) {
        guard BrokerHandle.isReady,
            let client = mosquitto_new(
                login.clientID, false, Unmanaged.passUnretained(events).toOpaque())
        else { throw .unusable("libmosquitto could not be initialised") }
        self.client = client
        mosquitto_threaded_set(client, true)
        mosquitto_connect_with_flags_callback_set(client) { _, context, code, flags in
            BrokerEvents.of(context)?.connected = (code, flags & 1 != 0)
        }
        mosquitto_subscribe_callback_set(client) { _, context, _, count, granted in
            guard let granted else { return }
            let all = UnsafeBufferPointer(start: granted, count: Int(count))
            BrokerEvents.of(context)?.isAllowed = all.allSatisfy { $0 < 128 }
        }
        mosquitto_message_callback_set(client) { _, context, message in
            guard let message, let topic = message.pointee.topic else { return }
            let count = Int(message.pointee.payloadlen)
            let isTooLarge = count > BrokerMessage.payloadBytesMax
            let payload = UnsafeRawBufferPointer(
                start: message.pointee.payload, count: isTooLarge ? 0 : count)
            BrokerEvents.of(context)?.messages.append(
                BrokerMessage(
                    topic: String(cString: topic), payload: Array(payload),
                    isRetained: message.pointee.retain, isTooLarge: isTooLarge))
        }
        mosquitto_publish_callback_set(client) { _, context, _ in
            BrokerEvents.of(context)?.unconfirmed -= 1
        }
        mosquitto_log_callback_set(client) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            BrokerEvents.of(context)?.lastError = String(cString: text)
        }
        try configure(login)
    }

    deinit { mosquitto_destroy(client) }

    private func configure(_ login: BrokerLogin) throws(BrokerFailure) {
        if let user = login.address.user {
            guard mosquitto_username_pw_set(client, user, login.password) == 0 else {
                throw .unusable("user or password is invalid")
            }
        }
        guard login.address.isEncrypted else { return }
        let result = cmosquitto_tls(
            client, login.authoritiesFile, login.certificateFile, login.keyFile)
        guard result == 0 else { throw .unusable("a certificate or key file is missing") }
    }

    // MARK: The connection

    /// Starts to connect. Nothing is sent yet.
    func connect(to host: String, port: Int) -> BrokerFailure? {
        var error: Int32 = 0
        let result = cmosquitto_connect(
            client, host, Int32(port), BrokerHandle.keepAliveSeconds, &error)
        return failure(result, error)
    }

    /// Whether input is ready.
    var hasInput: Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return descriptor >= 0 && poll(&item, 1, 0) > 0
    }

    /// Whether the connection is established and writable.
    var canWrite: Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return descriptor >= 0 && poll(&item, 1, 0) > 0
    }

    var descriptor: Int32 { mosquitto_socket(client) }
    var wantsToWrite: Bool { mosquitto_want_write(client) }

    /// Reads a packet or a part of one.
    ///
    /// - Returns: why the connection was lost; nil if it was not
    func read() -> BrokerFailure? {
        var error: Int32 = 0
        return failure(cmosquitto_read(client, &error), error)
    }

    /// Sends waiting packets, including acknowledgements, as far as the socket accepts them.
    ///
    /// - Returns: why the connection was lost; nil if it was not
    func write() -> BrokerFailure? {
        var error: Int32 = 0
        return failure(cmosquitto_write(client, &error), error)
    }

    /// Sends and checks keep-alives. Call it about once a second.
    ///
    /// - Returns: why the connection was lost; nil if it was not
    func keepAlive() -> BrokerFailure? {
        let result = mosquitto_loop_misc(client)
        return failure(result, errno)
    }

    private func failure(_ result: Int32, _ error: Int32) -> BrokerFailure? {
        if let refusal = events.connected, refusal.code != 0 { return .refused(refusal.code) }
        guard result != 0 else { return nil }
        return .of(result, error: error, detail: events.lastError)
    }

    // MARK: Received packets

    /// The broker's CONNACK: its code, and whether it has kept the session; nil = not received yet.
    var connectReply: (code: Int32, hasSession: Bool)? { events.connected }
    /// Whether every subscription was granted; nil = not received yet.
    var isAllowed: Bool? { events.isAllowed }
    var messageCount: Int { events.messages.count }
    /// Number of published messages that the broker has not acknowledged.
    var unconfirmedCount: Int { events.unconfirmed }

    func drainMessages() -> [BrokerMessage] {
        defer { events.messages.removeAll(keepingCapacity: true) }
        return events.messages
    }

    // MARK: Packets that wait for write()

    func subscribe(to topics: [String]) -> Bool {
        let copies: [UnsafeMutablePointer<CChar>?] = topics.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let count = Int32(copies.count)
        return copies.withUnsafeBufferPointer { list in
            mosquitto_subscribe_multiple(
                client, nil, count, UnsafePointer(list.baseAddress), 1, 0, nil)
        } == 0
    }

    /// Publishes a message with QoS 1, not retained.
    func publish(_ payload: [UInt8], to topic: String) -> Bool {
        let result = mosquitto_publish(
            client, nil, topic, Int32(payload.count), payload, 1, false)
        if result == 0 { events.unconfirmed += 1 }
        return result == 0
    }

    func disconnect() { mosquitto_disconnect(client) }
}

/// Results of the library's callbacks.
private final class BrokerEvents {
    var connected: (code: Int32, hasSession: Bool)?
    var isAllowed: Bool?
    var messages: [BrokerMessage] = []
    var unconfirmed = 0
    var lastError: String?

    static func of(_ context: UnsafeMutableRawPointer?) -> BrokerEvents? {
        context.map { Unmanaged<BrokerEvents>.fromOpaque($0).takeUnretainedValue() }
    }
}
