import Testing

@testable import Web

@Suite struct `A server` {
    @Test func `passes a request to the service and the response to the client`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in
            Response(status: 201, headers: ["Location": "/v1/a/1"], body: Array("done".utf8))
        }
        let answer = try loop.answer(
            to: "POST /v1/a%2Fb?x=1&y=a+b%26c HTTP/1.1\r\nHost: h\r\nX-Request-Id: abc-1.2_3\r\n"
                + "Content-Length: 5\r\n\r\nhello")
        let request = try #require(loop.requests.first)
        #expect(request.method == .post)
        #expect(request.path == "/v1/a%2Fb")
        #expect(request.query.items == [.init("x", "1"), .init("y", "a b&c")])
        #expect(request.headers["host"] == "h")
        #expect(String(decoding: request.body, as: UTF8.self) == "hello")
        #expect(request.remote == "127.0.0.1")
        #expect(request.trace == "abc-1.2_3")
        #expect(answer.status == 201)
        #expect(answer.body == "done")
        #expect(answer.headers["location"] == "/v1/a/1")
        #expect(answer.headers["x-request-id"] == "abc-1.2_3")
        #expect(answer.headers["cache-control"] == "no-store")
    }

    @Test func `sends nothing before the service responds`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in nil }
        let client = try loop.client()
        client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { loop.requests.count == 1 })
        for _ in 0..<10 { loop.turn() }
        #expect(client.received.isEmpty)
        loop.server.answer(loop.requests[0].id, .text("now"))
        loop.run(until: { client.answers().map(\.body) == ["now"] })
        #expect(loop.server.waitingCount == 0)
    }

    @Test func `serves repeated requests of a connection, and pipelined ones in order`() throws {
        let loop = try TestLoop()
        loop.reply = { .text($0.path) }
        let client = try loop.client()
        client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { client.answers().count == 1 })
        client.send(
            (2...40).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
        loop.run(until: { client.answers().count == 40 })
        #expect(client.answers().map(\.body) == (1...40).map { "/\($0)" })
        #expect(!client.isClosed)
    }

    @Test func `does not sleep on a request that arrived during flush`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in nil }
        let first = try loop.client()
        first.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { loop.requests.count == 1 })
        let second = try loop.client()
        second.send("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n")
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while !loop.server.intake.hasArrived, clock.now < end { loop.server.flush() }
        #expect(loop.server.waitMilliseconds == 0)
        #expect(loop.server.drain().map(\.path) == ["/2"])
    }

    @Test func `joins a chunked body`() throws {
        let loop = try TestLoop()
        _ = try loop.answer(
            to: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n")
        #expect(loop.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["hello, world"])
    }

    @Test func `answers HEAD without a body, and the service sees GET`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in .text("twelve bytes") }
        let client = try loop.client()
        client.send("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { !client.answers(toHead: true).isEmpty })
        #expect(loop.requests.map(\.method) == [.get])
        #expect(client.answers(toHead: true)[0].headers["content-length"] == "12")
        #expect(!String(decoding: client.received, as: UTF8.self).contains("twelve"))
    }

    @Test func `answers OPTIONS for the whole server itself`() throws {
        let loop = try TestLoop()
        let answer = try loop.answer(to: "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(answer.status == 204)
        #expect(answer.headers["allow"]?.contains("DELETE") == true)
        #expect(loop.requests.isEmpty)
    }

    @Test func `serves two hundred clients at once`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in nil }
        let body = String(repeating: "x", count: 3000)
        for index in 0..<200 {
            try loop.client().send(
                "POST /\(index) HTTP/1.1\r\nHost: h\r\nContent-Length: 3000\r\n\r\n\(body)")
        }
        loop.run(until: { loop.requests.count == 200 })
        #expect(loop.server.waitingCount == 200)
        for request in loop.requests { loop.server.answer(request.id, .text(request.path)) }
        loop.run(until: { loop.clients.allSatisfy { $0.answers().count == 1 } })
        #expect(loop.clients.map { $0.answers()[0].body } == (0..<200).map { "/\($0)" })
    }

    @Test func `generates a trace id if the client's is missing or unsafe`() throws {
        let loop = try TestLoop()
        for header in [
            "", "X-Request-Id: a b\r\n", "X-Request-Id: \(String(repeating: "a", count: 65))\r\n",
        ] {
            let answer = try loop.answer(to: "GET / HTTP/1.1\r\nHost: h\r\n\(header)\r\n")
            #expect(answer.headers["x-request-id"] == loop.requests.last?.trace)
            #expect(loop.requests.last?.trace.utf8.count == 26)
        }
        #expect(Set(loop.requests.map(\.trace)).count == 3)
    }

    @Test func `accepts a forwarded address from a trusted proxy only`() throws {
        let text = "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 10.0.0.9, 203.0.113.7\r\n\r\n"
        let behind = try TestLoop()
        _ = try behind.answer(to: text)
        #expect(behind.requests.map(\.remote) == ["203.0.113.7"])
        var limits = ServerLimits()
        limits.proxies = []
        let direct = try TestLoop(limits: limits)
        _ = try direct.answer(to: text)
        #expect(direct.requests.map(\.remote) == ["127.0.0.1"])
    }

    @Test func `names a port that is in use`() throws {
        let first = try Server(port: 0)
        let error = #expect(throws: WebError.self) { try Server(port: first.port) }
        #expect(error?.reason == .portInUse)
        #expect(error?.description.contains("port \(first.port) is in use") == true)
        #expect(error?.hint.contains("sport = :\(first.port)") == true)
        first.stop()
        let second = try Server(port: first.port)
        #expect(second.port == first.port)
    }

    @Test(arguments: ["example.org", "300.0.0.1", "203.0.113.1"])
    func `rejects an address of another machine`(address: String) {
        let error = #expect(throws: WebError.self) { try Server(address: address, port: 0) }
        #expect(error?.reason == .badAddress)
    }

    @Test func `answers waiting requests when it stops, and closes`() throws {
        let loop = try TestLoop()
        loop.reply = { _ in nil }
        let client = try loop.client()
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { loop.requests.count == 1 })
        loop.server.stop()
        loop.run(until: { client.isClosed })
        #expect(client.answers().map(\.status) == [503])
        #expect(throws: RawClient.Refused.self) { try RawClient(port: loop.server.port) }
    }

    @Test func `answers requests that arrive while it stops`() throws {
        let loop = try TestLoop()
        let client = try loop.client()
        client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { client.answers().count == 1 })
        client.send("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.server.stop()
        loop.run(until: { client.isClosed })
        #expect(loop.requests.count == 1)
    }
}
