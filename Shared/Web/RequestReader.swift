import CMicroHTTPD
import Runtime

/// Parses and validates the header of a request.
struct RequestReader {
    let limits: ServerLimits

    /// Fills the exchange's request from the connection.
    ///
    /// - Returns: the response to an invalid request, which the service never sees; nil if it is
    ///   valid
    func read(_ method: String, into exchange: Exchange) -> Response? {
        let (headers, headerBytes) = readHeaders(of: exchange.connection)
        exchange.request.headers = headers
        exchange.request.trace = trace(headers["X-Request-Id"])
        exchange.request.remote = remote(of: exchange.connection, headers)
        exchange.bodyBytesMax = limits.bodyBytes(of: exchange.request.path)
        if exchange.target.utf8.count > limits.targetBytes {
            return problem(414, "URI too long", "path and query are too long")
        }
        if headerBytes > limits.headerBytes {
            return problem(
                431, "Header too large", "the header is larger than \(limits.headerBytes) bytes")
        }
        guard let known = method == "HEAD" ? .get : Method(rawValue: method) else {
            return problem(501, "Unknown method", "this server does not support \(method)")
        }
        exchange.request.method = known
        if exchange.target == "*", known == .options {
            return Response(
                status: 204,
                headers: [
                    "Allow": "HEAD, " + Method.allCases.map(\.rawValue).joined(separator: ", ")
                ]
            )
        }
        guard exchange.request.path.hasPrefix("/") else {
            return problem(400, "Invalid request", "the path does not start with a slash")
        }
        if RequestReader.isAmbiguous(headers) {
            return problem(
                400, "Invalid request", "the length of the body is ambiguous")
        }
        if let coding = headers["Content-Encoding"], !equalIgnoringCase(coding, "identity"),
            exchange.request.path.hasPrefix("/v1/"),
            !limits.unreadBodyPaths.contains(exchange.request.path)
        {
            return .problem(
                Problem(
                    status: 415, title: "Unsupported encoding",
                    detail: "this server does not support Content-Encoding",
                    hint: "send the body unencoded, without Content-Encoding"))
        }
        return nil
    }

    /// Whether two parsers may disagree about the end of the request (request smuggling).
    static func isAmbiguous(_ headers: Headers) -> Bool {
        var lengths = 0
        var codings = 0
        var isChunked = true
        for field in headers {
            switch field.name.utf8.count {
            case 14 where equalIgnoringCase(field.name, "Content-Length"): lengths += 1
            case 17 where equalIgnoringCase(field.name, "Transfer-Encoding"):
                codings += 1
                isChunked = equalIgnoringCase(field.value, "chunked")
            default: break
            }
            if let last = field.name.utf8.last, last == 0x20 || last == 0x09 { return true }
        }
        return lengths + codings > 1 || !isChunked
    }

    private func problem(_ status: Int, _ title: String, _ detail: String) -> Response {
        .problem(Problem(status: status, title: title, detail: detail))
    }

    private func readHeaders(of connection: OpaquePointer) -> (Headers, bytes: Int) {
        final class Collected {
            var headers = Headers(capacity: 8)
            var bytes = 0
        }
        let collected = Collected()
        MHD_get_connection_values(
            connection, .HEADER_KIND,
            { context, _, name, value in
                let collected = Unmanaged<Collected>.fromOpaque(context!).takeUnretainedValue()
                let name = name.map { String(cString: $0) } ?? ""
                let value = value.map { String(cString: $0) } ?? ""
                collected.bytes += name.utf8.count + value.utf8.count + 4
                collected.headers.append(name, value)
                return .YES
            }, Unmanaged.passUnretained(collected).toOpaque())
        return (collected.headers, collected.bytes)
    }

    /// Returns the client's id if it is safe for log lines, else a random one.
    private func trace(_ sent: String?) -> String {
        if let sent, (1...64).contains(sent.utf8.count), sent.utf8.allSatisfy(isTraceByte) {
            return sent
        }
        return SecureRandom.id().text
    }

    private func isTraceByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns the peer's address, or for a trusted proxy the last one in its `X-Forwarded-For`.
    private func remote(of connection: OpaquePointer, _ headers: Headers) -> String {
        let peer = addressText(cmhd_client_address(connection))
        guard limits.proxies.contains(peer), let list = headers.last("X-Forwarded-For"),
            let last = list.split(separator: ",").last
        else { return peer }
        let address = last.drop { $0 == " " }.prefix { $0 != " " }
        return address.isEmpty || address.utf8.count > 45 ? peer : String(address)
    }
}
