import CMicroHTTPD
import Glibc
import Model
import Runtime

/// HTTP/1.1 on one address, in the loop of its service.
///
/// One turn of the loop: ``drain()`` gives the complete requests, whose connections are then
/// suspended; the service decides and commits; ``answer(_:_:)`` gives each its answer; ``flush()``
/// sends them. So an answer never leaves before what it promises is on disk.
///
/// What is wrong with a request as such (size, method, header) is answered here and reaches no
/// service. Not thread-safe: everything happens on the thread of the loop.
public final class Server: Pollable {
    /// Where it listens; the chosen one when 0 was asked for.
    public let port: Int

    let intake: Intake
    private var daemon: OpaquePointer?
    private var descriptor: Int32 = -1
    private var deadlines = Deadlines()

    /// Opens the port.
    ///
    /// - Parameters:
    ///   - address: a numeric IPv4 address of this machine, `0.0.0.0` for all of them.
    ///   - port: 0 = any that is free.
    /// - Throws: `portInUse`, `badAddress` or `system`, each naming the address and port.
    public init(
        address: String = "127.0.0.1", port: Int, limits: ServerLimits = ServerLimits()
    ) throws(WebError) {
        let listening = try Listener.open(address: address, port: port)
        self.port = listening.port
        intake = Intake(limits: limits)
        daemon = cmhd_start(
            listening.socket, Intake.welcome, Intake.connection, Intake.handle, Intake.complete,
            Intake.begin,
            Unmanaged.passUnretained(intake).toOpaque(),
            cmhd_limits(
                connections: UInt32(limits.connections), idle_seconds: UInt32(limits.idleSeconds),
                connection_memory: limits.connectionMemoryBytes))
        descriptor = daemon.map { cmhd_epoll_fd($0) } ?? -1
        guard daemon != nil, descriptor >= 0 else {
            close(listening.socket)
            throw WebError(
                .system, operation: "serve \(address):\(listening.port)",
                message: "the HTTP library did not start",
                hint: "look at the limit of open files (`ulimit -n`)")
        }
    }

    deinit { stop() }

    /// Requests that wait for an answer.
    public var waitingCount: Int { intake.waiting.count }

    public func appendPollItems(to items: inout [PollItem]) {
        guard daemon != nil else { return }
        items.append(PollItem(descriptor: descriptor))
    }

    public var waitMilliseconds: Int? {
        guard let daemon else { return nil }
        if intake.hasArrived { return 0 }
        var library: CUnsignedLongLong = 0
        let libraryWait =
            MHD_get_timeout(daemon, &library) == .YES
            ? Int(clamping: library) : nil
        return [libraryWait, deadlines.waitMilliseconds, intake.connections.waitMilliseconds]
            .compactMap(\.self).min()
    }

    /// Reads and writes what is ready.
    ///
    /// - Returns: requests that are complete, as many as one turn may take: those with small
    ///   bodies, or some with large ones. Each is to be answered once, at any later time within
    ///   ``ServerLimits/answerSeconds``.
    public func drain() -> [Request] {
        guard let daemon else { return [] }
        for id in deadlines.removeDue() where intake.waiting[id] != nil {
            answer(id, .problem(.unavailable("the service did not answer in time")))
        }
        intake.connections.look()
        var rounds = 0
        var openedBefore = 0
        repeat {
            // The library accepts ten connections a run; whoever is behind them waits no longer.
            openedBefore = intake.connections.openedCount
            MHD_run(daemon)
            rounds += 1
        } while intake.connections.openedCount - openedBefore >= 10 && rounds < 32
        let requests = intake.takeArrived()
        if !requests.isEmpty {
            deadlines.append(requests.lazy.map(\.id), in: .seconds(intake.limits.answerSeconds))
        }
        return requests
    }

    /// Lets the service say whose large bodies it reads gladly: of a request whose header is there,
    /// whether it knows the sender. Others get little room and little time.
    public func identifySenders(_ isKnown: @escaping (Request) -> Bool) {
        intake.isSenderKnown = isKnown
    }

    /// Gives a request its answer, which leaves with ``flush()``.
    ///
    /// An id that was answered, whose time is over or whose client is gone is ignored.
    public func answer(_ id: UInt64, _ response: Response) {
        guard let exchange = intake.waiting.removeValue(forKey: id) else { return }
        exchange.state = .answered(response)
        exchange.since = intake.connections.now
        MHD_resume_connection(exchange.connection)
    }

    /// Gives a request an answer piece by piece: `begin` once, then pieces, then an end.
    ///
    /// An id whose answer has ended or whose client is gone is ignored.
    public func stream(_ id: UInt64, _ step: StreamStep) {
        guard case .begin(let response) = step else {
            intake.streams[id]?.take(step)
            return
        }
        guard let exchange = intake.waiting.removeValue(forKey: id) else { return }
        let stream = BodyStream(
            connection: exchange.connection, first: response.body,
            unsentBytesMax: intake.limits.unsentBytes)
        intake.streams[id] = stream
        exchange.state = .streaming(response, stream)
        exchange.since = intake.connections.now
        MHD_resume_connection(exchange.connection)
    }

    /// Bytes of an answer's body that were given to ``stream(_:_:)`` and could not be sent yet; nil
    /// when the client is gone or has everything.
    public func unsentBytes(of id: UInt64) -> Int? { intake.streams[id]?.unsentBytes }

    /// Sends what was answered.
    public func flush() {
        // Resumed connections are served by the next run only.
        if let daemon { MHD_run(daemon) }
    }

    /// Answers what waits with 503, sends that, and closes everything.
    public func stop() {
        guard let daemon else { return }
        intake.isStopping = true
        for id in intake.waiting.keys.sorted() {
            answer(id, .problem(.unavailable("the service stops")))
        }
        for stream in intake.streams.values { stream.take(.cut) }
        MHD_run(daemon)
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }
}
