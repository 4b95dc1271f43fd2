import Runtime
import Wire

/// What the bus could not do.
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

/// Thrown by whoever applies records, to stop one stream and leave the others running.
///
/// For a kind or schema that this program does not know: nothing is skipped; the stream goes on
/// from the same record when a newer program is started.
public struct StreamStop: Error, Hashable, Sendable {
    public var reason: String

    public init(reason: String) { self.reason = reason }
}

/// Thrown by whoever applies records, to be given the same record later and no other of its stream
/// before. The others go on. Nothing of it must have had an effect.
public struct StreamPause: Error, Hashable, Sendable {
    /// The shortest time until then.
    public var duration: Duration

    public init(for duration: Duration) { self.duration = duration }
}

/// A consumer throws this for a proposed record that cannot be read: the record is not appended,
/// and the rest of the member's proposals are dropped.
public struct ProposalRejected: Error, Hashable, Sendable {
    public var reason: String

    public init(reason: String) { self.reason = reason }
}

/// What happened on the bus that an operator or a service may want to know.
public enum BusNotice: Hashable, Sendable, CustomStringConvertible {
    /// The writer's stream is not the one that was followed; it is followed anew from `now`.
    case diverged(StreamName, was: Position, now: Position)
    /// The writer has no longer what comes next; the stream is followed from `now`.
    case pruned(StreamName, was: Position, now: Position)
    /// So many frames were not taken, the newest for this reason.
    case refused(from: String, WireError, count: Int)
    /// A peer's clock goes so many seconds before ours, or behind it where that is negative.
    case skewed(peer: String, seconds: Int64)
    /// Somebody computed another record for a place of a computed stream that is taken.
    case conflict(StreamName, sequence: UInt64)
    /// What this process computed is not what the stream's keeper has.
    case computedDiverged(StreamName, sequence: UInt64)
    /// A consumer does not acknowledge what should have been forgotten for an hour.
    case heldBack(Holdback)
    /// Nothing is heard of a peer any more; connections to it are made anew.
    case silent(peer: String)
    /// A peer is heard again, or for the first time.
    case heard(peer: String)
    /// Whoever applies records stopped a stream.
    case stopped(StreamName, reason: String)
    /// A peer was not let in, or did not let us in, so often since the last notice of it.
    case peerRefused(PeerRefusal, count: UInt64)

    /// Whether somebody should look at it.
    public var isAlarm: Bool {
        switch self {
        case .diverged, .pruned, .conflict, .computedDiverged, .stopped, .skewed, .heldBack,
            .peerRefused:
            true
        case .refused, .silent, .heard: false
        }
    }

    public var description: String {
        switch self {
        case .diverged(let stream, let was, let now):
            "\(stream) is another stream than before: was at \(was), goes on after \(now)"
        case .pruned(let stream, let was, let now):
            "\(stream) has been pruned: was at \(was), goes on after \(now)"
        case .refused(let name, let error, let count):
            count == 1
                ? "a frame from \(name) is refused: \(error)"
                : "\(count) more frames from \(name) are refused: \(error)"
        case .skewed(let peer, let seconds): Skew.sentence(peer, seconds)
        case .conflict(let stream, let sequence):
            "two different outputs for \(stream) \(sequence): the second is refused"
        case .computedDiverged(let stream, let sequence):
            "computed another \(stream) \(sequence) than its keeper has"
        case .heldBack(let holdback): "\(holdback)"
        case .silent(let peer): "nothing is heard of \(peer)"
        case .heard(let peer): "\(peer) is heard"
        case .stopped(let stream, let reason): "\(stream) is stopped: \(reason)"
        case .peerRefused(let refusal, let count):
            count == 1 ? "\(refusal)" : "\(refusal) (\(count) times)"
        }
    }
}
