import CMicroHTTPD
import Glibc

/// The open connections of a server, and how long each may still take for what it does.
///
/// The HTTP library closes a connection on which nothing happens. A client that sends a byte now
/// and then keeps it for ever, and enough of them keep everybody else out. So a header and a body
/// have to be there in time, and where room gets scarce those go that have asked nothing longest.
/// A request that its service has is never cut, but a reader who does not take the answer is.
final class Connections {
    typealias Instant = ContinuousClock.Instant

    /// One connection, which the library holds as long as it is open.
    final class Entry {
        let descriptor: Int32
        /// Nil for a proxy, behind which many clients are.
        let address: String?
        /// The request that comes in or is answered.
        var exchange: Exchange?
        /// Since when it has none.
        var idleSince: Instant
        fileprivate var place = 0
        fileprivate var isCut = false

        init(descriptor: Int32, address: String?, now: Instant) {
            self.descriptor = descriptor
            self.address = address
            idleSince = now
        }
    }

    /// When the present turn began: exact enough for limits of seconds.
    private(set) var now = ContinuousClock().now
    /// Connections that were closed here, so far.
    private(set) var cutCount = 0
    /// Connections that were opened, so far.
    private(set) var openedCount = 0
    private let limits: ServerLimits
    private var entries: [Entry] = []
    private var countsByAddress: [String: Int] = [:]
    private var lastLook = ContinuousClock().now

    init(limits: ServerLimits) { self.limits = limits }

    var count: Int { entries.count }

    /// Whether somebody from there may have one more.
    func isWelcome(_ address: String) -> Bool {
        limits.proxies.contains(address)
            || countsByAddress[address, default: 0] < limits.connectionsPerAddress
    }

    func open(_ descriptor: Int32, from address: String) -> Entry {
        let isProxy = limits.proxies.contains(address)
        let entry = Entry(descriptor: descriptor, address: isProxy ? nil : address, now: now)
        if !isProxy { countsByAddress[address, default: 0] += 1 }
        openedCount += 1
        entry.place = entries.count
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
            entries[entry.place] = last
            last.place = entry.place
        }
    }

    /// Until ``look()`` may have something to do; nil without connections.
    var waitMilliseconds: Int? { entries.isEmpty ? nil : 1000 }

    /// Closes those whose time is over, once a second, and when there are too many, those that have
    /// asked nothing for longest.
    func look() {
        now = ContinuousClock().now
        let isFull = entries.count >= limits.connections - limits.connections / 8
        guard isFull || now - lastLook >= .seconds(1) else { return }
        lastLook = now
        for entry in entries where !entry.isCut {
            noteReader(entry)
            if let due = due(entry), due <= now { cut(entry) }
        }
        if isFull { makeRoom() }
    }

    /// The time of a reader who has everything begins anew.
    private func noteReader(_ entry: Entry) {
        guard let exchange = entry.exchange, case .streaming(_, let stream) = exchange.state
        else { return }
        if stream.catchUp() { exchange.since = now }
    }

    /// When it has to be further than now; nil while that is not its client's to say.
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
        case .streaming(_, let stream): after(limits.behindSeconds, and: stream.takenBytes)
        case .waiting: nil
        }
    }

    /// A quarter of all may be used anew.
    private func makeRoom() {
        let surplus = entries.count - (limits.connections - limits.connections / 4)
        let open = entries.filter { !$0.isCut && $0.isUnasked }
        let order = open.sorted {
            // Behind a proxy may be anybody: its connections go last.
            ($0.address == nil ? 1 : 0, $0.waitingSince) < (
                $1.address == nil ? 1 : 0, $1.waitingSince
            )
        }
        for entry in order.prefix(max(0, surplus)) { cut(entry) }
    }

    /// The library finds it at its end and closes it.
    private func cut(_ entry: Entry) {
        entry.isCut = true
        cutCount += 1
        shutdown(entry.descriptor, Int32(SHUT_RDWR))
    }
}

extension Connections.Entry {
    /// Nothing that a service knows of goes on here.
    fileprivate var isUnasked: Bool {
        switch exchange?.state {
        case nil, .begun, .reading, .refused: true
        case .waiting, .answered, .streaming: false
        }
    }

    fileprivate var waitingSince: Connections.Instant { exchange?.since ?? idleSince }
}
