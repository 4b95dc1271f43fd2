import Bus
import Hashing
import Model
import Store
import Testing
import Wire

/// Serves logs and assigns partitions as its test demands; a substitute for ingest.
final class Coordinator {
    static let partitions = (0..<4).compactMap { Partition($0) }

    let node: Node
    /// Assigned members per partition.
    private(set) var owners: [Partition: [Member]] = [:]
    /// The leases last reported by members.
    private(set) var leases: [ID128: [Lease]] = [:]
    private(set) var joined: [ID128] = []
    private(set) var left: [ID128] = []
    /// The number of requests so far.
    private(set) var requestCount = 0
    /// Why checkpoints are rejected; nil = they are stored.
    var rejectionReason: (Checkpoint) -> String? = { _ in nil }
    /// Whether to serve the second newest checkpoint if there are two.
    var servesOlder = false
    private var epoch: UInt64 = 0
    private var routes: [ID128: Route] = [:]
    private var readers: [ID128: CheckpointReader] = [:]

    init(_ world: World, name: String = "publisher") throws {
        node = try world.writer(
            name,
            Coordinator.partitions.flatMap {
                [
                    .init(.input($0), isSnapshotable: true),
                    .init(.events($0), isDerived: true),
                ]
            })
        try node.database.run(
            """
            CREATE TABLE checkpoint (
                number INTEGER PRIMARY KEY, partition INTEGER, sequence INTEGER, input BLOB,
                input_hash INTEGER, output INTEGER, output_life BLOB, output_hash INTEGER,
                state BLOB
            ) STRICT
            """)
        node.prepare = { [unowned self] bus in
            routes = [:]
            readers = [:]
            bus.hooks.coordinate = { [unowned self] in try coordinate($0, $1) }
            bus.hooks.snapshot = { [unowned self] in try snapshot(of: $0) }
        }
    }

    var bus: Bus? { node.bus }

    // MARK: Owners

    /// Assigns a partition to members, and revokes it from all others.
    func assign(_ partition: Partition, to members: [Member]) {
        owners[partition] = members
        epoch += 1
        for member in routes.keys.sorted() { assign(member) }
    }

    func assign(_ partitions: [Partition], to members: [Member]) {
        for partition in partitions { assign(partition, to: members) }
    }

    /// Moves a partition to another member, which has it before the old owner loses it.
    func move(_ partition: Partition, to member: Member, in world: World) throws {
        let before = owners[partition] ?? []
        assign(partition, to: before + [member])
        try world.run(until: { state(of: partition, at: member) == .live })
        assign(partition, to: [member])
    }

    /// The state of a partition as reported by a member.
    func state(of partition: Partition, at member: Member) -> Lease.State? {
        guard let id = member.node.bus?.member else { return nil }
        return leases[id]?.first { $0.partition == partition }?.state
    }

    private func assign(_ member: ID128) {
        guard let route = routes[member] else { return }
        let list = owners.filter { $0.value.contains { $0.node.bus?.member == member } }.keys
        let assignments = list.sorted().map { Assignment(partition: $0, epoch: epoch) }
        bus?.reply(with: .assign(member: member, logic: 1, assignments: assignments), to: route)
    }

    private func coordinate(_ request: Control, _ route: Route) throws {
        requestCount += 1
        switch request {
        case .join(let member, _):
            joined.append(member)
            routes[member] = route
            assign(member)
        case .renew(let member, _, let current):
            routes[member] = route
            leases[member] = current
            assign(member)
        case .leave(let member):
            left.append(member)
            routes[member] = nil
        case .checkpoint(let piece):
            let verdict = try receive(piece)
            let reply = CheckpointReply(
                partition: piece.partition, id: piece.id, verdict: verdict)
            bus?.reply(with: .checkpointReply(reply), to: route)
        default: break
        }
    }

    // MARK: Checkpoints

