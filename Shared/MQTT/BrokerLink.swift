import Model
import Runtime

/// Connection to the operator's MQTT broker, in the loop of its service.
///
/// One turn is ``drain(limit:)``, COMMIT, ``flush()``. Only ``flush()`` acknowledges drained
/// messages. If the service crashes before it, or cannot commit and calls ``disconnect(for:)``, the
/// broker delivers them again, since it keeps the session. A lost connection is re-established
/// after 1 s, 2 s … 60 s. Not thread-safe: everything runs on the thread of the loop.
public final class BrokerLink: Pollable {
    /// State of the connection.
    public enum State: String, Sendable, CaseIterable {
        /// Not connected; waits before the next attempt.
        case waiting
        /// The broker's host name is being resolved.
        case resolving
        case connecting
        /// Connected and subscribed.
        case online
        /// Stopped for good.
        case stopped
    }

    /// Change of the connection for the log.
    public enum Notice: Hashable, Sendable {
        /// - Parameter hasSession: whether the broker has kept the session with its messages
        case online(hasSession: Bool)
        case failed(BrokerFailure)
    }

    private static let retrySecondsMax: Int64 = 60
    private static let responseTimeout = Duration.seconds(20)
    /// A connection that lasted this long resets the count of failures.
    private static let stableAfter = Duration.seconds(10)
    private static let failureRepeatInterval = Duration.seconds(600)
    private static let unconfirmedMax = 10_000

    private let login: BrokerLogin
    private let clock = SystemClock()
    private var handle: BrokerHandle?
    private var lookup: NameLookup?
    private var outgoing: [(topic: String, payload: [UInt8])] = []
    private var notices: [Notice] = []
    private var reported: (failure: BrokerFailure, at: Duration)?
    public private(set) var state = State.waiting
    /// Why it is not online; nil if it is, or before the first attempt.
    public private(set) var failure: BrokerFailure?
    private var failures: Int64 = 0
    private var nextTry = Duration.zero
    private var since = Duration.zero
    private var nextMaintenance = Duration.zero
    /// Whether the TCP connection is established, so that being writable means nothing more.
    private var isReached = false
    private var hasSubscribed = false

    public init(_ login: BrokerLogin) { self.login = login }

    // MARK: Pollable

    public func appendPollItems(to items: inout [PollItem]) {
        lookup?.appendPollItems(to: &items)
        guard let handle, handle.descriptor >= 0 else { return }
        let waits = state == .connecting && isReached
        items.append(
            PollItem(descriptor: handle.descriptor, write: handle.wantsToWrite && !waits))
    }

    public var waitMilliseconds: Int? {
        guard state != .stopped else { return nil }
        let due = state == .waiting ? nextTry : nextMaintenance
        return max(0, min(1000, Int((due - clock.monotonic).milliseconds) + 1))
    }

    // MARK: The turn

    /// Reads received messages. The next ``flush()`` acknowledges them.
    ///
    /// - Parameter limit: approximate maximum; the next call returns the rest
    public func drain(limit: Int = 256) -> [BrokerMessage] {
        proceed()
        guard let handle else { return [] }
        var end: BrokerFailure?
        while end == nil, handle.messageCount < limit, handle.hasInput { end = handle.read() }
        let messages = handle.drainMessages()
        if let end { fail(end) } else { completeHandshake(handle) }
        return messages
    }

    /// Whether published messages are sent.
    public var isOnline: Bool { state == .online }

    /// Publishes a message with the next ``flush()``. Drops it if there is no connection.
    public func publish(_ payload: [UInt8], to topic: String) {
        guard isOnline else { return }
        outgoing.append((topic, payload))
    }

    /// Acknowledges all drained messages and sends published ones. Call it after COMMIT.
    public func flush() {
        guard let handle else { return }
        for message in outgoing where handle.unconfirmedCount < BrokerLink.unconfirmedMax {
            _ = handle.publish(message.payload, to: message.topic)
        }
        outgoing.removeAll(keepingCapacity: true)
        guard handle.wantsToWrite else { return }
        if let end = handle.write() { fail(end) }
    }

