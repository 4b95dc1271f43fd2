import Foundation
import Glibc
import Hosting
import TestSupport
import Testing

@testable import JagaCLI

/// A real nginx with our limits, in front of a server that accepts everything.
@Suite(.serialized) struct `The reverse proxy` {
    /// Addresses of one household, and one of another.
    struct Household: CustomTestStringConvertible {
        var testDescription: String
        var own: [String]
        var other: String
    }

    private static let households = [
        Household(testDescription: "IPv4", own: ["127.0.0.2"], other: "127.0.0.3"),
        Household(testDescription: "IPv6 of this machine", own: ["::1"], other: "127.0.0.2"),
        Household(
            testDescription: "a network of IPv6",
            own: ["2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2:0:4::"],
            other: "2001:db8:1:3::1"),
        Household(
            testDescription: "a network of IPv6 that ends with a zero",
            own: ["2001:db8:1::1", "2001:db8:1:0:3:4:5:6", "2001:db8:1:0:0:4:5:6"],
            other: "2001:db8:1:1::1"),
        Household(
            testDescription: "a network of IPv6 that ends with zeros",
            own: ["2001:db8::1", "2001:db8::3:4:5:6", "2001:db8::4:0:6"],
            other: "2001:db8:0:1::1"),
        Household(
            testDescription: "IPv4 as IPv6", own: ["::ffff:192.0.2.1"],
            other: "::ffff:192.0.2.2"),
    ]

    /// Each kind of request of one household, and one kind of each household.
    private static let cases =
        Way.allCases.map { ($0, households[0]) } + households.dropFirst().map { (.chunked, $0) }

    @Test(arguments: cases)
    func `refuses the ninth large body of one household, and nothing else`(
        way: Way, household: Household
    ) async throws {
        let httpServer = try await HTTPServer()
        var slow: [Caller] = []
        for number in 0..<NginxConfiguration.largeRequestsPerAddress {
            let caller = try httpServer.caller(household.own[number % household.own.count], way)
            #expect(try await caller.isAdmitted(), "\(number): \(caller.link.received)")
            slow.append(caller)
        }
        for address in household.own {
            let ninth = try httpServer.caller(address, way)
            #expect(try await !ninth.isAdmitted(), "\(address): \(ninth.link.received)")
            #expect(await ninth.receives(HTTPServer.refused))
        }
        #expect(try await httpServer.caller(household.other, way).isAdmitted())
        #expect(try await httpServer.caller(household.own[0], way.other).isAdmitted())
        let help = try httpServer.caller(household.own[0], way)
        help.send("/v1/emergencies")
        #expect(await help.receives(HTTPServer.taken), "\(help.link.received)")
        let report = try httpServer.caller(household.own[0], .length)
        report.send("/overland")
        #expect(await report.receives(HTTPServer.taken), "\(report.link.received)")

        slow.removeLast()
        let isFree = try await eventually(every: 10) {
            try await httpServer.caller(household.own[0], way).isAdmitted()
        }
        #expect(isFree, "one that went leaves no room")
        withExtendedLifetime(slow) {}
    }

    @Test(arguments: [Way.length, .chunked, .http2Length])
    func `keeps room for large bodies of senders with credentials`(way: Way) async throws {
        let httpServer = try await HTTPServer()
        var slow: [Caller] = []
        for number in 0..<NginxConfiguration.largeRequests {
            let caller = try httpServer.caller("127.0.0.\(2 + number % 3)", way)
            #expect(try await caller.isAdmitted(), "\(number): \(caller.link.received)")
            slow.append(caller)
        }
        #expect(try await !httpServer.caller("127.0.0.5", way).isAdmitted())
        let named = try httpServer.caller("127.0.0.5", way, [("authorization", "Bearer x")])
        #expect(try await named.isAdmitted(), "\(named.link.received)")
        withExtendedLifetime(slow) {}
    }

    @Test func `limits large bodies of one address over time`() async throws {
        let httpServer = try await HTTPServer()
        var refused = 0
        for _ in 0..<2 * NginxConfiguration.largeRequestsBurst {
            let caller = try httpServer.caller("127.0.0.2", .length)
            if try await !caller.isAdmitted() { refused += 1 }
        }
        #expect(refused > 5 && refused < 2 * NginxConfiguration.largeRequestsBurst, "\(refused)")
        #expect(try await httpServer.caller("127.0.0.3", .length).isAdmitted())
        let report = try httpServer.caller("127.0.0.2", .length)
        report.send("/overland")
        #expect(await report.receives(HTTPServer.taken), "\(report.link.received)")
    }
}

/// How a request declares the size of its body.
enum Way: CaseIterable {
    case length, oddMethod, chunked, http2Length, http2Unknown, http2OddMethod, http2Get

    var isHTTP2: Bool {
        switch self {
        case .length, .oddMethod, .chunked: false
        case .http2Length, .http2Unknown, .http2OddMethod, .http2Get: true
        }
    }
    /// Other methods can have a body, too, which nginx passes on.
    var method: String {
        switch self {
        case .http2Get: "GET"
        case .oddMethod, .http2OddMethod: "A_B"
        default: "POST"
        }
    }
    var saysLength: Bool { self == .length || self == .oddMethod || self == .http2Length }
    /// A kind that is counted separately.
    var other: Way { saysLength ? .chunked : .length }
}

/// An nginx with the rules of `jaga nginx`, with and without HTTP/2.
private final class HTTPServer {
    static let taken = "a service took it"
    static let refused = #""status":503,"detail":"Too many concurrent requests.""#
    /// Requests from here set their address in a header.
    static let proxy = "127.0.0.9"

