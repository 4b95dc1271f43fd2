import CMicroHTTPD
import Glibc

/// Open connections of a server, with timeouts against slow clients.
///
/// The HTTP library closes idle connections only. A client that sends a byte now and then would
/// keep its connection forever, and enough of them would exhaust the limit. Headers and bodies
/// therefore have deadlines, and near the limit the connections that have been idle longest are
/// closed. A request that the service is handling is never aborted; a client that does not read its
/// response is.
final class Connections {
    typealias Instant = ContinuousClock.Instant

    /// One connection, owned by the library as long as it is open.
    final class Entry {
        let descriptor: Int32
        /// Nil for a proxy, which serves many clients.
        let address: String?
        /// The current request.
        var exchange: Exchange?
        /// Since when there is no request.
        var idleSince: Instant
        fileprivate var index = 0
        fileprivate var isCut = false

        init(descriptor: Int32, address: String?, now: Instant) {
            self.descriptor = descriptor
            self.address = address
            idleSince = now
        }
    }

    /// Start of the current turn, which is precise enough for limits of seconds.
    private(set) var now = ContinuousClock().now
    /// Number of connections closed by these timeouts.
    private(set) var cutCount = 0
    /// Number of connections opened.
    private(set) var openedCount = 0
    private let limits: ServerLimits
    private var entries: [Entry] = []
    private var countsByAddress: [String: Int] = [:]
    private var lastCheck = ContinuousClock().now

    init(limits: ServerLimits) { self.limits = limits }

    var count: Int { entries.count }

    /// Whether an address may open one more connection.
    func accepts(_ address: String) -> Bool {
        limits.proxies.contains(address)
            || countsByAddress[address, default: 0] < limits.connectionsPerAddress
    }

    func open(_ descriptor: Int32, from address: String) -> Entry {
        let isProxy = limits.proxies.contains(address)
        let entry = Entry(descriptor: descriptor, address: isProxy ? nil : address, now: now)
        if !isProxy { countsByAddress[address, default: 0] += 1 }
        openedCount += 1
        entry.index = entries.count
        entries.append(entry)
        return entry
    }

    func close(_ entry: Entry) {
        entry.exchange = nil
        if let address = entry.address, let count = countsByAddress[address] {
            countsByAddress[address] = count > 1 ? count - 1 : nil
        }
        let last = entries.removeLast()
        if last !== entry {
            entries[entry.index] = last
            last.index = entry.index
        }
    }

    /// Time until the next ``closeExpired()``; nil without connections.
    var waitMilliseconds: Int? { entries.isEmpty ? nil : 1000 }

    /// Closes connections whose deadline has passed, once a second, and near the limit those that
    /// have been idle longest.
    func closeExpired() {
        now = ContinuousClock().now
        let isFull = entries.count >= limits.connections - limits.connections / 8
        guard isFull || now - lastCheck >= .seconds(1) else { return }
        lastCheck = now
        for entry in entries where !entry.isCut {
            updateReader(entry)
            if let due = due(entry), due <= now { cut(entry) }
        }
        if isFull { makeRoom() }
    }

    /// Restarts the timeout of a client that has read everything.
    private func updateReader(_ entry: Entry) {
        guard let exchange = entry.exchange, case .streaming(_, let stream) = exchange.state
        else { return }
        if stream.catchUp() { exchange.since = now }
    }

    /// The deadline of the client's next progress; nil while the service is handling the request.
    private func due(_ entry: Entry) -> Instant? {
        guard let exchange = entry.exchange else {
            return entry.idleSince + .seconds(limits.idleSeconds)
        }
        func after(_ seconds: Int, and bytes: Int) -> Instant {
            exchange.since + .seconds(seconds + bytes / limits.bytesPerSecond)
        }
        return switch exchange.state {
        case .begun: after(limits.headerSeconds, and: 0)
        case .reading where exchange.isUnknownLarge:
            exchange.since
                + .seconds(
                    limits.unknownBodySeconds
                        + exchange.heldBytes / limits.unknownBytesPerSecond)
        case .reading, .refused:
            after(limits.bodySeconds, and: exchange.heldBytes + exchange.droppedBytes)
        case .answered(let response): after(limits.idleSeconds, and: response.body.count)
        case .streaming(_, let stream): after(limits.behindSeconds, and: stream.readBytes)
        case .waiting: nil
        }
    }

    /// Closes idle connections until a quarter of the limit is free.
    private func makeRoom() {
        let surplus = entries.count - (limits.connections - limits.connections / 4)
        let open = entries.filter { !$0.isCut && $0.isUnattended }
        let order = open.sorted {
            // A proxy serves many clients, so its connections are closed last.
            ($0.address == nil ? 1 : 0, $0.waitingSince) < (
                $1.address == nil ? 1 : 0, $1.waitingSince
            )
        }
        for entry in order.prefix(max(0, surplus)) { cut(entry) }
    }

    /// Shuts the socket down; the library then closes the connection.
    private func cut(_ entry: Entry) {
        entry.isCut = true
        cutCount += 1
        shutdown(entry.descriptor, Int32(SHUT_RDWR))
    }
}

extension Connections.Entry {
    /// Whether the service knows no request of this connection.
    fileprivate var isUnattended: Bool {
        switch exchange?.state {
        case nil, .begun, .reading, .refused: true
        case .waiting, .answered, .streaming: false
        }
    }

    fileprivate var waitingSince: Connections.Instant { exchange?.since ?? idleSince }
}
