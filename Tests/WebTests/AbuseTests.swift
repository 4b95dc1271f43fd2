import Testing

@testable import Web

extension RawClient {
    fileprivate var text: String { String(decoding: received, as: UTF8.self) }
}

@Suite struct `An abusive client` {
    private func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = ServerLimits()
        limits.idleSeconds = 60
        change(&limits)
        return limits
    }

    /// Sends a byte every few milliseconds until the connection is closed; too few to reach a size
    /// limit.
    private func drip(_ client: RawClient, _ loop: TestLoop) {
        var next = ContinuousClock.now
        loop.run(until: {
            if !client.isClosed, ContinuousClock.now >= next {
                client.send("x")
                next = .now + .milliseconds(5)
            }
            return client.isClosed
        })
        loop.run(until: { loop.server.intake.open == 0 })
        #expect(loop.server.intake.connections.cutCount == 1)
    }

    @Test func `that sends its header byte by byte is disconnected`() throws {
        let loop = try TestLoop(limits: limits { $0.headerSeconds = 1 })
        let client = try loop.client()
        client.send("GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ")
        drip(client, loop)
    }

    @Test func `that sends its body byte by byte is disconnected`() throws {
        let loop = try TestLoop(
            limits: limits {
                $0.bodySeconds = 1
                $0.bytesPerSecond = 1 << 40
            })
        let client = try loop.client()
        client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
        drip(client, loop)
        #expect(loop.requests.isEmpty)
        #expect(loop.server.intake.heldBytes == 0)
    }

    private static let large = "Content-Length: 1000000\r\n\r\n"

    @Test func `that is unknown may send few large bodies at a time`() throws {
        let loop = try TestLoop(limits: limits { _ in })
        loop.server.identifySenders { $0.headers["Authorization"] == "known" }
        let strangers = try (0..<3).map { _ in try loop.client() }
        for stranger in strangers { stranger.send("POST / HTTP/1.1\r\nHost: h\r\n" + Self.large) }
        loop.run(until: { strangers.contains { $0.text.contains("503") } })
        #expect(strangers.count { $0.text.contains("503") } == 1)
        loop.run(until: { strangers.contains { $0.isClosed } })
        // Large bodies of known senders and small bodies of strangers are accepted.
        let body = String(repeating: "x", count: 100_000)
        for (name, text) in [("known", body), ("stranger", "x")] {
            let client = try loop.client()
            client.send(
                "POST / HTTP/1.1\r\nHost: h\r\nAuthorization: \(name)\r\n"
                    + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
            loop.run(until: { client.text.contains("200") })
        }
        for stranger in strangers { stranger.hangUp() }
        loop.run(until: { loop.server.intake.open == 0 })
        let late = try loop.client()
        late.send(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        loop.run(until: { late.text.contains("200") })
    }

    @Test func `that is unknown must send large bodies quickly`() throws {
        let loop = try TestLoop(limits: limits { $0.unknownBodySeconds = 1 })
        loop.server.identifySenders { _ in false }
        let client = try loop.client()
        client.send("POST / HTTP/1.1\r\nHost: h\r\n" + Self.large)
        drip(client, loop)
        #expect(loop.requests.isEmpty)
    }

    @Test func `that sends a large body in chunks has the same limits`() throws {
        let loop = try TestLoop(limits: limits { $0.unknownBodySeconds = 1 })
        loop.server.identifySenders { _ in false }
        let client = try loop.client()
        // The start of a chunk that never ends.
        let chunk = "FFFFF\r\n" + String(repeating: "x", count: 0x5000)
        client.send(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)")
        drip(client, loop)
    }

    @Test func `that sends its request line byte by byte is disconnected as idle`() throws {
        let loop = try TestLoop(limits: limits { $0.idleSeconds = 1 })
        let client = try loop.client()
        client.send("GET /")
        drip(client, loop)
    }

    @Test func `with too many idle connections loses some of them`() throws {
        let loop = try TestLoop(limits: limits { $0.connections = 16 })
        loop.reply = { _ in nil }
        let waiting = try loop.client()
        waiting.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { loop.requests.count == 1 })
        loop.reply = { _ in .text("ok") }
        let idle = try (0..<40).map { _ in try loop.client() }
        for client in idle { client.send("GET / HTTP/1.1\r\nHost") }
        let other = try loop.answer(to: "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(other.status == 200)
        #expect(!waiting.isClosed)
        loop.server.answer(loop.requests[0].id, .text("ok"))
        loop.run(until: { waiting.answers().count == 1 })
        #expect(idle.filter(\.isClosed).count > 0)
    }

    @Test func `that fills the memory for bodies leaves some for small ones`() throws {
        let loop = try TestLoop(
            limits: limits {
                $0.heldBytes = 100_000
                $0.smallBodyBytes = 1000
            })
        let large = try loop.client()
        large.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n")
        large.send(String(repeating: "x", count: 99_999))
        loop.run(until: { loop.server.intake.heldBytes == 99_999 })
        func post(_ count: Int, to path: String = "/") throws -> Int {
            try loop.answer(
                to: "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n"
                    + String(repeating: "x", count: count)
            ).status
        }
        let small = try post(1000)
        #expect(small == 200)
        let larger = try post(1001)
        #expect(larger == 503)
        let urgent = try post(1001, to: "/v1/emergencies")
        #expect(urgent == 200)
    }

    @Test func `that sends an encoded body is rejected with a hint, except where reports get lost`()
        throws
    {
        let loop = try TestLoop(limits: limits { $0.unreadBodyPaths = ["/v1/emergencies"] })
        func post(_ path: String, coding: String) throws -> RawClient.Answer {
            try loop.answer(
                to: "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Encoding: \(coding)\r\n"
                    + "Content-Length: 3\r\n\r\nabc")
        }
        let refused = try post("/v1/reports", coding: "gzip")
        #expect(refused.status == 415)
        #expect(refused.body.contains("without Content-Encoding"))
        #expect(loop.requests.isEmpty)
        for (path, coding) in [
            ("/v1/reports", "identity"), ("/v1/emergencies", "gzip"), ("/pub", "gzip"),
        ] {
            let accepted = try post(path, coding: coding)
            #expect(accepted.status == 200)
        }
        #expect(loop.requests.map(\.body) == Array(repeating: Array("abc".utf8), count: 3))
    }

    @Test(arguments: [
        "Content-Length: 6\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 6",
        "Transfer-Encoding: chunked\r\ncontent-length: 6", "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding : chunked\r\nContent-Length: 5",
    ]) func `that gives two lengths of a body cannot smuggle a request`(
        lines: String
    ) throws {
        let loop = try TestLoop()
        let client = try loop.client()
        client.send(
            "POST / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\r\n0\r\n\r\n"
                + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { client.isClosed })
        #expect(client.answers().map(\.status) == [400])
        #expect(loop.requests.isEmpty)
    }
}