    private func receive(_ piece: CheckpointPiece) throws -> CheckpointVerdict {
        switch readers[piece.member, default: CheckpointReader()].receive(piece) {
        case .more(let next): return .more(next: next)
        case .rejected(let reason): return .rejected(reason)
        case .whole(let checkpoint):
            if let reason = rejectionReason(checkpoint) { return .rejected(reason) }
            guard let bus, try bus.isOnChain(checkpoint.input, of: .input(checkpoint.partition)),
                try bus.isOnChain(checkpoint.output, of: .events(checkpoint.partition))
            else { return .rejected("not of this chain") }
            // The log is pruned up to the older of the two newest: older checkpoints are useless.
            let newest = try checkpoints(of: checkpoint.partition).first ?? 0
            guard checkpoint.input.sequence >= max(newest, 1)
            else { return .rejected("a newer one is stored") }
            if checkpoint.input.sequence > newest { try store(checkpoint) }
            return .stored
        }
    }

    private func store(_ checkpoint: Checkpoint) throws {
        try node.database.run(
            """
            INSERT INTO checkpoint (
                partition, sequence, input, input_hash, output, output_life, output_hash, state
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, .integer(checkpoint.partition.number), .integer(checkpoint.input.sequence),
            .id(checkpoint.input.incarnation),
            .integer(Int64(bitPattern: checkpoint.input.hash)),
            .integer(checkpoint.output.sequence), .id(checkpoint.output.incarnation),
            .integer(Int64(bitPattern: checkpoint.output.hash)), .blob(checkpoint.state))
    }

    /// Positions in `in/p` of the stored checkpoints, the newest first.
    func checkpoints(of partition: Partition) throws -> [UInt64] {
        try node.database.all(
            "SELECT sequence FROM checkpoint WHERE partition = ? ORDER BY number DESC",
            .integer(partition.number)
        ) { UInt64($0.int64(0)) }
    }

    private func snapshot(of stream: StreamName) throws -> StreamSnapshot {
        guard case .input(let partition) = stream else { return StreamSnapshot([]) }
        let stored = try node.database.all(
            """
            SELECT sequence, input, input_hash, output, output_life, output_hash, state
            FROM checkpoint WHERE partition = ? ORDER BY number DESC LIMIT 2
            """, .integer(partition.number)
        ) { row in
            let input = Position(
                incarnation: row.id(1), sequence: UInt64(row.int64(0)),
                hash: UInt64(bitPattern: row.int64(2)))
            let output = Position(
                incarnation: row.id(4), sequence: UInt64(row.int64(3)),
                hash: UInt64(bitPattern: row.int64(5)))
            let state = PartitionSnapshot(
                configuration: [], head: .init(output: output, logic: 1, stateHash: 0),
                state: row.blob(6))
            return StreamSnapshot(state.records, at: input)
        }
        if let chosen = servesOlder ? stored.last : stored.first { return chosen }
        let incarnation = bus?.position(of: stream)?.incarnation ?? .zero
        return StreamSnapshot([], at: .start(of: incarnation))
    }

    // MARK: Inspecting

    /// Inputs by sequence, including pruned ones.
    private var inputs: [Partition: [ID128]] = [:]

    /// Whether every record is the one that derives from its input and all before it, even if the
    /// log is pruned.
    func hasCorrectOutputs() throws -> Bool {
        try Coordinator.partitions.allSatisfy { partition in
            var state = Member.State()
            let expected = (inputs[partition] ?? []).map { id in
                state.apply(id)
                return state.hash
            }
            return try node.log(of: .events(partition)) == expected
        }
    }

    /// Appends inputs, and remembers them.
    func append(_ count: Int, to partition: Partition, tag: String = "") throws {
        let records = try node.append(count, to: .input(partition), tag: tag)
        inputs[partition, default: []] += records.map(\.id)
    }

    /// Whether all inputs of a partition are evaluated, once and in order.
    func isWhole(_ partition: Partition) throws -> Bool {
        guard bus?.end(of: .events(partition)) == bus?.end(of: .input(partition)) else {
            return false
        }
        return try node.log(of: .events(partition)) == expected(partition)
    }

    func isWhole() throws -> Bool { try Coordinator.partitions.allSatisfy { try isWhole($0) } }

    /// Records of a member that has read the log from the start.
    private func expected(_ partition: Partition) throws -> [ID128] {
        var state = Member.State()
        return try node.log(of: .input(partition)).map { id in
            state.apply(id)
            return state.hash
        }
    }
}
