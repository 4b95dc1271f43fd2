import Hosting
import Model
import Parsing
import Web
import Wire

/// Something that a phone or a person asks of a service, again and again until it is answered.
final class Errand {
    let service: ServiceName
    let method: Web.Method
    let path: String
    let query: Query
    let body: [UInt8]
    let token: String
    /// For POST requests; the same for every try.
    let key: String?
    /// Takes the first answer that is none of "later"; the step is the one that gave it.
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

/// All errands of a world.
final class Errands {
    private unowned let world: World
    private var chance: Chance
    private(set) var open: Int = 0
    private(set) var requestsSent = 0

    /// Milliseconds without an answer after which it is asked again.
    private static let patience: Int64 = 3000

    init(_ world: World, _ chance: Chance) {
        self.world = world
        self.chance = chance
    }

    func begin(_ errand: Errand) {
        open += 1
        attempt(errand)
    }

    private func attempt(_ errand: Errand) {
        guard !errand.isDone else { return }
        errand.tries += 1
        let attempt = errand.tries
        let faults = world.isCalm ? Faults() : world.faults
        if !chance.comes(faults.requestsLost) {
            world.after(Int64(chance.in(1...40))) { [self] in arrive(errand) }
        }
        world.after(Errands.patience) { [self] in
            if errand.tries == attempt { self.attempt(errand) }
        }
    }

    private func arrive(_ errand: Errand) {
        let number = world.newNumber()
        var headers = Headers()
        headers["Authorization"] = "Bearer \(errand.token)"
        headers["Idempotency-Key"] = errand.key
        let request = Request(
            id: number, method: errand.method, path: errand.path, query: errand.query,
            headers: headers, body: errand.body, trace: "t\(number)")
        requestsSent += 1
        world.trace.note(number)
        world.trace.say("    > \(errand.service): \(errand.method.rawValue) \(errand.path)")
        // Nobody there: it is asked again when its patience is over.
        _ = world.seat(errand.service).arrive(request) { [self] response in
            leave(errand, response)
        }
    }

    /// An answer has left the service and may get lost.
    private func leave(_ errand: Errand, _ response: Response) {
        let step = world.step
        world.trace.note(UInt64(response.status))
        world.trace.say(
            "    < \(errand.service): \(response.status) for \(errand.method.rawValue) "
                + errand.path)
        let faults = world.isCalm ? Faults() : world.faults
        guard !chance.comes(faults.answersLost) else { return }
        world.after(Int64(chance.in(1...40))) { [self] in take(response, for: errand, step) }
    }

    private func take(_ response: Response, for errand: Errand, _ step: Int) {
        guard !errand.isDone else { return }
        if response.status == 503 || response.status == 429 {
            let attempt = errand.tries
            return world.after(1000) { [self] in
                if errand.tries == attempt { self.attempt(errand) }
            }
        }
        errand.isDone = true
        open -= 1
        errand.answered(response, step)
    }
}
