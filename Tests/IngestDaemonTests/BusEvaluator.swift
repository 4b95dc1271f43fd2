import Bus
import Hashing
import Model
import Runtime
import Testing
import Wire

@testable import IngestDaemon

/// An evaluator on its own bus. Its state of a partition is how many reports there were, and it
/// decides something for each: the version of a logic of that number.
final class BusEvaluator {
    private let world: World
    private(set) var bus: Bus
    private(set) var states: [Partition: UInt64] = [:]
    /// What each partition began with.
    private(set) var begun: [Partition: PartitionSnapshot] = [:]
    private(set) var verdicts: [CheckpointVerdict] = []
    /// Records of `in/p` applied, snapshots not counted.
    private(set) var applied = 0
    /// It counts wrongly from now on.
    var isWrong = false
    var notices: [BusNotice] = []

    init(in world: World) throws {
        self.world = world
        var configuration = Bus.Configuration(name: "evaluator")
        var peer = Bus.Peer(
            name: "ingest", publishEndpoint: "publish", controlEndpoint: "control", streams: [],
            derivedEndpoint: "computed")
        peer.assignsPartitions = true
        configuration.peers = [peer]
        bus = try Bus(
            configuration: configuration, store: MemoryBusStore(),
            transport: world.network.join(configuration), newID: SecureRandom.id,
            clock: { world.moment })
        bus.hooks.replace = { [unowned self] stream, records, _ in
            try begin(stream, with: records)
        }
        bus.hooks.revoked = { [unowned self] in states[$0] = nil }
        bus.hooks.checkpointed = { [unowned self] in verdicts.append($1) }
        bus.hooks.notice = { [unowned self] in notices.append($0) }
    }

    private func begin(_ stream: StreamName, with records: [Record]) throws {
        guard case .input(let partition) = stream else { return }
        let snapshot = try PartitionSnapshot(records: records)
        begun[partition] = snapshot
        states[partition] = snapshot?.state.reversed().reduce(0) { $0 << 8 | UInt64($1) } ?? 0
    }

    func turn() throws {
        try bus.receive { stream, _, record in try apply(record, from: stream) }
        bus.committed()
        try bus.tick()
    }

    private func apply(_ record: Record, from stream: StreamName) throws {
        guard case .input(let partition) = stream else { return }
        applied += 1
        guard record.kind == EventKind.inputReport.rawValue, let before = states[partition] else {
            return
        }
        states[partition] = before + (isWrong ? 2 : 1)
        let decision = Event(
            id: EventID(Hash.id(.id(record.id))), time: start,
            body: .inputLogic(LogicVersion(version: Int(before + (isWrong ? 2 : 1)))))
        try bus.append(try EventCodec.encode(decision), to: .events(partition))
    }

    /// Offers its state of a partition.
    func checkpoint(_ partition: Partition) -> Bool {
        guard bus.isSettled(partition), let state = states[partition],
            let input = bus.position(of: .input(partition)),
            let output = bus.position(of: .events(partition))
        else { return false }
        return bus.send(
            checkpoint: Checkpoint(
                partition: partition, input: input, output: output, logic: 1,
                stateHash: Hash.state(BusEvaluator.bytes(of: state)),
                state: BusEvaluator.bytes(of: state)))
    }

    static func bytes(of state: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: state >> (8 * $0)) }
    }

    func isLive(at partition: Partition) -> Bool {
        bus.leases.contains { $0.partition == partition && $0.state == .live }
    }

    func close() { bus.close() }
}
