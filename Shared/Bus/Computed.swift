import Model
import Wire

/// All streams that this process computes for peers.
final class Computed {
    private var writers: [StreamName: ComputedWriter] = [:]
    /// Written in this turn.
    private var touched: Set<StreamName> = []
    /// Those that may have something to offer.
    private var offering: Set<StreamName> = []
    /// Those to be computed anew, and those that were begun anew in this turn.
    private var differing: Set<StreamName> = []
    private var begun: Set<StreamName> = []
    /// Those whose keeper may have gone back; it is asked.
    private var doubted: Set<StreamName> = []

    init(peers: [Bus.Peer]) {
        for (index, peer) in peers.enumerated() {
            for stream in peer.computes {
                writers[stream] = ComputedWriter(stream: stream, peer: index)
            }
        }
    }

    /// Computes a stream from now on.
    func add(_ stream: StreamName, at peer: Int) {
        remove(stream)
        writers[stream] = ComputedWriter(stream: stream, peer: peer)
    }

    /// Computes a stream no longer; what was not taken of it is dropped.
    func remove(_ stream: StreamName) {
        writers[stream] = nil
        touched.remove(stream)
        offering.remove(stream)
        differing.remove(stream)
        begun.remove(stream)
        doubted.remove(stream)
    }

    func computes(_ stream: StreamName) -> Bool { writers[stream] != nil }

    /// Whether the keeper takes so little of a stream that no more of it should be computed.
    func isCongested(_ stream: StreamName) -> Bool {
        writers[stream].map { $0.keptBytes >= BusLimits.unacknowledgedBytesMax } ?? false
    }

    /// What is appended from now on follows from this record of the partition's inputs.
    func reads(_ position: Position, of partition: Partition) {
        writers[.events(partition)]?.input = position
    }

    /// Nil if this process does not compute the stream.
    func append(_ record: Record, to stream: StreamName, hooks: Bus.Hooks) -> Position? {
        guard let finding = change(stream, { $0.append(record) }) else { return nil }
        touched.insert(stream)
        tell(finding, of: stream, hooks)
        return writers[stream]?.end
    }

    func hear(_ extent: Extent, from peer: Int, hooks: Bus.Hooks) {
        guard writers[extent.stream]?.peer == peer,
            let finding = change(extent.stream, { $0.hear(extent) })
        else { return }
        heard(extent.stream, finding, hooks)
    }

    /// The keeper judged what it was asked about in doubt.
    func hear(_ state: Control.State, from peer: Int, hooks: Bus.Hooks) {
        let stream = state.extent.stream
        guard writers[stream]?.peer == peer, let finding = change(stream, { $0.judge(state) })
        else { return }
        heard(stream, finding, hooks)
    }

    private func heard(
        _ stream: StreamName, _ finding: ComputedWriter.Finding, _ hooks: Bus.Hooks
    ) {
        if writers[stream]?.isInDoubt == true {
            doubted.insert(stream)
        } else {
            doubted.remove(stream)
        }
        if writers[stream]?.keptBytes != 0 { offering.insert(stream) }
        tell(finding, of: stream, hooks)
    }

    var hasDoubts: Bool { !doubted.isEmpty }

    /// What a keeper is to be asked about.
    func doubts(about peer: Int) -> [Control.Entry] {
        doubted.sorted().compactMap { stream in
            guard let writer = writers[stream], writer.peer == peer else { return nil }
            return Control.Entry(stream, writer.claim)
        }
    }

    /// Does something to a writer, if there is one.
    @discardableResult
    private func change<Result>(
        _ stream: StreamName, _ body: (inout ComputedWriter) -> Result
    ) -> Result? {
        guard writers[stream] != nil else { return nil }
        return body(&writers[stream]!)
    }

    private func tell(_ finding: ComputedWriter.Finding, of stream: StreamName, _ hooks: Bus.Hooks)
    {
        if case .differs(let sequence) = finding {
            if writers[stream]?.isWorthRestarting == true { differing.insert(stream) }
            hooks.notice(.computedDiverged(stream, sequence: sequence))
        }
    }

    func committed() {
        for stream in touched { writers[stream]?.committed() }
        offering.formUnion(touched)
        begun.removeAll()
        touched.removeAll(keepingCapacity: true)
    }

    func rolledBack() {
        for stream in touched { change(stream) { $0.rolledBack() } }
        differing.formUnion(begun)
        touched.removeAll(keepingCapacity: true)
    }

    /// Gives what is to be offered now, and to whom.
    ///
    /// - Parameter member: who this process is for keepers
    func offers(_ now: Moment, by member: ID128) -> [(offer: Offer, peer: Int)] {
        guard !offering.isEmpty else { return [] }
        defer { offering.removeAll(keepingCapacity: true) }
        return offering.sorted().flatMap { stream -> [(offer: Offer, peer: Int)] in
            guard let peer = writers[stream]?.peer else { return [] }
            return (writers[stream]?.offers(now, by: member) ?? []).map { ($0, peer) }
        }
    }

    func restart(_ stream: StreamName) {
        change(stream) { $0.restart() }
        touched.insert(stream)
    }

    /// Goes on after an output that the keeper has.
    func restart(_ stream: StreamName, at position: Position) {
        change(stream) { $0.restart(at: position) }
    }

    /// A stream is begun anew, whatever becomes of the turn.
    func beginsAnew(_ stream: StreamName) { begun.remove(stream) }

    func differs(_ stream: StreamName) -> Bool { writers[stream]?.difference != nil }
    func difference(of stream: StreamName) -> UInt64? { writers[stream]?.difference }

    /// Whether outputs differ because the keeper's stream is shorter than it was, or another one.
    func keeperWentBack(_ stream: StreamName) -> Bool {
        writers[stream]?.hasKeeperGoneBack ?? false
    }

    func isAgreed(_ stream: StreamName) -> Bool { writers[stream]?.isAgreed ?? false }

    /// Whether all that the keeper has was computed here, too, and is the same.
    func hasMetHead(_ stream: StreamName) -> Bool { writers[stream]?.hasMetHead ?? false }

    /// Whether the keeper has the outputs up to a position.
    func isTaken(_ stream: StreamName, through position: Position) -> Bool {
        writers[stream]?.isTaken(through: position.sequence) ?? false
    }

    /// Whether the keeper has all outputs, and no other ones.
    func isSettled(_ stream: StreamName) -> Bool { writers[stream]?.isSettled ?? false }

    /// Partitions whose outputs differ from what their keeper has, and are to be computed anew.
    func takeDiffering() -> [Partition] {
        begun.formUnion(differing)
        defer { differing.removeAll() }
        return differing.sorted().compactMap { stream in
            if case .events(let partition) = stream { partition } else { nil }
        }
    }

    func end(of stream: StreamName) -> Position? { writers[stream]?.end }

    var troubles: [String] {
        writers.values.sorted { $0.stream < $1.stream }.compactMap { writer in
            writer.difference.map { "\(writer.stream): computed another output \($0) than is kept" }
        }
    }
}
