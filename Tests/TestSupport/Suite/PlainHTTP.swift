import Foundation
import Glibc
import Parsing

/// A minimal HTTP client, independent of the tested one: one connection per request.
public struct PlainHTTP: Sendable {
    public struct Answer: Sendable {
        public let status: Int
        /// Names in lower case; several cookies in one text, a line each.
        public let headers: [String: String]
        public let body: [UInt8]

        public init(status: Int, headers: [String: String], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// The body as JSON; null if it is not JSON.
        public var json: JSON { (try? JSON.parse(body)) ?? .null }
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    public let port: Int
    /// Timeout of a response, seconds.
    public var timeout = 30

    public init(port: Int) { self.port = port }

    /// Sends a request to 127.0.0.1.
    ///
    /// - Parameters:
    ///   - token: sent as the password of Basic credentials
    /// - Throws: ``TestFailure`` if there is no complete response
    public func send(
        _ method: String, _ path: String, body: [UInt8] = [], token: String? = nil,
        headers: [String: String] = [:]
    ) throws -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        head += "Content-Length: \(body.count)\r\n"
        if let token {
            let pair = Data("test:\(token)".utf8).base64EncodedString()
            head += "Authorization: Basic \(pair)\r\n"
        }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return try parse(try exchange(Array((head + "\r\n").utf8) + body))
    }

    /// Sends JSON.
    public func send(
        _ method: String, _ path: String, _ json: JSON, token: String?
    ) throws -> Answer {
        try send(
            method, path, body: json.serialized(), token: token,
            headers: ["Content-Type": "application/json"])
    }

    private func exchange(_ request: [UInt8]) throws -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        guard withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else {
            throw TestFailure("nobody listens on port \(port)")
        }
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 { return answer }
            guard count > 0 else {
                throw TestFailure("no whole answer from port \(port), errno \(errno)")
            }
            answer += chunk[..<count]
        }
    }

    private func parse(_ bytes: [UInt8]) throws -> Answer {
        let separator = Array("\r\n\r\n".utf8)
        guard let end = bytes.firstRange(of: separator) else {
            throw TestFailure("an answer without head from port \(port)")
        }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else {
            throw TestFailure("an answer with the first line \(lines[0])")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let (name, value) = (
                parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces)
            )
            // Cookies may be set one by one.
            headers[name] =
                name == "set-cookie"
                ? [headers[name], value].compactMap(\.self).joined(separator: "\n")
                : value
        }
        var body = Array(bytes[end.upperBound...])
        if headers["transfer-encoding"] == "chunked" { body = try unchunked(body) }
        if let length = headers["content-length"].flatMap(Int.init), body.count < length {
            throw TestFailure("an answer that is cut off from port \(port)")
        }
        return Answer(status: status, headers: headers, body: body)
    }

    private func unchunked(_ bytes: [UInt8]) throws -> [UInt8] {
        var rest = bytes[...]
        var body: [UInt8] = []
        while let end = rest.firstRange(of: Array("\r\n".utf8)) {
            let digits = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            guard let count = Int(digits, radix: 16) else { break }
            if count == 0 { return body }
            body += rest[end.upperBound...].prefix(count)
            rest = rest[end.upperBound...].dropFirst(count + 2)
        }
        throw TestFailure("an answer that is cut off from port \(port)")
    }
}
