import Bus
import Model
import Parsing
import Runtime
import Store
import Web
import Wire

/// What the operator wants to have done with a stream, with a record that is put aside, or with
/// what was held.
enum Chore {
    /// Leaves out the record that stopped a stream.
    case skip(StoppedStream, Position)
    /// Gives a record to the service again.
    case retry(PoisonStore.Entry)
    /// Forgets a record.
    case drop(PoisonStore.Entry)
    /// Has what was held done now, or nothing come of it.
    case settle([HeldEntry], isAll: Bool, isDropped: Bool)
}

// `POST /v1/streams/<service>` and `/v1/held/<service>`. What is wrong with a request is known
// before a turn begins.
extension Host {
    /// Whether a request is the host's and needs a turn. A service without a store of its own has
    /// nothing to mend, and knows nobody who may.
    func isChore(_ request: Request) -> Bool {
        definition.isDurable && request.method == .post
            && (request.path == streamsPath || request.path == heldPath)
    }

    /// Why the sender of a chore may not have it done; nil if they may.
    func refusal(of request: Request) -> Problem? {
        do {
            try checkOperator(request)
            return nil
        } catch {
            return error
        }
    }

    /// What a request asks for.
    ///
    /// - Throws: a ``Problem`` with what is wrong, and errors of the store
    func chore(of request: Request) throws -> Chore {
        let body = try request.json()
        if request.path == heldPath { return try settling(body) }
        switch body["action"]?.string {
        case "skip": return try skipping(body)
        case "retry": return .retry(try entry(body))
        case "drop": return .drop(try entry(body))
        default:
            throw Problem.invalid(
                "there is no such action", field: "action", hint: "send skip, retry or drop")
        }
    }

    private func entry(_ body: JSON) throws -> PoisonStore.Entry {
        guard let number = body["entry"]?.int else {
            throw Problem.invalid("this is no number of an entry", field: "entry")
        }
        guard let entry = try poisonStore.entry(Int64(number)) else {
            throw Problem.notFound("no record with this number is put aside")
        }
        return entry
    }

    private func skipping(_ body: JSON) throws -> Chore {
        guard let stream = body["stream"]?.string.flatMap({ StreamName(text: $0) }) else {
            throw Problem.invalid("this is no stream", field: "stream", hint: "such as fired")
        }
        if case .input = stream {
            throw Problem.conflict(
                "outputs computed without a record of \(stream) are not those of the chain",
                field: "stream", hint: "start an evaluator that can read it")
        }
        guard let stopped = bus.stopped.first(where: { $0.stream == stream }) else {
            throw Problem.conflict(
                "\(stream) is not stopped here", field: "stream",
                hint: "only a record that stops a stream can be left out")
        }
        if let wanted = body["sequence"], wanted.int.map(UInt64.init(clamping:)) != stopped.sequence
        {
            throw Problem.conflict(
                "\(stream) is stopped at \(stopped.sequence)", field: "sequence",
                hint: "look again: it may have gone on meanwhile")
        }
        guard let position = stopped.position else {
            throw Problem.conflict(
                "\(stream) is not stopped at a record, but at a snapshot", field: "stream",
                hint: "start a newer version")
        }
        return .skip(stopped, position)
    }

    /// Does it, in a turn of its own.
    func perform(_ chore: Chore, for request: Request) throws {
        switch chore {
        case .skip(let stopped, let position): skip(stopped, at: position, request)
        case .retry(let entry): try retry(entry, request)
        case .drop(let entry): try forget(entry, "dropped", request)
        case .settle(let entries, let isAll, let isDropped):
            try settle(entries, isAll: isAll, isDropped: isDropped, request)
        }
    }

    private func skip(_ stopped: StoppedStream, at position: Position, _ request: Request) {
        poison.skip(
            stopped.stream, position,
            because: "left out by the operator: \(stopped.reason)")
        bus.resume(stopped.stream)
        log.warning(
            "the operator leaves out a record",
            [
                "stream": stopped.stream, "sequence": stopped.sequence,
                "reason": stopped.reason,
            ])
        answer(request.id, .json(stopped.json.serialized(), status: 202))
    }

    /// Gives a record to the service again. The directory is read anew instead, as it has gone on;
    /// the entry goes when that is done.
    private func retry(_ entry: PoisonStore.Entry, _ request: Request) throws {
        guard entry.stream != .directory else {
            bus.readAnew(.directory)
            log.info("the operator has the directory read anew")
            return answer(request.id, .json(entry.json.serialized(), status: 202))
        }
        do {
            let event = try EventCodec.decode(entry.record)
            try apply(event, of: entry.stream, at: entry.position)
        } catch let error as StoreError where error.isOfTheStore {
            throw error
        } catch {
            throw Problem.conflict(
                "it still cannot be applied: \(error)", hint: "it stays where it was")
        }
        try forget(entry, "tried again", request)
    }

    private func forget(
        _ entry: PoisonStore.Entry, _ what: String, _ request: Request
    ) throws {
        try poisonStore.remove(entry.number)
        isPoisonChanged = true
        log.warning(
            "a record that was put aside is \(what)",
            ["stream": entry.stream, "sequence": entry.position.sequence])
        answer(request.id, .json(entry.json.serialized()))
    }
}
