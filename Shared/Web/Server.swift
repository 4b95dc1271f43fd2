import CMicroHTTPD
import Glibc
import Model
import Runtime

/// HTTP/1.1 server in the loop of its service.
///
/// In one turn of the loop, ``drain()`` returns the complete requests, whose connections are
/// suspended; the service handles them and commits; ``answer(_:_:)`` sets the responses, and
/// ``flush()`` sends them. A response is never sent before its effects are on disk.
///
/// Requests with an invalid size, method or header are answered here and never reach the service.
/// Not thread-safe: everything runs on the thread of the loop.
public final class Server: Pollable {
    /// The port it listens on; if 0 was requested, the assigned one.
    public let port: Int

    let intake: Intake
    private var daemon: OpaquePointer?
    private var descriptor: Int32 = -1
    private var deadlines = Deadlines()

    /// Opens the port.
    ///
    /// - Parameters:
    ///   - address: numeric IPv4 address of this machine; `0.0.0.0` = all of them
    ///   - port: 0 = any free port
    /// - Throws: ``WebError`` with reason `portInUse`, `badAddress` or `system`
    public init(
        address: String = "127.0.0.1", port: Int, limits: ServerLimits = ServerLimits()
    ) throws(WebError) {
        let listening = try Listener.open(address: address, port: port)
        self.port = listening.port
        intake = Intake(limits: limits)
        daemon = cmhd_start(
            listening.socket, Intake.acceptPolicy, Intake.connection, Intake.handle,
            Intake.complete,
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
                message: "libmicrohttpd could not be started",
                hint: "Check the limit of open files (`ulimit -n`).")
        }
    }

    deinit { stop() }

    /// Number of requests that wait for a response.
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

    /// Reads and writes whatever is ready.
    ///
    /// - Returns: complete requests for one turn: all with small bodies, or some with large ones.
    ///   Each must be answered once within ``ServerLimits/answerSeconds``.
    public func drain() -> [Request] {
        guard let daemon else { return [] }
        for id in deadlines.removeDue() where intake.waiting[id] != nil {
            answer(id, .problem(.unavailable("the service did not respond in time")))
        }
        intake.connections.closeExpired()
        var rounds = 0
        var openedBefore = 0
        repeat {
            // The library accepts ten connections per run, so run it until none are waiting.
            openedBefore = intake.connections.openedCount
            MHD_run(daemon)
            rounds += 1
        } while intake.connections.openedCount - openedBefore >= 10 && rounds < 32
        let requests = intake.popArrived()
        if !requests.isEmpty {
            deadlines.append(requests.lazy.map(\.id), in: .seconds(intake.limits.answerSeconds))
        }
        return requests
    }

    /// Sets the check for known senders, called with the header of a request with a large body.
    /// Large bodies of unknown senders get less room and time.
    public func identifySenders(_ isKnown: @escaping (Request) -> Bool) {
        intake.isSenderKnown = isKnown
    }

    /// Answers a request; ``flush()`` sends the response.
    ///
    /// Ignores ids that were answered, timed out, or whose client is gone.
    public func answer(_ id: UInt64, _ response: Response) {
        guard let exchange = intake.waiting.removeValue(forKey: id) else { return }
        exchange.state = .answered(response)
        exchange.since = intake.connections.now
        MHD_resume_connection(exchange.connection)
    }

    /// Streams a response: `begin` once, then pieces, then `end` or `cut`.
    ///
    /// Ignores ids whose response has ended or whose client is gone.
    public func stream(_ id: UInt64, _ step: StreamStep) {
        guard case .begin(let response) = step else {
            intake.streams[id]?.apply(step)
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

    /// Bytes of a streamed response that are not sent yet; nil if the client is gone or has
    /// everything.
    public func unsentBytes(of id: UInt64) -> Int? { intake.streams[id]?.unsentBytes }

    /// Sends the responses.
    public func flush() {
        // The library serves resumed connections only in the next run.
        if let daemon { MHD_run(daemon) }
    }

    /// Answers waiting requests with 503, sends the responses, and closes all connections.
    public func stop() {
        guard let daemon else { return }
        intake.isStopping = true
        for id in intake.waiting.keys.sorted() {
            answer(id, .problem(.unavailable("the service is stopping")))
        }
        for stream in intake.streams.values { stream.apply(.cut) }
        MHD_run(daemon)
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }
}
