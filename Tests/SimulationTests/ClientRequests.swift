import Hosting
import Model
import Parsing
import Web
import Wire

/// A request of a phone or a person to a service, repeated until it is answered.
final class ClientRequest {
    let service: ServiceName
    let method: Web.Method
    let path: String
    let query: Query
    let body: [UInt8]
    let token: String
    /// For POST requests; equal for every attempt.
    let key: String?
    /// Called with the first final response and its step.
    let answered: (Response, _ step: Int) -> Void
    fileprivate(set) var isDone = false
    fileprivate(set) var tries = 0

    init(
        _ method: Web.Method, _ path: String, of service: ServiceName, _ body: JSON? = nil,
        query: Query = Query(), as token: String, key: String? = nil,
        answered: @escaping (Response, _ step: Int) -> Void = { _, _ in }
    ) {
        self.service = service
        self.method = method
        self.path = path
        self.query = query
        self.body = body?.serialized() ?? []
        self.token = token
        self.key = key
        self.answered = answered
    }
}

/// All requests of a world.
final class ClientRequests {
    private unowned let world: World
    private var chance: SeededRandom
    private(set) var open: Int = 0
    private(set) var requestsSent = 0

    /// Milliseconds without a response after which a request is repeated.
    private static let timeoutMilliseconds: Int64 = 3000

    init(_ world: World, _ chance: SeededRandom) {
        self.world = world
        self.chance = chance
    }

    func begin(_ clientRequest: ClientRequest) {
        open += 1
        attempt(clientRequest)
    }

    private func attempt(_ clientRequest: ClientRequest) {
        guard !clientRequest.isDone else { return }
        clientRequest.tries += 1
        let attempt = clientRequest.tries
        let faults = world.isQuiet ? Faults() : world.faults
        if !chance.happens(faults.requestsLost) {
            world.after(Int64(chance.in(1...40))) { [self] in arrive(clientRequest) }
        }
        world.after(ClientRequests.timeoutMilliseconds) { [self] in
            if clientRequest.tries == attempt { self.attempt(clientRequest) }
        }
    }

    private func arrive(_ clientRequest: ClientRequest) {
        let number = world.newNumber()
        var headers = Headers()
        headers["Authorization"] = "Bearer \(clientRequest.token)"
        headers["Idempotency-Key"] = clientRequest.key
        let request = Request(
            id: number, method: clientRequest.method, path: clientRequest.path,
            query: clientRequest.query,
            headers: headers, body: clientRequest.body, trace: "t\(number)")
        requestsSent += 1
        world.trace.record(number)
        world.trace.append(
            "    > \(clientRequest.service): \(clientRequest.method.rawValue) \(clientRequest.path)"
        )
        // If the service is not running, the request is repeated later.
        _ = world.slot(clientRequest.service).arrive(request) { [self] response in
            leave(clientRequest, response)
        }
    }

    /// A response has left the service and may get lost.
    private func leave(_ clientRequest: ClientRequest, _ response: Response) {
        let step = world.step
        world.trace.record(UInt64(response.status))
        world.trace.append(
            "    < \(clientRequest.service): \(response.status) for "
                + "\(clientRequest.method.rawValue) "
                + clientRequest.path)
        let faults = world.isQuiet ? Faults() : world.faults
        guard !chance.happens(faults.responsesLost) else { return }
        world.after(Int64(chance.in(1...40))) { [self] in handle(response, for: clientRequest, step)
        }
    }

    private func handle(_ response: Response, for clientRequest: ClientRequest, _ step: Int) {
        guard !clientRequest.isDone else { return }
        if response.status == 503 || response.status == 429 {
            let attempt = clientRequest.tries
            return world.after(1000) { [self] in
                if clientRequest.tries == attempt { self.attempt(clientRequest) }
            }
        }
        clientRequest.isDone = true
        open -= 1
        clientRequest.answered(response, step)
    }
}
