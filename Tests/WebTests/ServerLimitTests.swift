import Testing

@testable import Web

@Suite struct `A server's limit` {
    private let mebibyte = 1 << 20

    private func post(_ bytes: Int, to path: String = "/", extra: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(bytes)\r\n\(extra)\r\n"
    }

    @Test func `accepts a body of 1 MiB and rejects one byte more`() throws {
        let loop = try TestLoop()
        let body = String(repeating: "x", count: mebibyte)
        #expect(try loop.answer(to: post(mebibyte) + body).status == 200)
        #expect(loop.requests.map(\.body.count) == [mebibyte])
        let refused = try loop.answer(to: post(mebibyte + 1) + body + "x")
        #expect(refused.status == 413)
        #expect(refused.headers["content-type"] == "application/problem+json")
        #expect(refused.body.contains("larger than 1048576 bytes"))
        #expect(loop.requests.count == 1)
        #expect(loop.server.intake.heldBytes == 0)
    }

    /// Runs until a number of requests is complete, for at most 30 s.
    private func read(_ count: Int, from clients: [RawClient], by server: Server) throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while server.waitingCount < count, clock.now < end {
            server.flush()
            for client in clients { client.advance() }
        }
        try #require(server.waitingCount == count)
    }

    @Test func `lets small requests overtake large ones, and limits these per turn`() throws {
        var limits = ServerLimits()
        limits.largeBytesPerTurn = 200_000
        let server = try Server(port: 0, limits: limits)
        let large = String(repeating: "x", count: 90_000)
        let clients = try (0..<5).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send(post(90_000) + large) }
        var turns: [[Int]] = []
        func turn() {
            for client in clients { client.advance() }
            let requests = server.drain()
            if !requests.isEmpty { turns.append(requests.map(\.body.count)) }
        }
        // All are read before the first one is returned.
        try read(5, from: clients, by: server)
        turn()
        #expect(turns == [[90_000, 90_000]] && server.waitMilliseconds == 0)
        let last = try RawClient(port: server.port)
        last.send("GET /help HTTP/1.1\r\nHost: h\r\n\r\n")
        try read(6, from: clients, by: server)
        for _ in 0..<3 { turn() }
        #expect(turns.dropFirst() == [[0], [90_000, 90_000], [90_000]])
        turn()
        #expect(turns.count == 4)
    }

    @Test func `releases popped requests, even if more keep arriving`() {
        var limits = ServerLimits()
        limits.largeBytesPerTurn = 20_000
        var arrivals = Arrivals(limits: limits)
        var popped: [UInt64] = []
        func request(_ id: UInt64, _ bytes: Int) -> Request {
            Request(
                id: id, method: .post, path: "/", body: [UInt8](repeating: 0, count: bytes))
        }
        for id in 0..<1000 as Range<UInt64> {
            arrivals.append(request(id, 20_000))
            if id % 10 == 0 { arrivals.append(request(1000 + id, 10)) }
            // The number of waiting requests grows.
            if id >= 5 { popped += arrivals.pop().map(\.id) }
            #expect(arrivals.heldCount < 260)
        }
        while !arrivals.isEmpty { popped += arrivals.pop().map(\.id) }
        #expect(arrivals.heldCount == 0)
        #expect(popped.filter { $0 < 1000 } == Array(0..<1000))
        #expect(popped.filter { $0 >= 1000 }.count == 100)
    }

    @Test func `counts emergency requests as small, up to a larger size`() {
        var arrivals = Arrivals(limits: ServerLimits())
        let paths = [
            "/pub", "/v1/emergencies", "/v1/emergencies-of-old", "/v1/emergencies/emg_1/resolution",
        ]
        for (id, path) in paths.enumerated() {
            arrivals.append(
                Request(
                    id: UInt64(id), method: .post, path: path,
                    body: [UInt8](repeating: 0, count: 30_000)))
        }
        #expect(arrivals.pop().map(\.id) == [1, 3])
        #expect(arrivals.pop().map(\.id) == [0, 2])
        for count in [65_536, 65_537] {
            let body = [UInt8](repeating: 0, count: count)
            arrivals.append(
                Request(id: UInt64(count), method: .post, path: paths[1], body: body))
        }
        #expect(arrivals.pop().map(\.id) == [65_536])
        #expect(arrivals.pop().map(\.id) == [65_537])
    }

    @Test func `returns at least one large body per turn`() throws {
        var limits = ServerLimits()
        limits.largeBytesPerTurn = 20_000
        let loop = try TestLoop(limits: limits)
        let body = String(repeating: "x", count: 30_000)
        #expect(try loop.answer(to: post(30_000) + body).status == 200)
    }

    @Test func `keeps a connection whose body it rejected`() throws {
        let loop = try TestLoop()
        let client = try loop.client()
        client.send(post(mebibyte + 1) + String(repeating: "x", count: mebibyte + 1))
        client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { client.answers().count == 2 || client.isClosed })
        #expect(
            client.answers().map(\.status) == [413, 200],
            """
            closed: \(client.isClosed), unsent: \(client.unsent.count), \
            open: \(loop.server.intake.open), held: \(loop.server.intake.heldBytes), \
            requests: \(loop.requests.count), \
            received: \(String(decoding: client.received.prefix(2000), as: UTF8.self))
            """)
    }

    @Test func `rejects a chunked body as soon as it is too long`() throws {
        let loop = try TestLoop()
        let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
        let answer = try loop.answer(
            to: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: chunk, count: 17) + "0\r\n\r\n")
        #expect(answer.status == 413)
        #expect(loop.requests.isEmpty)
    }

    @Test func `closes a connection with an endless body`() throws {
        let loop = try TestLoop()
        let client = try loop.client()
        client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array(("40000\r\n" + String(repeating: "x", count: 262_144) + "\r\n").utf8)
        for _ in 0..<60 where !client.isClosed {
            client.send(chunk)
            for _ in 0..<3 { loop.turn() }
        }
        loop.run(until: { client.isClosed })
        #expect(loop.server.intake.heldBytes == 0)
        loop.run(until: { loop.server.intake.open == 0 })
    }

    @Test func `answers a client that sends Expect before its body`() throws {
        let loop = try TestLoop()
        let answer = try loop.answer(to: post(mebibyte + 1, extra: "Expect: 100-continue\r\n"))
        #expect(answer.status == 413)
    }

    @Test func `can differ by path`() throws {
        var limits = ServerLimits()
        limits.bodyBytesByPath = ["/v1/": 100, "/v1/files/": 200]
        let loop = try TestLoop(limits: limits)
        let body = String(repeating: "x", count: 150)
        #expect(try loop.answer(to: post(150, to: "/v1/files/a") + body).status == 200)
        #expect(try loop.answer(to: post(150, to: "/v1/people") + body).status == 413)
        #expect(try loop.answer(to: post(150) + body).status == 200)
    }

    @Test func `applies to all bodies together`() throws {
        var limits = ServerLimits()
        limits.heldBytes = 1000
        limits.smallBodyBytes = 100
        let loop = try TestLoop(limits: limits)
        loop.reply = { _ in nil }
        let body = String(repeating: "x", count: 600)
        let first = try loop.client()
        first.send(post(600) + body)
        loop.run(until: { loop.requests.count == 1 })
        let answer = try loop.answer(to: post(600) + body)
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "1")
        loop.server.answer(loop.requests[0].id, .text("ok"))
        loop.run(until: { first.answers().count == 1 && loop.server.intake.heldBytes == 0 })
        loop.reply = { _ in .text("ok") }
        #expect(try loop.answer(to: post(600) + body).status == 200)
    }

    @Test func `allows a header of 16 KiB in 100 lines`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in .text("ok") }
        let line = String(repeating: "a", count: 140)
        let lines = (100..<200).map { "X-Line-\($0): \(line)\r\n" }.joined()
        let answer = try loop.answer(to: "GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n")
        #expect(answer.status == 200)
        #expect(loop.requests.first?.headers["X-Line-199"] == line)
    }

    @Test func `covers header, target and method`() throws {
        let loop = try TestLoop()
        let long = String(repeating: "a", count: 17 << 10)
        let header = try loop.answer(to: "GET / HTTP/1.1\r\nHost: h\r\nX-Long: \(long)\r\n\r\n")
        #expect(header.status == 431)
        #expect(header.headers["content-type"] == "application/problem+json")
        let target = try loop.answer(
            to: "GET /\(long.prefix(5000)) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(target.status == 414)
        #expect(try loop.answer(to: "BREW / HTTP/1.1\r\nHost: h\r\n\r\n").status == 501)
        #expect(loop.requests.isEmpty)
    }

    @Test func `ends a request that the service did not answer`() throws {
        var limits = ServerLimits()
        limits.answerSeconds = 1
        let loop = try TestLoop(limits: limits)
        loop.reply = { _ in nil }
        let answer = try loop.answer(to: "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(answer.status == 503)
        loop.server.answer(loop.requests[0].id, .text("too late"))
        #expect(loop.server.waitingCount == 0)
    }

    @Test func `closes an idle connection, but none that waits for a response`() throws {
        var limits = ServerLimits()
        limits.idleSeconds = 1
        let loop = try TestLoop(limits: limits)
        loop.reply = { _ in nil }
        let idle = try loop.client()
        let waiting = try loop.client()
        idle.send("GET / HT")
        waiting.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { idle.isClosed })
        #expect(!waiting.isClosed)
        loop.server.answer(try #require(loop.requests.first).id, .text("ok"))
        loop.run(until: { waiting.answers().count == 1 })
    }

    @Test func `counts connections of one address`() throws {
        var limits = ServerLimits()
        limits.connectionsPerAddress = 2
        limits.proxies = []
        let loop = try TestLoop(limits: limits)
        let clients = try (0..<3).map { _ in try loop.client() }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        loop.run(until: { clients.filter { $0.answers().count == 1 }.count == 2 })
        loop.run(until: { clients.filter(\.isClosed).count == 1 })
    }

    @Test func `queues connections above the maximum`() throws {
        var limits = ServerLimits()
        limits.connections = 2
        let loop = try TestLoop(limits: limits)
        let clients = try (0..<4).map { _ in try loop.client() }
        for client in clients {
            client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        }
        loop.run(until: { clients.allSatisfy { $0.answers().count == 1 } })
    }
}

@Suite struct `A client that is gone` {
    private let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"

    @Test func `while its request waits does no harm`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in nil }
        let clients = try (0..<20).map { _ in try loop.client() }
        for client in clients { client.send(request) }
        loop.run(until: { loop.requests.count == 20 })
        for client in clients.prefix(10) { client.hangUp() }
        for _ in 0..<5 { loop.turn() }
        for request in loop.requests { loop.server.answer(request.id, .text("ok")) }
        for request in loop.requests { loop.server.answer(request.id, .text("twice")) }
        loop.run(until: { clients.dropFirst(10).allSatisfy { $0.answers().count == 1 } })
        for client in clients { client.hangUp() }
        loop.run(until: { loop.server.intake.open == 0 })
        #expect(loop.server.intake.heldBytes == 0)
        #expect(loop.server.waitingCount == 0)
    }

    @Test func `in the middle of its body leaves no memory in use`() throws {
        let loop = try TestLoop()
        let client = try loop.client()
        client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nabc")
        loop.run(until: { loop.server.intake.heldBytes == 3 })
        client.hangUp()
        loop.run(until: { loop.server.intake.open == 0 })
        #expect(loop.server.intake.heldBytes == 0)
        #expect(loop.requests.isEmpty)
    }

    @Test func `while its request waits does not disturb the stop`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in nil }
        let client = try loop.client()
        client.send(request)
        loop.run(until: { loop.requests.count == 1 })
        client.hangUp()
        loop.server.stop()
        #expect(loop.server.intake.open == 0)
        loop.server.answer(loop.requests[0].id, .text("after the stop"))
    }
}
