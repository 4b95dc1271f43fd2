import Model
import Runtime

/// The connection to the operator's broker, in the loop of its service: one turn is
/// ``drain(limit:)``, COMMIT, ``flush()``.
///
/// What was drained is acknowledged by ``flush()`` and by nothing else. A service that dies before,
/// or cannot commit and says ``cut(for:)``, hears all of it again: the broker keeps the session.
/// Whatever ends a connection, it is made again by itself, after 1 s, 2 s … 60 s. Not thread-safe:
/// everything happens on the thread of the loop.
public final class BrokerLink: Pollable {
    /// How far it is.
    public enum State: String, Sendable, CaseIterable {
        /// Not connected, and not to be tried before its time.
        case waiting
        /// The name of the broker's host is being looked up.
        case resolving
        case connecting
        /// Connected, and messages come.
        case online
        /// Told to end.
        case stopped
    }

    /// Something that the operator may want to know.
    public enum News: Hashable, Sendable {
        /// - Parameter isKnown: the broker had kept what came meanwhile
        case online(isKnown: Bool)
        case trouble(BrokerTrouble)
    }

    private static let retrySecondsMax: Int64 = 60
    private static let answerWithin = Duration.seconds(20)
    /// A connection that lasted so long was a good one.
    private static let steadyAfter = Duration.seconds(10)
    private static let troubleAgain = Duration.seconds(600)
    private static let unheardMax = 10_000

    private let login: BrokerLogin
    private let clock = SystemClock()
    private var handle: BrokerHandle?
    private var lookup: NameLookup?
    private var outgoing: [(topic: String, payload: [UInt8])] = []
    private var news: [News] = []
    private var told: (trouble: BrokerTrouble, at: Duration)?
    public private(set) var state = State.waiting
    /// Why it is not online; nil when it is, or was never tried.
    public private(set) var trouble: BrokerTrouble?
    private var failures: Int64 = 0
    private var nextTry = Duration.zero
    private var since = Duration.zero
    private var nextCare = Duration.zero
    /// The connection stands: whether it can be written says nothing any more.
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
        let due = state == .waiting ? nextTry : nextCare
        return max(0, min(1000, Int((due - clock.monotonic).milliseconds) + 1))
    }

    // MARK: The turn

    /// Reads what came. It is acknowledged by the next ``flush()``.
    ///
    /// - Parameter limit: about so many at most; the rest comes next time
    public func drain(limit: Int = 256) -> [BrokerMessage] {
        proceed()
        guard let handle else { return [] }
        var end: BrokerTrouble?
        while end == nil, handle.messageCount < limit, handle.hasInput { end = handle.read() }
        let messages = handle.takeMessages()
        if let end { lose(end) } else { greet(handle) }
        return messages
    }

    /// Whether what is published goes anywhere.
    public var isOnline: Bool { state == .online }

    /// Leaves with the next ``flush()``; nothing is kept for a time when there is a connection.
    public func publish(_ payload: [UInt8], to topic: String) {
        guard isOnline else { return }
        outgoing.append((topic, payload))
    }

    /// Acknowledges everything that was drained, and sends what was published: to be called after
    /// COMMIT.
    public func flush() {
        guard let handle else { return }
        for message in outgoing where handle.unheardCount < BrokerLink.unheardMax {
            _ = handle.publish(message.payload, to: message.topic)
        }
        outgoing.removeAll(keepingCapacity: true)
        guard handle.wantsToWrite else { return }
        if let end = handle.write() { lose(end) }
    }

    /// Ends the connection without acknowledging what was drained since the last ``flush()``; the
    /// broker sends it again.
    ///
    /// - Parameter pause: before the next connection
    public func cut(for pause: Duration = .seconds(1)) {
        guard handle != nil else { return }
        drop()
        state = .waiting
        nextTry = max(nextTry, clock.monotonic + pause)
    }

    /// Says goodbye. The broker goes on keeping what comes.
    public func stop() {
        if let handle, isOnline {
            handle.disconnect()
            _ = handle.write()
        }
        drop()
        state = .stopped
    }

    /// What happened since the last call. A trouble that stays is told every ten minutes.
    public func takeNews() -> [News] {
        defer { news.removeAll() }
        return news
    }

    // MARK: Making a connection

    private func proceed() {
        let now = clock.monotonic
        switch state {
        case .waiting: if now >= nextTry { begin(now) }
        case .resolving: resolve(now)
        case .connecting:
            if now - since > BrokerLink.answerWithin { lose(.slow) } else { care(now) }
        case .online: care(now)
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
            lose(.unusable(error.message))
        }
    }

    /// The broker's certificate names its host, so that name is what an encrypted connection needs;
    /// it is looked up once more then, by a name server that has just answered.
    private func resolve(_ now: Duration) {
        if now - since > BrokerLink.answerWithin { lookup?.giveUp() }
        nextCare = now + .seconds(1)
        guard let found = lookup?.addresses() else { return }
        lookup = nil
        guard !found.isEmpty else { return lose(.unknownHost) }
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
            nextCare = now
            if let end = handle.connect(to: host, port: login.address.port) { lose(end) }
        } catch {
            lose(error)
        }
    }

    private func care(_ now: Duration) {
        guard let handle, now >= nextCare else { return }
        nextCare = now + .seconds(1)
        if let end = handle.keepAlive() { lose(end) }
    }

    /// Subscribes once the broker took us, and is online once it agreed.
    private func greet(_ handle: BrokerHandle) {
        guard state == .connecting else { return }
        if !isReached, handle.canWrite { isReached = true }
        guard let welcome = handle.welcome else { return }
        if !hasSubscribed {
            hasSubscribed = true
            guard handle.subscribe(to: login.subscriptions) else { return lose(.notAllowed) }
        }
        guard let isAllowed = handle.isAllowed else { return }
        guard isAllowed else { return lose(.notAllowed) }
        state = .online
        since = clock.monotonic
        trouble = nil
        told = nil
        news.append(.online(isKnown: welcome.isKnown))
    }

    private func lose(_ reason: BrokerTrouble) {
        let now = clock.monotonic
        if state == .online, now - since > BrokerLink.steadyAfter { failures = 0 }
        drop()
        state = .waiting
        trouble = reason
        failures += 1
        let seconds = min(BrokerLink.retrySecondsMax, 1 << min(failures - 1, 6))
        nextTry = now + .seconds(seconds)
        if let told, told.trouble == reason, now - told.at < BrokerLink.troubleAgain { return }
        told = (reason, now)
        news.append(.trouble(reason))
    }

    private func drop() {
        handle = nil
        lookup = nil
        outgoing.removeAll()
    }
}
