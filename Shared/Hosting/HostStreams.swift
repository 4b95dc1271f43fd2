import Bus
import Model
import Parsing
import Runtime
import Web
import Wire

// `GET /v1/streams/<service>`: the state of a service's streams, for the operator.
extension Host {
    func streams(for request: Request) -> Response {
        do {
            try checkOperator(request)
            return .json(try streamsDocument().serialized())
        } catch let problem as Problem {
            return .problem(problem)
        } catch {
            log.error(error, ["operation": "read streams"])
            return .problem(HostLimits.unavailable)
        }
    }

    /// The body of `GET /v1/streams/<service>`.
    func streamsDocument() throws -> JSON {
        let stopped = Dictionary(
            bus.stopped.map { ($0.stream, $0) }, uniquingKeysWith: { first, _ in first })
        let entries = try deadLetterStore.entries(limit: HostLimits.deadLetterShown)
        return [
            "service": .string(definition.name.rawValue),
            "kept": .array(try bus.servedStreams().map { $0.json(at: now) }),
            "followed": .array(bus.lags.map { $0.json(stopped[$0.stream]) }),
            "stopped": .array(bus.stopped.map(\.json)),
            "divergences": .array(
                try SQLiteBusStore(database).divergences(limit: HostLimits.divergencesShown)
                    .map(\.json)),
            "poison": .array(entries.map(\.json)),
            "deadLetterCount": .integer(Int64(try deadLetterStore.count)),
        ]
    }
}

extension ServedStream {
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
                        "heard": reader.acknowledgedAt.map { .string($0.description) } ?? .null,
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
    var json: JSON {
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

extension DeadLetterStore.Entry {
    /// The entry without its payload, which may contain private data.
    var json: JSON {
        [
            "entry": .integer(number), "stream": .string(stream.text),
            "sequence": .integer(Int64(clamping: position.sequence)),
            "id": .string(record.id.text),
            "kind": .string(EventKind(rawValue: record.kind)?.type ?? "\(record.kind)"),
            "bytes": .integer(Int64(record.payload.count)), "needed": .bool(isRequired),
            "reason": .string(reason),
            "at": .string(time.description),
        ]
    }
}
