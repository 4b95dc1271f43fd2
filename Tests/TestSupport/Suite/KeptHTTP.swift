import Foundation
import Glibc
import Parsing

/// An HTTP client with a persistent connection, for tests with thousands of requests.
public final class KeptHTTP {
    private let port: Int
    private var descriptor: Int32 = -1
    /// Bytes after the last response.
    private var rest: [UInt8] = []
    /// Timeout of a response, milliseconds.
    public var timeout = 20_000

    public init(port: Int) { self.port = port }

    deinit { hangUp() }

    /// Sends a request to 127.0.0.1 and reads the response; for an event stream only its header.
    ///
    /// - Parameter headers: in addition to `Host` and `Content-Length`
    /// - Throws: ``TestFailure`` if there is no complete response
    public func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) throws -> PlainHTTP.Answer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        if !body.isEmpty || method != "GET" { head += "Content-Length: \(body.count)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let request = Array((head + "\r\n").utf8) + body
        // The server may have closed the connection in the meantime; then nothing comes back.
        if descriptor >= 0, let answer = try? exchange(request) { return answer }
        hangUp()
        try connect()
        return try exchange(request)
    }

    private func connect() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(4))
        guard withLoopback(port, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            hangUp()
            throw TestFailure("nobody listens on port \(port)")
        }
    }

    private func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        rest = []
    }

    private func exchange(_ request: [UInt8]) throws -> PlainHTTP.Answer {
        var out = request[...]
        while !out.isEmpty {
            let count = out.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            out = out.dropFirst(count)
        }
        var bytes = rest
        rest = []
        while true {
            if let answer = try answer(in: bytes) {
                if answer.headers["connection"]?.lowercased() == "close" { hangUp() }
                return answer
            }
            var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&place, 1, Int32(timeout)) > 0 else { throw failure("is late") }
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { throw failure("is cut off") }
            bytes += chunk[..<count]
        }
    }

    private func failure(_ problem: String) -> TestFailure {
        hangUp()
        return TestFailure("the answer of port \(port) \(problem)")
    }

    /// The response, if it is complete.
    private func answer(in bytes: [UInt8]) throws -> PlainHTTP.Answer? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else {
            throw failure("begins with \(lines[0])")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let body = bytes[end.upperBound...]
        if status < 200 {
            return try answer(in: Array(body))
        }
        if headers["content-type"]?.hasPrefix("text/event-stream") == true {
            hangUp()
            return PlainHTTP.Answer(status: status, headers: headers, body: Array(body))
        }
        if headers["transfer-encoding"] == "chunked" {
            guard let (whole, behind) = unchunked(body) else { return nil }
            rest = Array(behind)
            return PlainHTTP.Answer(status: status, headers: headers, body: whole)
        }
        let length =
            [204, 304].contains(status) ? 0 : headers["content-length"].flatMap { Int($0) }
        guard let length else { throw failure("has no length") }
        guard body.count >= length else { return nil }
        rest = Array(body.dropFirst(length))
        return PlainHTTP.Answer(status: status, headers: headers, body: Array(body.prefix(length)))
    }

    private func unchunked(_ bytes: ArraySlice<UInt8>) -> ([UInt8], ArraySlice<UInt8>)? {
        var rest = bytes
        var body: [UInt8] = []
        while let end = rest.firstRange(of: Array("\r\n".utf8)) {
            let digits = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            guard let count = Int(digits, radix: 16),
                rest.count >= end.upperBound - rest.startIndex + count + 2
            else { return nil }
            body += rest[end.upperBound...].prefix(count)
            rest = rest[end.upperBound...].dropFirst(count + 2)
            if count == 0 { return (body, rest) }
        }
        return nil
    }
}
