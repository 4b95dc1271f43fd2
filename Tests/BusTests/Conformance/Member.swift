import Bus
import Hashing
import Model
import Wire

/// Evaluates partitions assigned by a ``Coordinator``; a substitute for an evaluator.
final class Member {
    /// State of a partition: all inputs so far in one hash.
    struct State: Equatable {
        var hash = ID128.zero

        mutating func apply(_ input: ID128) { hash = Hash.id(.id(hash), .id(input)) }
    }

    let node: Node
    private(set) var states: [Partition: State] = [:]
    /// Partitions that it started from a checkpoint, and without one.
    private(set) var restored: [Partition] = []
    private(set) var begun: [Partition] = []
    private(set) var lost: [Partition] = []
    private(set) var verdicts: [CheckpointVerdict] = []
    /// Additional bytes of a checkpoint.
    var padding = 0
    /// Payload size of derived records.
    var payload: [UInt8] = [1, 2, 3]
    /// The sequence of the input for which it derives a different record.
    var twist: UInt64 = 0

    init(_ world: World, _ name: String, of coordinator: Coordinator) throws {
        node = try world.consumer(name, of: coordinator.node, []) { configuration in
            configuration.peers[0].assignsPartitions = true
            configuration.peers[0].derivedEndpoint = coordinator.node.configuration.derivedEndpoint
        }
        node.isDisposable = true
        node.prepare = { [unowned self] bus in
            states = [:]
            bus.hooks.replace = { [unowned self] in try replace($0, $1, $2) }
            bus.hooks.revoked = { [unowned self] partition in
                lost.append(partition)
                states[partition] = nil
            }
            bus.hooks.checkpointed = { [unowned self] in verdicts.append($1) }
        }
        node.onApply = { [unowned self] in try apply($0, $1, $2) }
    }

    var bus: Bus? { node.bus }

    /// Sends a checkpoint of all inputs. Returns false if they are not evaluated yet.
    func checkpoint(_ partition: Partition) -> Bool {
        bus?.isSettled(partition) == true && checkpointNow(partition)
    }

    /// Sends a checkpoint of the current state. Returns false if it cannot.
    func checkpointNow(_ partition: Partition) -> Bool {
        guard let bus, let state = states[partition], bus.canCheckpoint(partition),
            let input = bus.position(of: .input(partition)),
            let output = bus.position(of: .events(partition))
        else { return false }
        var bytes = state.hash.bytes
        bytes += (0..<padding).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        return bus.send(
            checkpoint: Checkpoint(
                partition: partition, input: input, output: output, logic: 1,
                stateHash: state.hash.high, state: bytes))
    }

    private func replace(_ stream: StreamName, _ records: [Record], _ position: Position) throws {
        guard case .input(let partition) = stream else { return }
        guard let snapshot = try PartitionSnapshot(records: records) else {
            begun.append(partition)
            states[partition] = State()
            return
        }
        restored.append(partition)
        states[partition] = State(hash: ID128(bytes: snapshot.state.prefix(16)) ?? .zero)
    }

    private func apply(_ stream: StreamName, _ position: Position, _ record: Record) throws {
        guard case .input(let partition) = stream, var state = states[partition] else {
            throw CancellationError()
        }
        state.apply(record.id)
        states[partition] = state
        let id = position.sequence == twist ? Hash.id(.id(state.hash), "!") : state.hash
        let output = Record(kind: 33, schema: 1, id: id, payload: payload)
        try bus?.append(output, to: .events(partition))
    }
}
