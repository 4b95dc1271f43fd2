import Bus
import Model
import Parsing
import Web
import Wire

// Bodies of `GET /v1/status/<service>` and `/v1/streams/<service>`.

extension Extent {
    var json: JSON {
        [
            "stream": .string(stream.text), "head": .integer(Int64(clamping: head.sequence)),
            "base": .integer(Int64(clamping: base.sequence)),
        ]
    }
}

extension Lag {
    /// The members of both documents.
    func members(isStopped: Bool) -> [JSON.Member] {
        let state = isStopped ? "stopped" : isLive ? "live" : "waiting"
        return [
            .init("stream", .string(stream.text)), .init("from", .string(peer)),
            .init("applied", .integer(Int64(clamping: position.sequence))),
            .init("lag", .integer(Int64(clamping: records))), .init("state", .string(state)),
        ]
    }

    /// The lag as the operator sees it: the reason may contain private data.
    func json(_ stopped: StoppedStream?) -> JSON {
        .object(
            members(isStopped: stopped != nil) + [
                .init("incarnation", .string(position.incarnation.text)),
                .init("head", .integer(Int64(clamping: head))),
                .init("reason", stopped.map { .string($0.reason) } ?? .null),
            ])
    }
}

extension Acknowledgement {
    var json: JSON {
        [
            "consumer": .string(consumer), "stream": .string(stream.text),
            "position": .integer(Int64(clamping: position.sequence)),
            "received": .string(received.description),
        ]
    }
}

extension ServedStream {
    func json(at now: Timestamp) -> JSON {
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
                        "acknowledgedAt": reader.acknowledgedAt.map { .string($0.description) }
                            ?? .null,
                    ]
                }),
            "heldBackBy": .array(heldBackBy.map { .string($0.consumer) }),
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
    var json: JSON {
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
            "bytes": .integer(Int64(record.payload.count)), "required": .bool(isRequired),
            "reason": .string(reason),
            "at": .string(time.description),
        ]
    }
}
