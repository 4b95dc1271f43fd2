import Model
import Runtime
import TestSupport
import Testing

@testable import Web

/// Transfers and their servers, in one loop.
final class TransferLoop {
    let transfers: Transfers
    var server: TestLoop?
    var rawServer: RawServer?
    private(set) var results: [TransferResult] = []

    init(limits: TransferLimits = TransferLimits()) { transfers = Transfers(limits: limits) }

    func turn() {
        Loop.wait(on: [transfers], atMost: server == nil && rawServer == nil ? 100 : 2)
        results += transfers.drain()
        server?.turn()
        rawServer?.advance()
    }

    func run(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while !condition(), clock.now < end { turn() }
        #expect(condition(), sourceLocation: sourceLocation)
    }

    /// The outcome of one call.
    func outcome(of call: Transfer.Call, timeoutMilliseconds: Int = 20_000) throws
        -> TransferOutcome
    {
        let count = results.count
        transfers.start(Transfer(token: 1, call, timeoutMilliseconds: timeoutMilliseconds))
        run(until: { results.count > count })
        return try #require(results.last).outcome
    }

    func failure(of call: Transfer.Call, timeoutMilliseconds: Int = 20_000) throws
        -> TransferFailure
    {
        let outcome = try outcome(of: call, timeoutMilliseconds: timeoutMilliseconds)
        guard case .failed(let failure) = outcome else {
            throw NotFailed(outcome: outcome)
        }
        return failure
    }

    struct NotFailed: Error {
        let outcome: TransferOutcome
    }
}

@Suite struct `An HTTP call` {
    private func loop(_ reply: @escaping (Request) -> Response?) throws -> (TransferLoop, String) {
        let loop = TransferLoop()
        let server = try TestLoop()
        server.reply = reply
        loop.server = server
        return (loop, "http://127.0.0.1:\(server.server.port)")
    }

    @Test func `arrives unchanged, and so does its response`() throws {
        let (loop, url) = try loop { request in
            Response(status: 202, headers: ["X-Reply": "yes"], body: request.body)
        }
        let call = HTTPCall(
            .post, url + "/a?b=c%20d", headers: ["X-One": "1", "X-Empty": ""],
            body: [0, 1, 255], login: Login(user: "ada", password: "p:w"))
        let outcome = try loop.outcome(of: .http(call))
        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let request = try #require(loop.server?.requests.first)
        #expect(request.method == .post)
        #expect(request.query["b"] == "c d")
        #expect(request.headers["X-One"] == "1")
        #expect(request.headers["X-Empty"] == "")
        #expect(request.headers["Content-Type"] == nil)
        #expect(request.headers["Expect"] == nil)
        #expect(Credentials(request.headers) == .basic(user: "ada", password: "p:w"))
        #expect(answer.status == 202)
        #expect(answer.headers["x-reply"] == "yes")
        #expect(answer.body == [0, 1, 255])
        #expect(!answer.isCut)
    }

    @Test(arguments: [Web.Method.get, .post, .put, .delete])
    func `without a body sends none`(method: Web.Method) throws {
        let (loop, url) = try loop { .text($0.method.rawValue) }
        let outcome = try loop.outcome(of: .http(HTTPCall(method, url + "/")))
        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(String(decoding: answer.body, as: UTF8.self) == method.rawValue)
        #expect(loop.server?.requests.first?.body == [])
    }

    @Test(arguments: [301, 403, 404, 500, 503])
    func `is answered by any status, and follows no redirect`(status: Int) throws {
        let (loop, url) = try loop { _ in
            Response(status: status, headers: ["Location": "/elsewhere"], body: [65])
        }
        let outcome = try loop.outcome(of: .http(HTTPCall(.get, url)))
        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(answer.status == status)
        #expect(loop.server?.requests.count == 1)
    }

    @Test func `accepts a response up to its limit`() throws {
        let (loop, url) = try loop { _ in
            Response(status: 200, body: Array(repeating: 65, count: 100_000))
        }
        var call = HTTPCall(.get, url)
        let outcome = try loop.outcome(of: .http(call))
        guard case .answered(let cut) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let size = cut.body.count
        #expect(size == 64 << 10)
        #expect(cut.status == 200)
        let isCut = cut.isCut
        #expect(isCut)
        call.answerBytesMax = 100_000
        guard case .answered(let whole) = try loop.outcome(of: .http(call)) else { return }
        let isWhole = !whole.isCut && whole.body.count == 100_000
        #expect(isWhole)
    }

    @Test func `to a closed port is not sent`() throws {
        let closed = RawServer()
        let url = "http://127.0.0.1:\(closed.port)/"
        closed.stop()
        let result = Transfers.run(Transfer(token: 7, .http(HTTPCall(.get, url))))
        #expect(result.token == 7)
        guard case .failed(let failure) = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
        #expect(failure.fate == .notSent)
        #expect(failure.message.contains("Connection refused"))
    }

