import Bus
import Model
import Parsing
import Runtime
import Web
import Wire

// What the operator sees of a service's streams, and does about them: `/v1/streams/<service>`.
extension Host {
    var streamsPath: String { "/v1/streams/\(definition.name.rawValue)" }

    /// Whether a request is the host's and needs a turn.
    func isChore(_ request: Request) -> Bool {
        request.method == .post && request.path == streamsPath
    }

    func streams(for request: Request) -> Response {
        do {
            try checkOperator(request)
            return .json(try streamsDocument().serialized())
        } catch let problem as Problem {
            return .problem(problem)
        } catch {
            log.error(error, ["reading": "streams"])
            return .problem(HostLimits.unavailable)
        }
    }

    /// What `GET /v1/streams/<service>` answers.
    func streamsDocument() throws -> JSON {
        let stopped = Dictionary(
            bus.stopped.map { ($0.stream, $0) }, uniquingKeysWith: { first, _ in first })
        let entries = try poisonStore.entries(limit: HostLimits.poisonShown)
        return [
            "service": .string(definition.name.rawValue),
            "kept": .array(try bus.kept().map { $0.json(at: now) }),
            "followed": .array(bus.lags.map { $0.json(stopped[$0.stream]) }),
            "stopped": .array(bus.stopped.map(\.json)),
            "divergences": .array(
                try SQLiteBusStore(database).divergences(limit: HostLimits.divergencesShown)
                    .map(\.json)),
            "poison": .array(entries.map(\.json)),
            "poisonCount": .integer(Int64(try poisonStore.count)),
        ]
    }

    // MARK: What the operator has done

    /// Does what `POST /v1/streams/<service>` asks for, in a turn of its own.
    ///
    /// - Throws: a ``Problem`` with what was wrong; nothing is done then
    func perform(_ request: Request) throws {
        try checkOperator(request)
        guard definition.isDurable else {
            throw Problem.conflict(
                "this service has no store of its own",
                hint: "what it computes is a function of all records; start a newer version")
        }
        let body = try request.json()
        switch body["action"]?.string {
        case "skip": try skip(body, request)
        case "retry": try retry(try entry(body), request)
        case "drop": try drop(try entry(body), request)
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

    private func skip(_ body: JSON, _ request: Request) throws {
        guard let stream = body["stream"]?.string.flatMap({ StreamName(text: $0) }) else {
            throw Problem.invalid("this is no stream", field: "stream", hint: "such as fired")
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
        poison.skip(
            stream, stopped.sequence, because: "left out by the operator: \(stopped.reason)")
        bus.resume(stream)
        log.warning(
            "the operator leaves out a record",
            ["stream": stream, "sequence": stopped.sequence, "reason": stopped.reason])
        answer(request.id, .json(stopped.json.serialized(), status: 202))
    }

    /// Gives a record to the service again. The directory is read anew instead: it has gone on.
    private func retry(_ entry: PoisonStore.Entry, _ request: Request) throws {
        if entry.stream == .directory {
            bus.readAnew(.directory)
        } else {
            do {
                let event = try EventCodec.decode(entry.record)
                try apply(event, of: entry.stream, at: entry.position)
            } catch {
                throw Problem.conflict(
                    "it still cannot be applied: \(error)", hint: "it stays where it was")
            }
        }
        try forget(entry, "tried again", request)
    }

    private func drop(_ entry: PoisonStore.Entry, _ request: Request) throws {
        try forget(entry, "dropped", request)
    }

    private func forget(
        _ entry: PoisonStore.Entry, _ what: String, _ request: Request
    ) throws {
        try poisonStore.remove(entry.number)
        log.warning(
            "a record that was put aside is \(what)",
            ["stream": entry.stream, "sequence": entry.position.sequence])
        answer(request.id, .json(entry.json.serialized()))
    }
}

extension KeptStream {
    fileprivate func json(at now: Timestamp) -> JSON {
        [
            "stream": .string(extent.stream.text),
            "incarnation": .string(extent.head.incarnation.text),
            "base": .integer(Int64(clamping: extent.base.sequence)),
            "head": .integer(Int64(clamping: extent.head.sequence)),
            "bytesAbout": .integer(Int64(clamping: bytesAbout)),
            "oldestSeconds": oldest.map { .integer((now - $0).components.seconds) } ?? .null,
            "readers": .array(
                readers.map { reader in
                    [
                        "name": .string(reader.name), "required": .bool(reader.isRequired),
                        "acknowledged": .integer(Int64(clamping: reader.acknowledged)),
                        "behind": .integer(
                            Int64(
                                clamping: extent.head.sequence
                                    - min(extent.head.sequence, reader.acknowledged))),
                        "heard": reader.heard.map { .string($0.description) } ?? .null,
                    ]
                }),
            "heldBackBy": .array(heldBackBy.map { .string($0.consumer) }),
        ]
    }
}

extension Lag {
    fileprivate func json(_ stopped: StoppedStream?) -> JSON {
        let state = stopped != nil ? "stopped" : isLive ? "live" : "waiting"
        return [
            "stream": .string(stream.text), "from": .string(peer),
            "incarnation": .string(position.incarnation.text),
            "cursor": .integer(Int64(clamping: position.sequence)),
            "head": .integer(Int64(clamping: head)), "lag": .integer(Int64(clamping: records)),
            "state": .string(state), "reason": stopped.map { .string($0.reason) } ?? .null,
        ]
    }
}

extension StoppedStream {
    fileprivate var json: JSON {
        [
            "stream": .string(stream.text), "sequence": .integer(Int64(clamping: sequence)),
            "reason": .string(reason),
        ]
    }
}

extension Divergence {
    fileprivate var json: JSON {
        [
            "stream": .string(stream.text), "at": .string(time.description),
            "was": .integer(Int64(clamping: was.sequence)),
            "now": .integer(Int64(clamping: now.sequence)),
            "isAnotherLife": .bool(was.incarnation != now.incarnation),
        ]
    }
}

extension PoisonStore.Entry {
    /// Without the payload, which may hold what is private.
    fileprivate var json: JSON {
        [
            "entry": .integer(number), "stream": .string(stream.text),
            "sequence": .integer(Int64(clamping: position.sequence)),
            "id": .string(record.id.text),
            "kind": .string(EventKind(rawValue: record.kind)?.type ?? "\(record.kind)"),
            "bytes": .integer(Int64(record.payload.count)), "reason": .string(reason),
            "at": .string(time.description),
        ]
    }
}
