import Runtime
import Testing
import Web

/// A minimal service: a server, its handler and its clients, in one loop.
final class TestLoop {
    let server: Server
    var clients: [RawClient] = []
    /// All requests that reached the service.
    private(set) var requests: [Request] = []
    /// Handler of the service; nil = it responds later.
    var reply: (Request) -> Response? = { _ in .text("ok") }

    init(limits: ServerLimits = ServerLimits()) throws {
        server = try Server(port: 0, limits: limits)
    }

    func client(window: Int32? = nil) throws -> RawClient {
        let client = try RawClient(port: server.port, window: window)
        clients.append(client)
        return client
    }

    /// Runs one turn.
    func turn() {
        Loop.wait(on: [server], atMost: 5)
        for request in server.drain() {
            requests.append(request)
            if let response = reply(request) { server.answer(request.id, response) }
        }
        server.flush()
        for client in clients { client.advance() }
    }

    /// Runs turns until a condition holds, for at most 30 s.
    func run(
        until condition: () -> Bool, _ what: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while !condition(), clock.now < end { turn() }
        #expect(condition(), what, sourceLocation: sourceLocation)
    }

    /// Sends raw text on a new connection and waits for the first response.
    func answer(to text: String, toHead: Bool = false) throws -> RawClient.Answer {
        let client = try client()
        client.send(text)
        run(until: { !client.answers(toHead: toHead).isEmpty })
        return try #require(client.answers(toHead: toHead).first)
    }
}
