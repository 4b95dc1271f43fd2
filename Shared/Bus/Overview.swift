import Model
import Wire

/// A stream kept here, for whoever looks after it.
public struct KeptStream: Hashable, Sendable {
    /// Who reads a stream, and how far.
    public struct Reader: Hashable, Sendable {
        public var name: String
        /// Whether nothing is forgotten before this one has it.
        public var isRequired: Bool
        /// Up to here it has the stream on its disk; 0 if it never said.
        public var acknowledged: UInt64
        /// When it last said so.
        public var heard: Timestamp?
    }

    public var extent: Extent
    /// When the oldest record that is kept was appended; nil when there is none.
    public var oldest: Timestamp?
    /// What its records take, estimated from the oldest of them.
    public var bytesAbout: UInt64
    public var readers: [Reader]
    /// Those because of whom records stay that are old enough to go.
    public var heldBackBy: [Holdback]
}

/// A stream that does not go on by itself.
public struct StoppedStream: Hashable, Sendable {
    public var stream: StreamName
    /// The record at which it stands.
    public var sequence: UInt64
    /// The same with its hash; nil where no record stopped the stream.
    public var position: Position?
    public var reason: String
}

/// That a stream was found to be another one than before.
public struct Divergence: Hashable, Sendable {
    public var stream: StreamName
    public var time: Timestamp
    /// Up to where it was followed.
    public var was: Position
    /// From where it is followed since.
    public var now: Position
}

extension Bus {
    /// Every stream kept here that ever had a record, with its readers.
    public func kept() throws -> [KeptStream] { try pruner.overview() }

    /// Streams that do not go on by themselves.
    public var stopped: [StoppedStream] {
        (consumer.stopped + ledger.stopped).sorted { $0.stream < $1.stream }
    }

    /// What somebody must look at although everything goes on: clocks that differ, and consumers
    /// that hold back what should have been forgotten.
    public var alarms: [String] {
        consumer.links.compactMap { link in
            link.skewSeconds.map { Skew.sentence(link.name, $0) }
        } + pruner.troubles
    }
}

extension Pruner {
    /// Records that an estimate of their length is made from.
    private static let sampled = 64

    /// Every stream kept here that ever had a record.
    func overview() throws -> [KeptStream] {
        try outbox.extents.filter { $0.head.sequence > 0 }.map { extent in
            let sample = try store.ages(
                of: extent.stream, after: extent.base.sequence, through: extent.head.sequence,
                limit: Pruner.sampled)
            let bytes = sample.reduce(0) { $0 + $1.bytes }
            let count = extent.head.sequence - extent.base.sequence
            return KeptStream(
                extent: extent, oldest: sample.first?.appended,
                bytesAbout: UInt64(bytes) * count / UInt64(max(1, sample.count)),
                readers: readers(of: extent.stream),
                heldBackBy: holdbacks.filter { $0.stream == extent.stream })
        }
    }

    private func readers(of stream: StreamName) -> [KeptStream.Reader] {
        let required = outbox.retention(of: stream)?.required ?? []
        let known = desk.acknowledgements.filter { $0.stream == stream }
        let absent = required.filter { name in !known.contains { $0.consumer == name } }
        let readers =
            known.map {
                KeptStream.Reader(
                    name: $0.consumer, isRequired: required.contains($0.consumer),
                    acknowledged: $0.position.sequence, heard: $0.heard)
            }
            + absent.map {
                KeptStream.Reader(name: $0, isRequired: true, acknowledged: 0, heard: nil)
            }
        return readers.sorted { $0.name < $1.name }
    }
}

extension Consumer {
    /// Streams whose records cannot be applied, where that is for the operator to see to.
    var stopped: [StoppedStream] {
        subscriptions.values.filter { !$0.isAssigned }.compactMap { found in
            guard case .stopped(let reason) = found.phase else { return nil }
            return StoppedStream(
                stream: found.stream, sequence: found.applied.sequence + 1,
                position: found.stoppedAt, reason: reason)
        }
    }

    /// Goes on with a stopped stream at the record that stopped it.
    func resume(_ stream: StreamName) {
        guard let found = subscriptions[stream], found.isStopped, !found.isAssigned else { return }
        found.phase = .unknown
        greeting.insert(stream)
    }

    /// Puts the writer's state in the place of ours, as if the stream had been pruned.
    func readAnew(_ stream: StreamName) {
        guard let found = subscriptions[stream], !found.isAssigned else { return }
        found.restart(at: found.applied)
        found.phase = .snapshot(SnapshotReader(notBefore: nil))
        reading.insert(stream)
    }
}
