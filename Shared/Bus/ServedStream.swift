import Model
import Wire

/// A served stream and its consumers, for operators.
public struct ServedStream: Hashable, Sendable {
    /// A consumer of a stream and its progress.
    public struct Reader: Hashable, Sendable {
        public var name: String
        /// Whether records are kept until this consumer has acknowledged them.
        public var isRequired: Bool
        /// The last acknowledged sequence; 0 if there is none.
        public var acknowledged: UInt64
        /// When the consumer last acknowledged.
        public var acknowledgedAt: Timestamp?
    }

    public var extent: Extent
    /// When the oldest record was appended; nil if there is none.
    public var oldest: Timestamp?
    /// Estimated size of the records, extrapolated from the oldest ones.
    public var bytesAbout: UInt64
    public var readers: [Reader]
    /// Consumers that keep old records from being pruned.
    public var heldBackBy: [Holdback]
}

/// Progress of a followed stream.
public struct Lag: Hashable, Sendable {
    public var stream: StreamName
    public var peer: String
    /// The last applied position.
    public var position: Position
    /// Last known sequence of the publisher.
    public var head: UInt64
    /// The number of published records that are not applied.
    public var records: UInt64
    /// Whether records are being applied: not stopped, not reading a snapshot.
    public var isLive: Bool
}

/// A stream that was stopped and waits for an operator.
public struct StoppedStream: Hashable, Sendable {
    public var stream: StreamName
    /// The sequence at which it stopped.
    public var sequence: UInt64
    /// The position of the record that stopped it; nil if no record did.
    public var position: Position?
    public var reason: String
}

/// A followed stream was replaced or pruned.
public struct Divergence: Hashable, Sendable {
    public var stream: StreamName
    public var time: Timestamp
    /// The last position applied before.
    public var was: Position
    /// The position after which it is followed since.
    public var now: Position
}

extension Bus {
    /// All served streams that ever had a record, with their consumers.
    public func servedStreams() throws -> [ServedStream] { try pruner.overview() }

    /// All stopped streams.
    public var stopped: [StoppedStream] {
        (consumer.stopped + derivedLog.stopped).sorted { $0.stream < $1.stream }
    }

    /// Conditions that need an operator although all streams progress: clock skew, and consumers
    /// that keep records from being pruned.
    public var warnings: [String] {
        consumer.links.compactMap { link in
            link.skewSeconds.map { ClockSkew.sentence(link.name, $0) }
        } + pruner.healthProblems
    }
}

extension Pruner {
    /// The number of records sampled for the size estimate.
    private static let sampled = 64

    /// All served streams that ever had a record.
    func overview() throws -> [ServedStream] {
        try outbox.extents.filter { $0.head.sequence > 0 }.map { extent in
            let sample = try store.ages(
                of: extent.stream, after: extent.base.sequence, through: extent.head.sequence,
                limit: Pruner.sampled)
            let bytes = sample.reduce(0) { $0 + $1.bytes }
            let count = extent.head.sequence - extent.base.sequence
            return ServedStream(
                extent: extent, oldest: sample.first?.appended,
                bytesAbout: UInt64(bytes) * count / UInt64(max(1, sample.count)),
                readers: readers(of: extent.stream),
                heldBackBy: holdbacks.filter { $0.stream == extent.stream })
        }
    }

    private func readers(of stream: StreamName) -> [ServedStream.Reader] {
        let required = outbox.retention(of: stream)?.required ?? []
        let known = replayServer.acknowledgements.filter { $0.stream == stream }
        let absent = required.filter { name in !known.contains { $0.consumer == name } }
        let readers =
            known.map {
                ServedStream.Reader(
                    name: $0.consumer, isRequired: required.contains($0.consumer),
                    acknowledged: $0.position.sequence, acknowledgedAt: $0.received)
            }
            + absent.map {
                ServedStream.Reader(
                    name: $0, isRequired: true, acknowledged: 0, acknowledgedAt: nil)
            }
        return readers.sorted { $0.name < $1.name }
    }
}

extension Consumer {
    /// Stopped streams that an operator can resume.
    var stopped: [StoppedStream] {
        subscriptions.values.filter { !$0.isAssigned }.compactMap { found in
            guard case .stopped(let reason) = found.phase else { return nil }
            return StoppedStream(
                stream: found.stream, sequence: found.applied.sequence + 1,
                position: found.stoppedAt, reason: reason)
        }
    }

    /// Resumes a stopped stream at the record that stopped it.
    func resume(_ stream: StreamName) {
        guard let found = subscriptions[stream], found.isStopped, !found.isAssigned else { return }
        found.phase = .unknown
        unverified.insert(stream)
    }

    /// Replaces the local state by the publisher's snapshot.
    func resync(_ stream: StreamName) {
        guard let found = subscriptions[stream], !found.isAssigned else { return }
        found.restart(at: found.applied)
        found.phase = .snapshot(SnapshotReader(notBefore: nil))
        reading.insert(stream)
    }
}
