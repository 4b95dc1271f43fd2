import Runtime
import Wire

/// An error of the bus.
public struct BusError: ExplainedError, Hashable {
    /// `address-in-use`, `bad-endpoint`, `key-invalid`, `key-shared`, `key-unreadable`,
    /// `keys-missing`, `no-curve`, `not-ours`, `oversized`, `socket`, `unprotected`.
    public var code: String
    public var operation: String
    public var message: String
    public var hint: String

    init(_ code: String, _ operation: String, _ message: String, hint: String) {
        self.code = code
        self.operation = operation
        self.message = message
        self.hint = hint
    }
}

/// Thrown while applying records to stop one stream; other streams continue.
///
/// For records of an unknown kind or schema: nothing is skipped, and the stream resumes at the same
/// record after an upgrade.
public struct StreamStop: Error, Hashable, Sendable {
    public var reason: String

    public init(reason: String) { self.reason = reason }
}

/// Thrown while applying records to receive the same record again later; other streams continue.
///
/// The record must not have had any effect yet.
public struct StreamPause: Error, Hashable, Sendable {
    /// The minimum delay.
    public var duration: Duration

    public init(for duration: Duration) { self.duration = duration }
}

/// Thrown while applying a proposed record that cannot be read.
///
/// The record is not appended, and the member's remaining proposals are dropped.
public struct ProposalRejected: Error, Hashable, Sendable {
    public var reason: String

    public init(reason: String) { self.reason = reason }
}

/// An event on the bus that operators or services may want to know.
public enum BusNotice: Hashable, Sendable, CustomStringConvertible {
    /// The publisher's stream was replaced; it is followed from `now`.
    case diverged(StreamName, was: Position, now: Position)
    /// The publisher has pruned the next records; the stream is followed from `now`.
    case pruned(StreamName, was: Position, now: Position)
    /// Frames were rejected; the error is that of the latest.
    case rejected(from: String, WireError, count: Int)
    /// A peer's clock differs from ours; negative = behind.
    case skewed(peer: String, seconds: Int64)
    /// A member proposed another record at a sequence that has one.
    case conflict(StreamName, sequence: UInt64)
    /// The local derived record differs from the published one.
    case derivedDiverged(StreamName, sequence: UInt64)
    /// A consumer has kept records from being pruned for an hour.
    case heldBack(Holdback)
    /// A peer stopped sending; its connections are replaced.
    case disconnected(peer: String)
    /// A peer is sending, for the first time or again.
    case connected(peer: String)
    /// A ``StreamStop`` stopped a stream.
    case stopped(StreamName, reason: String)
    /// A connection was rejected, `count` times since the last notice.
    case peerRejected(PeerRejection, count: UInt64)

    /// Whether an operator should look at it.
    public var needsAttention: Bool {
        switch self {
        case .diverged, .pruned, .conflict, .derivedDiverged, .stopped, .skewed, .heldBack,
            .peerRejected:
            true
        case .rejected, .disconnected, .connected: false
        }
    }

    /// The message of a log line: a constant.
    public var event: String {
        switch self {
        case .diverged: "stream replaced"
        case .pruned: "stream pruned"
        case .rejected: "frames rejected"
        case .skewed: "clock skew"
        case .conflict: "different proposal rejected"
        case .derivedDiverged: "derived record differs"
        case .heldBack: "records held back"
        case .disconnected: "disconnected"
        case .connected: "connected"
        case .stopped: "stream stopped"
        case .peerRejected: "connection rejected"
        }
    }

    /// The fields of a log line.
    public var fields: LogFields {
        switch self {
        case .diverged(let stream, let was, let now), .pruned(let stream, let was, let now):
            ["stream": stream, "was": was, "now": now]
        case .rejected(let name, let error, let count):
            ["peer": name, "count": count, "reason": error.code.rawValue, "error": error]
        case .skewed(let peer, let seconds): ["peer": peer, "seconds": seconds]
        case .conflict(let stream, let sequence), .derivedDiverged(let stream, let sequence):
            ["stream": stream, "sequence": sequence]
        case .heldBack(let holdback):
            [
                "consumer": holdback.consumer, "stream": holdback.stream,
                "records": holdback.records, "hours": holdback.age.components.seconds / 3600,
            ]
        case .disconnected(let peer), .connected(let peer): ["peer": peer]
        case .stopped(let stream, let reason): ["stream": stream, "reason": reason]
        case .peerRejected(let rejection, let count): ["count": count, "reason": rejection]
        }
    }

    public var description: String {
        switch self {
        case .diverged(let stream, let was, let now):
            "\(stream) was replaced: was at \(was), continues after \(now)"
        case .pruned(let stream, let was, let now):
            "\(stream) was pruned: was at \(was), continues after \(now)"
        case .rejected(let name, let error, let count):
            count == 1
                ? "frame from \(name) rejected: \(error)"
                : "\(count) more frames from \(name) rejected: \(error)"
        case .skewed(let peer, let seconds): ClockSkew.sentence(peer, seconds)
        case .conflict(let stream, let sequence):
            "\(stream) \(sequence): a different proposal was rejected"
        case .derivedDiverged(let stream, let sequence):
            "\(stream) \(sequence): local derivation differs from the published record"
        case .heldBack(let holdback): "\(holdback)"
        case .disconnected(let peer): "disconnected from \(peer)"
        case .connected(let peer): "connected to \(peer)"
        case .stopped(let stream, let reason): "\(stream) is stopped: \(reason)"
        case .peerRejected(let rejection, let count):
            count == 1 ? "\(rejection)" : "\(rejection) (\(count) times)"
        }
    }
}