    /// Disconnects without acknowledging messages drained since the last ``flush()``; the broker
    /// delivers them again.
    ///
    /// - Parameter pause: minimum pause before the next connection
    public func disconnect(for pause: Duration = .seconds(1)) {
        guard handle != nil else { return }
        drop()
        state = .waiting
        nextTry = max(nextTry, clock.monotonic + pause)
    }

    /// Disconnects for good. The broker keeps the session and its messages.
    public func stop() {
        if let handle, isOnline {
            handle.disconnect()
            _ = handle.write()
        }
        drop()
        state = .stopped
    }

    /// Returns the changes since the last call. A persisting failure is repeated every 10 min.
    public func drainNotices() -> [Notice] {
        defer { notices.removeAll() }
        return notices
    }

    // MARK: Connecting

    private func proceed() {
        let now = clock.monotonic
        switch state {
        case .waiting: if now >= nextTry { begin(now) }
        case .resolving: resolve(now)
        case .connecting:
            if now - since > BrokerLink.responseTimeout { fail(.slow) } else { maintain(now) }
        case .online: maintain(now)
        case .stopped: break
        }
    }

    private func begin(_ now: Duration) {
        since = now
        if login.address.isNumeric { return connect(to: login.address.host, now) }
        do {
            lookup = try NameLookup(login.address.host)
            state = .resolving
        } catch {
            fail(.unusable(error.message))
        }
    }

    /// Connects to the resolved address. An encrypted connection needs the host name, which the
    /// broker's certificate contains; the library then resolves it again, which is fast by now.
    private func resolve(_ now: Duration) {
        if now - since > BrokerLink.responseTimeout { lookup?.giveUp() }
        nextMaintenance = now + .seconds(1)
        guard let found = lookup?.addresses() else { return }
        lookup = nil
        guard !found.isEmpty else { return fail(.unknownHost) }
        let next = found[Int(failures) % found.count]
        connect(to: login.address.isEncrypted ? login.address.host : next, now)
    }

    private func connect(to host: String, _ now: Duration) {
        do {
            let handle = try BrokerHandle(login)
            self.handle = handle
            isReached = false
            hasSubscribed = false
            state = .connecting
            nextMaintenance = now
            if let end = handle.connect(to: host, port: login.address.port) { fail(end) }
        } catch {
            fail(error)
        }
    }

    private func maintain(_ now: Duration) {
        guard let handle, now >= nextMaintenance else { return }
        nextMaintenance = now + .seconds(1)
        if let end = handle.keepAlive() { fail(end) }
    }

    /// Subscribes after CONNACK, and is online after SUBACK.
    private func completeHandshake(_ handle: BrokerHandle) {
        guard state == .connecting else { return }
        if !isReached, handle.canWrite { isReached = true }
        guard let reply = handle.connectReply else { return }
        if !hasSubscribed {
            hasSubscribed = true
            guard handle.subscribe(to: login.subscriptions) else { return fail(.notAllowed) }
        }
        guard let isAllowed = handle.isAllowed else { return }
        guard isAllowed else { return fail(.notAllowed) }
        state = .online
        since = clock.monotonic
        failure = nil
        reported = nil
        notices.append(.online(hasSession: reply.hasSession))
    }

    private func fail(_ reason: BrokerFailure) {
        let now = clock.monotonic
        if state == .online, now - since > BrokerLink.stableAfter { failures = 0 }
        drop()
        state = .waiting
        failure = reason
        failures += 1
        let seconds = min(BrokerLink.retrySecondsMax, 1 << min(failures - 1, 6))
        nextTry = now + .seconds(seconds)
        if let reported, reported.failure == reason,
            now - reported.at < BrokerLink.failureRepeatInterval
        {
            return
        }
        reported = (reason, now)
        notices.append(.failed(reason))
    }

    private func drop() {
        handle = nil
        lookup = nil
        outgoing.removeAll()
    }
}
