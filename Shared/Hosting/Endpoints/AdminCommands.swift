import Bus
import Model
import Parsing
import Runtime
import Store
import Web
import Wire

/// A command of the operator on a stream, a dead letter or held items.
enum AdminCommand {
    /// Skips the record that stopped a stream.
    case skip(StoppedStream, Position)
    /// Applies a dead letter again.
    case retry(DeadLetterStore.Entry)
    /// Deletes a dead letter.
    case drop(DeadLetterStore.Entry)
    /// Sends or drops held items.
    case settle([HeldEntry], isAll: Bool, isDropped: Bool)
}

/// Runs `POST /v1/streams/<service>` and `/v1/held/<service>`. Requests are validated before a turn
/// starts.
final class AdminCommands {
    private let context: HostContext
    private let turns: TurnRunner
    private let records: RecordApplier
    private let held: HeldItems
    private var waiting: [Request] = []

    init(
        _ context: HostContext, _ turns: TurnRunner, _ records: RecordApplier, _ held: HeldItems
    ) {
        self.context = context
        self.turns = turns
        self.records = records
        self.held = held
    }

    /// Whether a request is a command for the host. Services without a store on disk have none:
    /// they keep no dead letters and know no operator.
    func includes(_ request: Request) -> Bool {
        context.definition.isDurable && request.method == .post
            && (request.path == context.paths.streams || request.path == context.paths.held)
    }

    /// Queues a command; answers it at once if its sender may not run it.
    func enqueue(_ request: Request) {
        do {
            try context.checkOperator(request)
            waiting.append(request)
        } catch {
            context.parts.server.answer(request.id, .problem(error))
        }
    }

    /// Runs the queued commands, each in its own transaction.
    func run() {
        for request in waiting { run(request) }
        waiting.removeAll()
    }

    /// Runs a command. An invalid one is answered without starting a turn.
    private func run(_ request: Request) {
        do {
            let command = try command(of: request)
            if let failure = turns.attempt({ try perform(command, for: request) }) {
                throw problem(because: failure)
            }
        } catch {
            turns.refuse(request.id, problem(because: error))
        }
    }

    private func problem(because error: any Error) -> Problem {
        if let problem = error as? Problem { return problem }
        turns.logFailure(error)
        return HostLimits.unavailable
    }

    /// Decodes the command of a request.
    ///
    /// - Throws: ``Problem`` if it is invalid; `StoreError`
    private func command(of request: Request) throws -> AdminCommand {
        let body = try request.json()
        if request.path == context.paths.held { return try held.command(body) }
        switch body["action"]?.string {
        case "skip": return try skipping(body)
        case "retry": return .retry(try entry(body))
        case "drop": return .drop(try entry(body))
        default:
            throw Problem.invalid(
                "unknown action", field: "action", hint: "send skip, retry or drop")
        }
    }

    private func entry(_ body: JSON) throws -> DeadLetterStore.Entry {
        guard let number = body["entry"]?.int else {
            throw Problem.invalid("entry is not a number", field: "entry")
        }
        guard let entry = try records.deadLetters.entry(Int64(number)) else {
            throw Problem.notFound("there is no dead letter with this number")
        }
        return entry
    }

    private func skipping(_ body: JSON) throws -> AdminCommand {
        guard let stream = body["stream"]?.string.flatMap({ StreamName(text: $0) }) else {
            throw Problem.invalid(
                "not a stream name", field: "stream", hint: "send a name such as deliveries")
        }
        if case .input = stream {
            throw Problem.conflict(
                "records of \(stream) cannot be skipped: all evaluators must apply the same inputs",
                field: "stream", hint: "start an evaluator that can decode the record")
        }
        guard let stopped = context.bus.stopped.first(where: { $0.stream == stream }) else {
            throw Problem.conflict(
                "\(stream) is not stopped here", field: "stream",
                hint: "only a record that stops a stream can be skipped")
        }
        if let wanted = body["sequence"], wanted.int.map(UInt64.init(clamping:)) != stopped.sequence
        {
            throw Problem.conflict(
                "\(stream) is stopped at \(stopped.sequence)", field: "sequence",
                hint: "list the streams again: it may have resumed")
        }
        guard let position = stopped.position else {
            throw Problem.conflict(
                "\(stream) is stopped at a snapshot, not at a record", field: "stream",
                hint: "start a newer version of the service")
        }
        return .skip(stopped, position)
    }

    /// Performs a command, in a turn of its own.
    private func perform(_ command: AdminCommand, for request: Request) throws {
        switch command {
        case .skip(let stopped, let position): skip(stopped, at: position, request)
        case .retry(let entry): try retry(entry, request)
        case .drop(let entry): try removeEntry(entry, "dropped", request)
        case .settle(let entries, let isAll, let isDropped):
            try held.settle(entries, isAll: isAll, isDropped: isDropped)
            turns.answer(request.id, .json(held.document(entries).serialized()))
        }
    }

    private func skip(_ stopped: StoppedStream, at position: Position, _ request: Request) {
        records.skip(
            stopped.stream, position, because: "skipped by the operator: \(stopped.reason)")
        context.log.warning(
            "the operator leaves out a record",
            [
                "stream": stopped.stream, "sequence": stopped.sequence,
                "reason": stopped.reason,
            ])
        turns.answer(request.id, .json(stopped.json.serialized(), status: 202))
    }

    /// Applies a dead letter again. For `directory`, whose later records have been applied, the
    /// whole snapshot is fetched instead; applying it removes the entry.
    private func retry(_ entry: DeadLetterStore.Entry, _ request: Request) throws {
        guard entry.stream != .directory else {
            context.bus.resync(.directory)
            context.log.info("directory snapshot requested by the operator")
            return turns.answer(request.id, .json(entry.json.serialized(), status: 202))
        }
        do {
            let event = try EventCodec.decode(entry.record)
            try records.apply(event, of: entry.stream, at: entry.position)
        } catch let error as StoreError where error.isStoreFailure {
            throw error
        } catch {
            throw Problem.conflict(
                "the record still cannot be applied: \(error)", hint: "it stays a dead letter")
        }
        try removeEntry(entry, "tried again", request)
    }

    private func removeEntry(
        _ entry: DeadLetterStore.Entry, _ what: String, _ request: Request
    ) throws {
        try records.remove(entry)
        context.log.warning(
            "dead letter \(what)",
            ["stream": entry.stream, "sequence": entry.position.sequence])
        turns.answer(request.id, .json(entry.json.serialized()))
    }
}