    @Test(arguments: [
        HTTPCall(.get, "ftp://127.0.0.1/"), HTTPCall(.get, "http://"), HTTPCall(.get, ""),
        HTTPCall(.get, "http://127.0.0.1/\r\nX: y"),
        HTTPCall(.get, "http://127.0.0.1:1/", headers: ["X": "a\r\nY: b"]),
        HTTPCall(.get, "https://127.0.0.1:1/", authoritiesFile: "/nonexistent.pem"),
    ])
    func `that is invalid is not sent`(call: HTTPCall) throws {
        #expect(try TransferLoop().failure(of: .http(call)).fate == .notSent)
    }

    @Test func `that times out has an unknown outcome`() throws {
        let (loop, url) = try loop { _ in nil }
        let failure = try loop.failure(of: .http(HTTPCall(.get, url)), timeoutMilliseconds: 200)
        #expect(failure.fate == .unknown)
        #expect(loop.server?.requests.count == 1)
    }

    @Test func `that is disconnected has an unknown outcome, and is not repeated`() throws {
        let loop = TransferLoop()
        let server = RawServer()
        server.onReceive = { connection, _ in connection.close() }
        loop.rawServer = server
        let call = HTTPCall(.get, "http://127.0.0.1:\(server.port)/")
        #expect(try loop.failure(of: .http(call)).fate == .unknown)
        #expect(server.connections.count == 1)
    }

    @Test func `reuses a connection only if it is repeatable`() throws {
        let loop = TransferLoop()
        let server = RawServer()
        server.onReceive = { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        loop.rawServer = server
        var call = HTTPCall(.get, "http://127.0.0.1:\(server.port)/")
        for _ in 0..<2 { _ = try loop.outcome(of: .http(call)) }
        #expect(server.connections.count == 2)
        call.isRepeatable = true
        for _ in 0..<3 { _ = try loop.outcome(of: .http(call)) }
        #expect(server.connections.count == 3)
    }

    @Test func `with an incomplete response is answered, and marked as cut`() throws {
        let loop = TransferLoop()
        let server = RawServer()
        server.onReceive = { connection, _ in
            connection.send("HTTP/1.1 202 Accepted\r\nContent-Length: 10\r\n\r\nhalf")
            connection.close()
        }
        loop.rawServer = server
        let outcome = try loop.outcome(
            of: .http(HTTPCall(.get, "http://127.0.0.1:\(server.port)/")))
        guard case .answered(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(answer.status == 202)
        #expect(answer.body == Array("half".utf8))
        #expect(answer.isCut)
    }
}

@Suite struct `Lanes` {
    @Test func `run many transfers, a few at a time`() throws {
        var limits = TransferLimits()
        limits.running = 5
        let loop = TransferLoop(limits: limits)
        let server = try TestLoop()
        server.reply = { .text($0.path) }
        loop.server = server
        for token in 1...100 {
            let url = "http://127.0.0.1:\(server.server.port)/\(token)"
            loop.transfers.start(
                Transfer(token: UInt64(token), .http(HTTPCall(.get, url))))
        }
        #expect(loop.transfers.openCount(.ordinary) == 100)
        loop.run(until: { loop.results.count == 100 })
        #expect(Set(loop.results.map(\.token)) == Set(1...100))
        for result in loop.results {
            guard case .answered(let answer) = result.outcome else {
                Issue.record("\(result)")
                continue
            }
            #expect(answer.body == Array("/\(result.token)".utf8))
        }
        #expect(loop.transfers.openCount(.ordinary) == 0)
    }

    @Test func `do not wait for each other`() throws {
        var limits = TransferLimits()
        limits.running = 1
        let loop = TransferLoop(limits: limits)
        let server = try TestLoop()
        server.reply = { $0.path == "/hangs" ? nil : .text("ok") }
        loop.server = server
        let url = "http://127.0.0.1:\(server.server.port)"
        for _ in 0..<3 {
            loop.transfers.start(Transfer(token: 1, .http(HTTPCall(.get, url + "/hangs"))))
        }
        loop.run(until: { server.requests.count == 1 })
        loop.transfers.start(
            Transfer(token: 2, lane: .safety, .http(HTTPCall(.get, url + "/sos"))))
        loop.run(until: { loop.results.map(\.token) == [2] })
        #expect(loop.transfers.openCount(.ordinary) == 3)
        loop.transfers.stop()
        #expect(loop.transfers.drain().isEmpty)
    }

    @Test func `that are full fail transfers at once`() throws {
        var limits = TransferLimits()
        limits.running = 1
        limits.waiting = 1
        let loop = TransferLoop(limits: limits)
        let server = try TestLoop()
        server.reply = { _ in nil }
        loop.server = server
        let url = "http://127.0.0.1:\(server.server.port)"
        for token in 1...3 {
            loop.transfers.start(Transfer(token: UInt64(token), .http(HTTPCall(.get, url))))
        }
        #expect(loop.transfers.waitMilliseconds == 0)
        let failed = loop.transfers.drain()
        #expect(failed.map(\.token) == [3])
        guard case .failed(let failure)? = failed.first?.outcome else {
            Issue.record("\(failed)")
            return
        }
        #expect(failure.fate == .notSent)
    }
}
