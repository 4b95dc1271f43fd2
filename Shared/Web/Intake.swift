import CMicroHTTPD
import Model

/// What the HTTP library calls while it reads: it collects requests until they are complete,
/// suspends their connections, and sends the answers.
///
/// The library holds each ``Exchange`` as its request's context, from the first line to completion.
final class Intake {
    let limits: ServerLimits
    /// Exchanges that a service has and that it did not answer yet.
    var waiting: [UInt64: Exchange] = [:]
    /// Bodies that are on their way piece by piece.
    var streams: [UInt64: BodyStream] = [:]
    /// Exchanges that the library holds.
    private(set) var open = 0
    /// Bytes of bodies held by open exchanges.
    private(set) var heldBytes = 0
    /// Nothing goes to the service any more: what becomes complete is answered 503 here.
    var isStopping = false
    let connections: Connections
    /// Whether the header of a request says who sends it; nil = nobody is asked.
    var isSenderKnown: ((Request) -> Bool)?
    private var unknownLarge = UnknownLargeBodies()
    private var arrived: Arrivals

    /// Whether complete requests wait to be taken: `flush()` reads, too.
    var hasArrived: Bool { !arrived.isEmpty }
    private var lastID: UInt64 = 0

    init(limits: ServerLimits) {
        self.limits = limits
        arrived = Arrivals(limits: limits)
        connections = Connections(limits: limits)
    }

    /// The complete requests that are to be done next.
    func takeArrived() -> [Request] { arrived.take() }

    // MARK: - From the library

