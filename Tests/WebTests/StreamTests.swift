import Testing

@testable import Web

@Suite struct `A streamed response` {
    private func begun(
        _ target: String = "GET /s HTTP/1.1\r\nHost: h\r\n\r\n",
        limits: ServerLimits = ServerLimits(), window: Int32? = nil
    ) throws -> (TestLoop, RawClient, UInt64) {
        let loop = try TestLoop(limits: limits)
        loop.reply = { _ in nil }
        let client = try loop.client(window: window)
        client.send(target)
        loop.run(until: { loop.requests.count == 1 })
        return (loop, client, loop.requests[0].id)
    }

    private func text(_ client: RawClient) -> String {
        String(decoding: client.received, as: UTF8.self)
    }

    /// The body without chunk headers; nil while it is incomplete.
    private func body(_ client: RawClient) -> String? {
        var rest = client.received[...]
        guard let head = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        rest = rest[head.upperBound...]
        var bytes: [UInt8] = []
        while let line = rest.firstRange(of: Array("\r\n".utf8)) {
            let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16)
            guard let size, rest.distance(from: line.upperBound, to: rest.endIndex) >= size + 2
            else { return nil }
            if size == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += rest[line.upperBound..<line.upperBound + size]
            rest = rest[(line.upperBound + size + 2)...]
        }
        return nil
    }

    @Test func `is sent piece by piece`() throws {
        let (loop, client, id) = try begun()
        let head = Response(
            status: 200, headers: ["Content-Type": "text/event-stream"], body: Array("one ".utf8))
        loop.server.stream(id, .begin(head))
        loop.run(until: { text(client).contains("one ") })
        #expect(text(client).contains("text/event-stream"))
        #expect(loop.server.unsentBytes(of: id) == 0)
        for _ in 0..<5 { loop.turn() }
        #expect(loop.server.waitMilliseconds != 0, "an idle stream does not wake the loop")
        loop.server.stream(id, .piece(Array("two".utf8)))
        loop.run(until: { text(client).contains("two") })
        #expect(body(client) == nil)
        loop.server.stream(id, .end)
        loop.run(until: { body(client) == "one two" })
        loop.run(until: { loop.server.unsentBytes(of: id) == nil })
        client.send("GET /again HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.run(until: { loop.requests.count == 2 }, "the connection can be reused")
    }

    @Test func `may be long and wait for a slow client`() throws {
        let (loop, client, id) = try begun()
        loop.server.stream(id, .begin(Response(status: 200)))
        let piece = (0..<100_000).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        for _ in 0..<50 { loop.server.stream(id, .piece(piece)) }
        loop.server.stream(id, .end)
        loop.server.flush()
        #expect((loop.server.unsentBytes(of: id) ?? 0) > 0)
        loop.run(until: { loop.server.unsentBytes(of: id) == nil })
        loop.run(until: { body(client) != nil })
        #expect(body(client)?.utf8.count == 5_000_000)
        #expect(body(client).map { Array($0.utf8.prefix(200_000)) == piece + piece } == true)
    }

    @Test func `is visibly incomplete if it is cut`() throws {
        let (loop, client, id) = try begun()
        loop.server.stream(id, .begin(Response(status: 200, body: Array("one".utf8))))
        loop.run(until: { text(client).contains("one") })
        loop.server.stream(id, .cut)
        loop.run(until: { client.isClosed })
        #expect(body(client) == nil)
        #expect(loop.server.unsentBytes(of: id) == nil)
        loop.server.stream(id, .piece([1]))
        loop.server.stream(id, .end)
    }

    @Test func `ends for the service when the client is gone`() throws {
        let (loop, client, id) = try begun()
        loop.server.stream(id, .begin(Response(status: 200, body: Array("one".utf8))))
        loop.run(until: { text(client).contains("one") })
        client.hangUp()
        loop.run(until: {
            loop.server.stream(id, .piece(Array("more".utf8)))
            return loop.server.unsentBytes(of: id) == nil
        })
    }

    /// The library alone would wait 60 s, or forever if the client reads a byte now and then.
    @Test(arguments: [0, 16])
    func `is aborted if the client reads almost nothing`(bytesPerTurn: Int) throws {
        var limits = ServerLimits()
        limits.behindSeconds = 1
        limits.bytesPerSecond = 8 << 20
        let (loop, client, id) = try begun(limits: limits, window: 4096)
        client.receivesAtMost = bytesPerTurn
        loop.server.stream(id, .begin(Response(status: 200)))
        loop.server.stream(id, .piece([UInt8](repeating: 0x61, count: 12 << 20)))
        loop.run(until: { loop.server.unsentBytes(of: id) == nil }, "the service notices")
        loop.run(until: { loop.server.intake.open == 0 })
    }

    @Test func `continues as long as the client reads, and while it is idle`() throws {
        var limits = ServerLimits()
        limits.behindSeconds = 1
        limits.bytesPerSecond = 1 << 30
        let (loop, client, id) = try begun(limits: limits)
        loop.server.stream(id, .begin(Response(status: 200, body: Array("one".utf8))))
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(2500)
        loop.run(until: { clock.now >= end })
        loop.server.stream(id, .piece(Array("two".utf8)))
        loop.server.stream(id, .end)
        loop.run(until: { body(client) == "onetwo" })
    }

    @Test func `is aborted if it has too many unsent bytes`() throws {
        var limits = ServerLimits()
        limits.unsentBytes = 1 << 20
        let (loop, client, id) = try begun(limits: limits, window: 4096)
        client.receivesAtMost = 0
        loop.server.stream(id, .begin(Response(status: 200)))
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        loop.server.stream(id, .piece(piece))
        loop.server.stream(id, .piece(piece))
        #expect(loop.server.unsentBytes(of: id) == 0, "its bytes are released")
        client.receivesAtMost = .max
        loop.run(until: { client.isClosed })
        #expect(body(client) == nil)
    }

    @Test func `has no body for HEAD`() throws {
        let (loop, client, id) = try begun("HEAD /s HTTP/1.1\r\nHost: h\r\n\r\n")
        loop.server.stream(id, .begin(Response(status: 200, body: Array("one".utf8))))
        loop.server.stream(id, .end)
        loop.run(until: { !client.answers(toHead: true).isEmpty })
        #expect(client.answers(toHead: true).first?.body == "")
        loop.run(until: { loop.server.unsentBytes(of: id) == nil })
    }

    @Test func `is cut when the server stops`() throws {
        let (loop, client, id) = try begun()
        loop.server.stream(id, .begin(Response(status: 200, body: Array("one".utf8))))
        loop.run(until: { text(client).contains("one") })
        loop.server.stop()
        loop.run(until: { client.isClosed })
        #expect(body(client) == nil)
    }
}
