import Model
import Wire

/// All streams that this process derives for peers.
final class DerivedStreams {
    private var producers: [StreamName: DerivedStreamProducer] = [:]
    /// Streams with records of this turn.
    private var touched: Set<StreamName> = []
    /// Streams that may have records to propose.
    private var proposing: Set<StreamName> = []
    /// Streams to derive again.
    private var differing: Set<StreamName> = []
    /// Streams restarted in this turn.
    private var restarted: Set<StreamName> = []
    /// Streams whose publisher may have been restored from a backup.
    private var doubted: Set<StreamName> = []

    init(peers: [Bus.Peer]) {
        for (index, peer) in peers.enumerated() {
            for stream in peer.computes {
                producers[stream] = DerivedStreamProducer(stream: stream, peer: index)
            }
        }
    }

    /// Starts to derive a stream.
    func add(_ stream: StreamName, at peer: Int) {
        remove(stream)
        producers[stream] = DerivedStreamProducer(stream: stream, peer: peer)
    }

    /// Stops to derive a stream; unaccepted records are dropped.
    func remove(_ stream: StreamName) {
        producers[stream] = nil
        touched.remove(stream)
        proposing.remove(stream)
        differing.remove(stream)
        restarted.remove(stream)
        doubted.remove(stream)
    }

    func derives(_ stream: StreamName) -> Bool { producers[stream] != nil }

    /// Whether so many records are unaccepted that no more should be derived.
    func isCongested(_ stream: StreamName) -> Bool {
        producers[stream].map { $0.unacceptedBytes >= BusLimits.unacknowledgedBytesMax } ?? false
    }

    /// Sets the input record from which later records derive.
    func setInput(_ position: Position, of partition: Partition) {
        producers[.events(partition)]?.input = position
    }

    /// Appends a derived record. Returns nil if this process does not derive the stream.
    func append(_ record: Record, to stream: StreamName, hooks: Bus.Hooks) -> Position? {
        guard let finding = change(stream, { $0.append(record) }) else { return nil }
        touched.insert(stream)
        report(finding, of: stream, hooks)
        return producers[stream]?.end
    }

    func handle(_ extent: Extent, from peer: Int, hooks: Bus.Hooks) {
        guard producers[extent.stream]?.peer == peer,
            let finding = change(extent.stream, { $0.handle(extent) })
        else { return }
        update(extent.stream, finding, hooks)
    }

    /// Handles the publisher's verdict on a position in doubt.
    func handle(_ state: Control.State, from peer: Int, hooks: Bus.Hooks) {
        let stream = state.extent.stream
        guard producers[stream]?.peer == peer, let finding = change(stream, { $0.handle(state) })
        else { return }
        update(stream, finding, hooks)
    }

    private func update(
        _ stream: StreamName, _ finding: DerivedStreamProducer.Finding, _ hooks: Bus.Hooks
    ) {
        if producers[stream]?.isInDoubt == true {
            doubted.insert(stream)
        } else {
            doubted.remove(stream)
        }
        if producers[stream]?.unacceptedBytes != 0 { proposing.insert(stream) }
        report(finding, of: stream, hooks)
    }

    var hasDoubts: Bool { !doubted.isEmpty }

    /// Positions to ask a publisher about.
    func doubts(about peer: Int) -> [Control.Entry] {
        doubted.sorted().compactMap { stream in
            guard let producer = producers[stream], producer.peer == peer else { return nil }
            return Control.Entry(stream, producer.claim)
        }
    }

    /// Changes a producer, if there is one.
    @discardableResult
    private func change<Result>(
        _ stream: StreamName, _ body: (inout DerivedStreamProducer) -> Result
    ) -> Result? {
        guard producers[stream] != nil else { return nil }
        return body(&producers[stream]!)
    }

    private func report(
        _ finding: DerivedStreamProducer.Finding, of stream: StreamName, _ hooks: Bus.Hooks
    ) {
        if case .differs(let sequence) = finding {
            if producers[stream]?.shouldRestart == true { differing.insert(stream) }
            hooks.notice(.derivedDiverged(stream, sequence: sequence))
        }
    }

    func committed() {
        for stream in touched { producers[stream]?.committed() }
        proposing.formUnion(touched)
        restarted.removeAll()
        touched.removeAll(keepingCapacity: true)
    }

    func rolledBack() {
        for stream in touched { change(stream) { $0.rolledBack() } }
        differing.formUnion(restarted)
        touched.removeAll(keepingCapacity: true)
    }

    /// Returns the records to propose now, with their peers.
    ///
    /// - Parameter member: the id of this process for publishers
    func proposals(_ now: Moment, by member: ID128) -> [(proposal: Proposal, peer: Int)] {
        guard !proposing.isEmpty else { return [] }
        defer { proposing.removeAll(keepingCapacity: true) }
        return proposing.sorted().flatMap { stream -> [(proposal: Proposal, peer: Int)] in
            guard let peer = producers[stream]?.peer else { return [] }
            return (producers[stream]?.proposals(now, by: member) ?? []).map { ($0, peer) }
        }
    }

    func restart(_ stream: StreamName) {
        change(stream) { $0.restart() }
        touched.insert(stream)
    }

    /// Continues after a published record.
    func restart(_ stream: StreamName, at position: Position) {
        change(stream) { $0.restart(at: position) }
    }

    /// Records that a stream restarts whether or not the turn commits.
    func confirmRestart(_ stream: StreamName) { restarted.remove(stream) }

    func differs(_ stream: StreamName) -> Bool { producers[stream]?.difference != nil }
    func difference(of stream: StreamName) -> UInt64? { producers[stream]?.difference }

    /// Whether records differ because the publisher's stream was truncated or replaced.
    func hasPublisherRegressed(_ stream: StreamName) -> Bool {
        producers[stream]?.hasPublisherRegressed ?? false
    }

    func isAgreed(_ stream: StreamName) -> Bool { producers[stream]?.isAgreed ?? false }

    /// Whether all published records were derived here with the same result.
    func hasMetHead(_ stream: StreamName) -> Bool { producers[stream]?.hasMetHead ?? false }

    /// Whether the publisher has accepted the records up to a position.
    func isAccepted(_ stream: StreamName, through position: Position) -> Bool {
        producers[stream]?.isAccepted(through: position.sequence) ?? false
    }

    /// Whether the publisher has all records and no others.
    func isSettled(_ stream: StreamName) -> Bool { producers[stream]?.isSettled ?? false }

    /// Removes and returns the partitions whose records differ and must be derived again.
    func popDiffering() -> [Partition] {
        restarted.formUnion(differing)
        defer { differing.removeAll() }
        return differing.sorted().compactMap { stream in
            if case .events(let partition) = stream { partition } else { nil }
        }
    }

    func end(of stream: StreamName) -> Position? { producers[stream]?.end }

    var healthProblems: [String] {
        producers.values.sorted { $0.stream < $1.stream }.compactMap { producer in
            producer.difference.map { "\(producer.stream) \($0): local derivation differs" }
        }
    }
}