    private static func of(_ context: UnsafeMutableRawPointer?) -> Intake {
        Unmanaged<Intake>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Somebody wants a connection.
    static let welcome: MHD_AcceptPolicyCallback = { context, address, _ in
        Intake.of(context).connections.isWelcome(addressText(address)) ? .YES : .NO
    }

    /// A connection begins or ends.
    static let connection: MHD_NotifyConnectionCallback = { context, connection, slot, what in
        let connections = Intake.of(context).connections
        guard cmhd_is_start(what) else {
            guard let pointer = slot?.pointee else { return }
            connections.close(Unmanaged<Connections.Entry>.fromOpaque(pointer).takeRetainedValue())
            slot!.pointee = nil
            return
        }
        let entry = connections.open(
            cmhd_descriptor(connection), from: addressText(cmhd_client_address(connection)))
        slot!.pointee = Unmanaged.passRetained(entry).toOpaque()
    }

    private static func entry(of connection: OpaquePointer) -> Connections.Entry? {
        cmhd_socket_context(connection).map {
            Unmanaged<Connections.Entry>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// The first line of a request came: the result becomes the request's context.
    static let begin:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
            -> UnsafeMutableRawPointer? = { context, target, connection in
                let intake = Intake.of(context)
                intake.lastID += 1
                intake.open += 1
                let exchange = Exchange(
                    id: intake.lastID, target: target.map { String(cString: $0) } ?? "",
                    connection: connection!, since: intake.connections.now)
                entry(of: exchange.connection)?.exchange = exchange
                return Unmanaged.passRetained(exchange).toOpaque()
            }

    /// The header is there, a piece of the body is, all of it is, or the connection was resumed.
    static let handle: MHD_AccessHandlerCallback = {
        context, _, _, method, _, upload, uploadBytes, slot in
        let exchange = Unmanaged<Exchange>.fromOpaque(slot!.pointee!).takeUnretainedValue()
        let piece = UnsafeRawBufferPointer(start: upload, count: uploadBytes!.pointee)
        uploadBytes!.pointee = 0
        return Intake.of(context).advance(exchange, method: method, piece)
    }

    /// The answer was sent, or the connection is gone.
    static let complete: MHD_RequestCompletedCallback = { context, _, slot, _ in
        guard let pointer = slot?.pointee else { return }
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
        slot!.pointee = nil
        let intake = Intake.of(context)
        if let entry = entry(of: exchange.connection) {
            entry.exchange = nil
            entry.idleSince = intake.connections.now
        }
        intake.waiting[exchange.id] = nil
        intake.streams[exchange.id] = nil
        intake.open -= 1
        intake.heldBytes -= exchange.heldBytes
        if exchange.isUnknownLarge { intake.unknownLarge.end(exchange) }
    }

    // MARK: - One request

    private func advance(
        _ exchange: Exchange, method: UnsafePointer<CChar>?, _ piece: UnsafeRawBufferPointer
    ) -> MHD_Result {
        switch exchange.state {
        case .begun: return beginReading(exchange, method.map { String(cString: $0) } ?? "")
        case .reading:
            if !piece.isEmpty { return take(piece, exchange) }
            if isStopping { return send(.problem(.unavailable("the service stops")), exchange) }
            exchange.state = .waiting
            waiting[exchange.id] = exchange
            arrived.append(exchange.request)
            exchange.request.body = []
            MHD_suspend_connection(exchange.connection)
            return .YES
        case .refused(let refusal):
            if piece.isEmpty { return send(refusal, exchange) }
            exchange.droppedBytes += piece.count
            return exchange.droppedBytes <= limits.droppedBytes ? .YES : .NO
        case .waiting: return .YES
        case .answered(let response): return send(response, exchange)
        case .streaming(let response, let stream):
            // For HEAD the library would send the end of a chunked body, which is none.
            if exchange.isHead {
                return send(Response(status: response.status, headers: response.headers), exchange)
            }
            return queue(stream.makeMessage(), response, exchange)
        }
    }

    private func beginReading(_ exchange: Exchange, _ method: String) -> MHD_Result {
        exchange.isHead = method == "HEAD"
        if let refusal = RequestReader(limits: limits).read(method, into: exchange) {
            exchange.state = .refused(refusal)
        } else {
            exchange.state = .reading
        }
        let announced =
            exchange.request.headers["Content-Length"].map {
                OutsideNumber.integer($0, in: 0...OutsideNumber.most) ?? OutsideNumber.most
            } ?? 0
        exchange.announcedBytes = announced
        if announced > exchange.bodyBytesMax {
            refuseBody(exchange)
        } else if announced > limits.smallBodyBytes(of: exchange.request.path),
            case .reading = exchange.state, let problem = admitLarge(exchange, announced)
        {
            // Told at once: whoever sends slowly would keep the connection until the end.
            refuse(exchange, problem)
            return send(.problem(problem), exchange)
        }
        guard case .refused(let refusal) = exchange.state else { return .YES }
        // What follows is not looked at: the connection ends with this answer.
        if RequestReader.isAmbiguous(exchange.request.headers) { return send(refusal, exchange) }
        guard announced > 0 else { return .YES }
        // Without having read the body the connection cannot be used again. A client that asks
        // first is told at once; another one hears the refusal only after it has sent its body.
        let asks = exchange.request.headers["Expect"] != nil
        return asks || announced > limits.droppedBytes ? send(refusal, exchange) : .YES
    }

    private func take(_ piece: UnsafeRawBufferPointer, _ exchange: Exchange) -> MHD_Result {
        let bytes = exchange.heldBytes + piece.count
        if bytes > exchange.bodyBytesMax {
            refuseBody(exchange)
        } else if heldBytes + piece.count > limits.heldBytes,
            bytes > limits.smallBodyBytes(of: exchange.request.path)
        {
            refuse(exchange, .unavailable("too many large requests at once"))
        } else if bytes > limits.smallBodyBytes(of: exchange.request.path),
            !exchange.isLargeAdmitted, let problem = admitLarge(exchange, bytes)
        {
            refuse(exchange, problem)
        } else {
            heldBytes += piece.count
            exchange.heldBytes = bytes
            if bytes > limits.smallBodyBytes, exchange.request.body.capacity < bytes {
                // It is no longer small: room for all of it at once, and nothing is copied again.
                exchange.request.body.reserveCapacity(max(bytes * 2, exchange.announcedBytes))
            }
            exchange.request.body.append(contentsOf: piece)
        }
        return .YES
    }

    /// Why a large body is not read now: too many of senders who are not known come in.
    private func admitLarge(_ exchange: Exchange, _ bytes: Int) -> Problem? {
        exchange.isLargeAdmitted = true
        guard let isSenderKnown, !isSenderKnown(exchange.request) else { return nil }
        return unknownLarge.begin(exchange, bytes: bytes, limits)
            ? nil
            : .unavailable(
                "too many large requests without valid credentials in their header",
                retryAfterSeconds: 5)
    }

    private func refuseBody(_ exchange: Exchange) {
        refuse(exchange, .tooLarge(limitBytes: exchange.bodyBytesMax))
    }

    private func refuse(_ exchange: Exchange, _ problem: Problem) {
        if case .refused = exchange.state { return }
        exchange.state = .refused(.problem(problem))
        exchange.request.body = []
        heldBytes -= exchange.heldBytes
        exchange.heldBytes = 0
    }

    private func send(_ response: Response, _ exchange: Exchange) -> MHD_Result {
        let message = response.body.withUnsafeBytes { body in
            MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress),
                .RESPMEM_MUST_COPY)
        }
        return queue(message, response, exchange)
    }

    private func queue(
        _ message: OpaquePointer?, _ response: Response, _ exchange: Exchange
    ) -> MHD_Result {
        guard let message else { return .NO }
        defer { MHD_destroy_response(message) }
        for field in response.headers { add(field.name, field.value, to: message) }
        add("X-Request-Id", exchange.request.trace, to: message)
        if response.headers["Cache-Control"] == nil {
            add("Cache-Control", "no-store", to: message)
        }
        return MHD_queue_response(exchange.connection, UInt32(response.status), message)
    }

    /// Without the arrays of bytes that texts are made into where they are given to C as they are.
    private func add(_ name: String, _ value: String, to message: OpaquePointer) {
        name.withCString { name in
            value.withCString { value in _ = MHD_add_response_header(message, name, value) }
        }
    }
}

/// The large bodies that come in of senders who are not known.
private struct UnknownLargeBodies {
    private var counts: [String: Int] = [:]
    private var bytes = 0

    /// - Returns: false if there is no room for it
    mutating func begin(_ exchange: Exchange, bytes: Int, _ limits: ServerLimits) -> Bool {
        let address = exchange.request.remote
        guard counts[address, default: 0] < limits.unknownLargeBodiesPerAddress,
            self.bytes + bytes <= limits.unknownHeldBytes
        else { return false }
        counts[address, default: 0] += 1
        self.bytes += bytes
        exchange.isUnknownLarge = true
        exchange.unknownBytes = bytes
        return true
    }

    mutating func end(_ exchange: Exchange) {
        let address = exchange.request.remote
        let count = counts[address, default: 0]
        counts[address] = count > 1 ? count - 1 : nil
        bytes -= exchange.unknownBytes
    }
}