    private let folder: TemporaryFolder
    private let nginx: Capture
    private let port: Int
    private var http2Port: Int { port + 10 }

    init() async throws {
        folder = try TemporaryFolder()
        let port = FreePorts.base(of: Array(0...10))
        self.port = port
        let configuration = NginxConfiguration(
            ports: Ports(Topology(portBase: port)), areServicesHere: true)
        let services = (1...5).map { "listen 127.0.0.1:\(port + $0);" }.joined(separator: " ")
        let text = """
            daemon off;
            pid \(folder.path)/nginx.pid;
            error_log stderr crit;
            events { worker_connections 256; }
            http {
            client_body_temp_path \(folder.path);
            \(Self.patient(configuration.rules))
            set_real_ip_from \(Self.proxy);
            real_ip_header X-From;
            server {
                listen 127.0.0.1:\(port); listen [::1]:\(port);
                listen 127.0.0.1:\(port + 10) http2; listen [::1]:\(port + 10) http2;
                \(configuration.routes)
            }
            # Services answer when they have the whole body.
            server {
                \(services)
                limit_conn jaga_huge 1000;
                location / {
                    proxy_request_buffering on;
                    proxy_pass http://127.0.0.1:\(port + 6);
                }
            }
            server {
                listen 127.0.0.1:\(port + 6);
                limit_conn jaga_huge 1000;
                return 200 "\(Self.taken)";
            }
            }
            """
        try text.write(
            toFile: folder.path + "/nginx.conf", atomically: true, encoding: .utf8)
        let nginx = try Capture(
            "/usr/sbin/nginx", ["-p", folder.path, "-c", "nginx.conf", "-e", "stderr"])
        self.nginx = nginx
        let listened = [0, 1, 2, 3, 4, 5, 6, 10].map { port + $0 }
        let isThere = await eventually(every: 5) {
            listened.allSatisfy { !FreePorts.isFree($0) }
        }
        guard isThere else { throw TestFailure("nginx does not start: \(nginx.text)") }
    }

    deinit { nginx.end() }

    /// Slow clients must not time out on a busy machine.
    private static func patient(_ rules: String) -> String {
        rules.replacing(/client_(\w+)_timeout \w+;/) { "client_\($0.output.1)_timeout 1h;" }
    }

    func caller(
        _ address: String, _ way: Way, _ headers: [(String, String)] = []
    ) throws -> Caller {
        let isOwn = address == "::1" || address.hasPrefix("127.")
        let link = try RawLink(
            port: way.isHTTP2 ? http2Port : port, from: isOwn ? address : Self.proxy)
        return Caller(link, way, port, headers + (isOwn ? [] : [("x-from", address)]))
    }
}

/// A client with one request.
private final class Caller {
    let link: RawLink
    private let way: Way
    /// The port without HTTP/2.
    private let port: Int
    private let headers: [(String, String)]

    init(_ link: RawLink, _ way: Way, _ port: Int, _ headers: [(String, String)] = []) {
        self.link = link
        self.way = way
        self.port = port
        self.headers = headers
    }

    /// Starts a large body, and returns whether nginx waits for the rest.
    func isAdmitted() async throws -> Bool {
        if way.isHTTP2 {
            begin("/overland", length: 400_000)
            // All earlier responses have arrived when this one does.
            link.send("\0\0\u{8}\u{6}\0\0\0\0\0jagaping")
            return await receives("jagaping") && !link.received.contains(HTTPServer.refused)
        }
        begin("/overland", length: 400_000, [("expect", "100-continue")])
        guard await receives("\r\n\r\n") else { return false }
        // Immediate rejections get this response, too; it has arrived when another request is
        // answered.
        let next = Caller(try RawLink(port: port), .length, port)
        next.send("/overland")
        guard await next.receives(HTTPServer.taken) else { return false }
        link.send()
        return link.received.contains(" 100 ") && !link.received.contains(HTTPServer.refused)
    }

    /// Sends a small, complete request.
    func send(_ path: String) {
        begin(path, length: 4)
        switch way {
        case .length: link.send("help")
        case .chunked: link.send("4\r\nhelp\r\n0\r\n\r\n")
        default: link.send("\0\0\u{4}\0\u{1}\0\0\0\u{1}help")
        }
    }

    func receives(_ text: String) async -> Bool {
        await eventually(every: 1) {
            link.send()
            return link.received.contains(text) || link.isClosed
        } && link.received.contains(text)
    }

    private func begin(_ path: String, length: Int, _ more: [(String, String)] = []) {
        var headers = headers + more
        if way.saysLength { headers.append(("content-length", "\(length)")) }
        if way.isHTTP2 {
            headers =
                [
                    (":method", way.method), (":scheme", "http"), (":authority", "door"),
                    (":path", path),
                ] + headers
            // Literal names and values (RFC 7541, 6.2.2); all are shorter than 127 bytes.
            let block = headers.map { "\0" + counted($0) + counted($1) }.joined()
            link.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0")
            link.send("\0\0" + byte(block.utf8.count) + "\u{1}\u{4}\0\0\0\u{1}" + block)
        } else {
            if way == .chunked { headers.append(("transfer-encoding", "chunked")) }
            let lines = headers.map { "\($0): \($1)\r\n" }.joined()
            link.send("\(way.method) \(path) HTTP/1.1\r\nhost: door\r\n\(lines)\r\n")
        }
    }

    /// Prefixed by its length.
    private func counted(_ text: String) -> String { byte(text.utf8.count) + text }

    private func byte(_ number: Int) -> String { String(UnicodeScalar(UInt8(number))) }
}
