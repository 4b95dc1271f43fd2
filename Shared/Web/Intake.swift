import CMicroHTTPD
import Model

/// Callbacks of the HTTP library: collects requests until they are complete, suspends their
/// connections, and sends the responses.
///
/// The library owns each ``Exchange`` as context of its request, from the request line to
/// completion.
final class Intake {
    let limits: ServerLimits
    /// Exchanges that the service has not answered yet.
    var waiting: [UInt64: Exchange] = [:]
    /// Bodies of streamed responses.
    var streams: [UInt64: BodyStream] = [:]
    /// Number of exchanges that the library owns.
    private(set) var open = 0
    /// Bytes of the bodies of open exchanges.
    private(set) var heldBytes = 0
    /// Whether the server is stopping, so that completed requests are answered with 503.
    var isStopping = false
    let connections: Connections
    /// Returns whether the sender of a request is known by its header; nil = all count as known.
    var isSenderKnown: ((Request) -> Bool)?
    private var unknownLarge = UnknownLargeBodies()
    private var arrived: Arrivals

    /// Whether there are complete requests, which `flush()` may have read, too.
    var hasArrived: Bool { !arrived.isEmpty }
    private var lastID: UInt64 = 0

    init(limits: ServerLimits) {
        self.limits = limits
        arrived = Arrivals(limits: limits)
        connections = Connections(limits: limits)
    }

    /// Returns the complete requests of the next turn.
    func popArrived() -> [Request] { arrived.pop() }

    // MARK: - From the library

    private static func of(_ context: UnsafeMutableRawPointer?) -> Intake {
        Unmanaged<Intake>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Accepts or rejects a new connection.
    static let acceptPolicy: MHD_AcceptPolicyCallback = { context, address, _ in
        Intake.of(context).connections.accepts(addressText(address)) ? .YES : .NO
    }

    /// A connection was opened or closed.
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

    /// The request line has arrived; the result becomes the request's context.
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

    /// The header, a piece of the body, or its end has arrived, or the connection was resumed.
    static let handle: MHD_AccessHandlerCallback = {
        context, _, _, method, _, upload, uploadBytes, slot in
        let exchange = Unmanaged<Exchange>.fromOpaque(slot!.pointee!).takeUnretainedValue()
        let piece = UnsafeRawBufferPointer(start: upload, count: uploadBytes!.pointee)
        uploadBytes!.pointee = 0
        return Intake.of(context).advance(exchange, method: method, piece)
    }

    /// The response was sent, or the connection is closed.
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
            if !piece.isEmpty { return receive(piece, exchange) }
            if isStopping {
                return send(.problem(.unavailable("the service is stopping")), exchange)
            }
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
            // For HEAD the library would send the end of a chunked body, although HEAD has none.
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
                UntrustedNumber.integer($0, in: 0...UntrustedNumber.most) ?? UntrustedNumber.most
            } ?? 0
        exchange.announcedBytes = announced
        if announced > exchange.bodyBytesMax {
            refuseBody(exchange)
        } else if announced > limits.smallBodyBytes(of: exchange.request.path),
            case .reading = exchange.state, let problem = admitLarge(exchange, announced)
        {
            // Rejected at once, since a slow sender would keep the connection until the end.
            refuse(exchange, problem)
            return send(.problem(problem), exchange)
        }
        guard case .refused(let refusal) = exchange.state else { return .YES }
        // The rest is not parsed: the connection ends with this response.
        if RequestReader.isAmbiguous(exchange.request.headers) { return send(refusal, exchange) }
        guard announced > 0 else { return .YES }
        // A connection with an unread body cannot be reused. A client that sends Expect gets the
        // rejection at once; another one would read it only after sending its body.
        let expectsContinue = exchange.request.headers["Expect"] != nil
        return expectsContinue || announced > limits.droppedBytes
            ? send(refusal, exchange) : .YES
    }

    private func receive(_ piece: UnsafeRawBufferPointer, _ exchange: Exchange) -> MHD_Result {
        let bytes = exchange.heldBytes + piece.count
        if bytes > exchange.bodyBytesMax {
            refuseBody(exchange)
        } else if heldBytes + piece.count > limits.heldBytes,
            bytes > limits.smallBodyBytes(of: exchange.request.path)
        {
            refuse(exchange, .unavailable("too many concurrent large requests"))
        } else if bytes > limits.smallBodyBytes(of: exchange.request.path),
            !exchange.isLargeAdmitted, let problem = admitLarge(exchange, bytes)
        {
            refuse(exchange, problem)
        } else {
            heldBytes += piece.count
            exchange.heldBytes = bytes
            if bytes > limits.smallBodyBytes, exchange.request.body.capacity < bytes {
                // Reserve the whole size once the body is large, so that it is not copied again.
                exchange.request.body.reserveCapacity(max(bytes * 2, exchange.announcedBytes))
            }
            exchange.request.body.append(contentsOf: piece)
        }
        return .YES
    }

    /// Returns why a large body is not read now: too many of unknown senders are being received.
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

    /// Uses `withCString`, since passing a String to C directly allocates an array.
    private func add(_ name: String, _ value: String, to message: OpaquePointer) {
        name.withCString { name in
            value.withCString { value in _ = MHD_add_response_header(message, name, value) }
        }
    }
}

/// Counts large bodies that are being received from unknown senders.
private struct UnknownLargeBodies {
    private var counts: [String: Int] = [:]
    private var bytes = 0

    /// Adds a body.
    ///
    /// - Returns: false if a limit is reached
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
