import CMosquitto
import Glibc

/// Owns one client of libmosquitto, for one connection: a new connection is a new client, so that
/// nothing of the one before can leave by it.
///
/// What it is asked to send, acknowledgements included, only waits in the library until
/// ``write()``: that is how the library works for programs with threads, and for nothing else it is
/// told here that there are some. There are none.
final class BrokerHandle {
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue
    private static let keepAliveSeconds: Int32 = 60

    private let client: OpaquePointer
    private let events = BrokerEvents()

    /// - Throws: what of the login cannot be used
    init(_ login: BrokerLogin) throws(BrokerTrouble) {
        guard BrokerHandle.isReady,
            let client = mosquitto_new(
                login.clientID, false, Unmanaged.passUnretained(events).toOpaque())
        else { throw .unusable("the MQTT library did not start") }
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
            BrokerEvents.of(context)?.unheard -= 1
        }
        mosquitto_log_callback_set(client) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            BrokerEvents.of(context)?.lastError = String(cString: text)
        }
        try configure(login)
    }

    deinit { mosquitto_destroy(client) }

    private func configure(_ login: BrokerLogin) throws(BrokerTrouble) {
        if let user = login.address.user {
            guard mosquitto_username_pw_set(client, user, login.password) == 0 else {
                throw .unusable("user or password cannot be used")
            }
        }
        guard login.address.isEncrypted else { return }
        let result = cmosquitto_tls(
            client, login.authoritiesFile, login.certificateFile, login.keyFile)
        guard result == 0 else { throw .unusable("a file with a certificate or key is not there") }
    }

    // MARK: The connection

    /// Begins to connect; nothing is sent yet.
    func connect(to host: String, port: Int) -> BrokerTrouble? {
        var error: Int32 = 0
        let result = cmosquitto_connect(
            client, host, Int32(port), BrokerHandle.keepAliveSeconds, &error)
        return trouble(result, error)
    }

    /// Whether something can be read at once.
    var hasInput: Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return descriptor >= 0 && poll(&item, 1, 0) > 0
    }

    /// Whether the connection stands: it can be written.
    var canWrite: Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return descriptor >= 0 && poll(&item, 1, 0) > 0
    }

    var descriptor: Int32 { mosquitto_socket(client) }
    var wantsToWrite: Bool { mosquitto_want_write(client) }

    /// Takes in a packet or a part of one.
    ///
    /// - Returns: why the connection is gone
    func read() -> BrokerTrouble? {
        var error: Int32 = 0
        return trouble(cmosquitto_read(client, &error), error)
    }

    /// Sends what waits, acknowledgements included, as far as the connection takes it.
    func write() -> BrokerTrouble? {
        var error: Int32 = 0
        return trouble(cmosquitto_write(client, &error), error)
    }

    /// Sees to it that both sides know that the other is there; once a second or so.
    func keepAlive() -> BrokerTrouble? {
        let result = mosquitto_loop_misc(client)
        return trouble(result, errno)
    }

    private func trouble(_ result: Int32, _ error: Int32) -> BrokerTrouble? {
        if let refusal = events.connected, refusal.code != 0 { return .refused(refusal.code) }
        guard result != 0 else { return nil }
        return .of(result, error: error, detail: events.lastError)
    }

    // MARK: What happened

    /// Whether the broker took us, and had kept what came meanwhile; nil = not yet.
    var welcome: (code: Int32, isKnown: Bool)? { events.connected }
    /// Whether every subscription was allowed; nil = the broker has not said yet.
    var isAllowed: Bool? { events.isAllowed }
    var messageCount: Int { events.messages.count }
    /// Messages published that the broker has not confirmed.
    var unheardCount: Int { events.unheard }

    func takeMessages() -> [BrokerMessage] {
        defer { events.messages.removeAll(keepingCapacity: true) }
        return events.messages
    }

    // MARK: What waits until it is written

    func subscribe(to topics: [String]) -> Bool {
        let copies: [UnsafeMutablePointer<CChar>?] = topics.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let count = Int32(copies.count)
        return copies.withUnsafeBufferPointer { list in
            mosquitto_subscribe_multiple(
                client, nil, count, UnsafePointer(list.baseAddress), 1, 0, nil)
        } == 0
    }

    /// Once at least; nothing of it is kept by the broker.
    func publish(_ payload: [UInt8], to topic: String) -> Bool {
        let result = mosquitto_publish(
            client, nil, topic, Int32(payload.count), payload, 1, false)
        if result == 0 { events.unheard += 1 }
        return result == 0
    }

    func disconnect() { mosquitto_disconnect(client) }
}

/// What callbacks of the library leave behind.
private final class BrokerEvents {
    var connected: (code: Int32, isKnown: Bool)?
    var isAllowed: Bool?
    var messages: [BrokerMessage] = []
    var unheard = 0
    var lastError: String?

    static func of(_ context: UnsafeMutableRawPointer?) -> BrokerEvents? {
        context.map { Unmanaged<BrokerEvents>.fromOpaque($0).takeUnretainedValue() }
    }
}
