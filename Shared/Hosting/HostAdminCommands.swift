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

// `POST /v1/streams/<service>` and `/v1/held/<service>`. Requests are validated before a turn
// starts.
extension Host {
    /// Whether a request is a command for the host. Services without a store on disk have none:
    /// they keep no dead letters and know no operator.
    func isAdminCommand(_ request: Request) -> Bool {
        definition.isDurable && request.method == .post
            && (request.path == streamsPath || request.path == heldPath)
    }

    /// Why the sender may not run admin commands; nil if they may.
    func refusal(of request: Request) -> Problem? {
        do {
            try checkOperator(request)
            return nil
        } catch {
            return error
        }
    }

    /// Decodes the command of a request.
    ///
    /// - Throws: ``Problem`` if it is invalid; `StoreError`
    func adminCommand(of request: Request) throws -> AdminCommand {
        let body = try request.json()
        if request.path == heldPath { return try settling(body) }
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
        guard let entry = try deadLetterStore.entry(Int64(number)) else {
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
        guard let stopped = bus.stopped.first(where: { $0.stream == stream }) else {
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
    func perform(_ adminCommand: AdminCommand, for request: Request) throws {
        switch adminCommand {
        case .skip(let stopped, let position): skip(stopped, at: position, request)
        case .retry(let entry): try retry(entry, request)
        case .drop(let entry): try removeEntry(entry, "dropped", request)
        case .settle(let entries, let isAll, let isDropped):
            try settle(entries, isAll: isAll, isDropped: isDropped, request)
        }
    }

    private func skip(_ stopped: StoppedStream, at position: Position, _ request: Request) {
        deadLetterPolicy.skip(
            stopped.stream, position,
            because: "skipped by the operator: \(stopped.reason)")
        bus.resume(stopped.stream)
        log.warning(
            "the operator leaves out a record",
            [
                "stream": stopped.stream, "sequence": stopped.sequence,
                "reason": stopped.reason,
            ])
        answer(request.id, .json(stopped.json.serialized(), status: 202))
    }

    /// Applies a dead letter again. For `directory`, whose later records have been applied, the
    /// whole snapshot is fetched instead; applying it removes the entry.
    private func retry(_ entry: DeadLetterStore.Entry, _ request: Request) throws {
        guard entry.stream != .directory else {
            bus.resync(.directory)
            log.info("directory snapshot requested by the operator")
            return answer(request.id, .json(entry.json.serialized(), status: 202))
        }
        do {
            let event = try EventCodec.decode(entry.record)
            try apply(event, of: entry.stream, at: entry.position)
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
        try deadLetterStore.remove(entry.number)
        isDeadLetterChanged = true
        log.warning(
            "dead letter \(what)",
            ["stream": entry.stream, "sequence": entry.position.sequence])
        answer(request.id, .json(entry.json.serialized()))
    }
}
