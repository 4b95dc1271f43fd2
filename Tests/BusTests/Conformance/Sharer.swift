import Bus
import Hashing
import Model
import Store
import Testing
import Wire

/// Keeps logs and shares them out as its test says; a stand-in for ingest.
final class Sharer {
    static let partitions = (0..<4).compactMap { Partition($0) }

    let node: Node
    /// Who shall have which partition.
    private(set) var owners: [Partition: [Member]] = [:]
    /// What members last said that they have.
    private(set) var holdings: [ID128: [Holding]] = [:]
    private(set) var joined: [ID128] = []
    private(set) var left: [ID128] = []
    /// Questions so far.
    private(set) var asked = 0
    /// Why a checkpoint is refused; nil = it is kept.
    var refusal: (Checkpoint) -> String? = { _ in nil }
    /// Hands out the second newest checkpoint, where there are two.
    var givesOlder = false
    private var epoch: UInt64 = 0
    private var routes: [ID128: Route] = [:]
    private var readers: [ID128: CheckpointReader] = [:]

    init(_ world: World, name: String = "keeper") throws {
        node = try world.writer(
            name,
            Sharer.partitions.flatMap {
                [
                    .init(.input($0), isSnapshotable: true),
                    .init(.events($0), isComputed: true),
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

    /// Gives a partition to members, and takes it from all others.
    func give(_ partition: Partition, to members: [Member]) {
        owners[partition] = members
        epoch += 1
        for member in routes.keys.sorted() { assign(member) }
    }

    func give(_ partitions: [Partition], to members: [Member]) {
        for partition in partitions { give(partition, to: members) }
    }

    /// Makes a partition somebody else's, who has it before the old owner loses it.
    func move(_ partition: Partition, to member: Member, in world: World) throws {
        let before = owners[partition] ?? []
        give(partition, to: before + [member])
        try world.run(until: { state(of: partition, at: member) == .live })
        give(partition, to: [member])
    }

    /// What a member says of a partition.
    func state(of partition: Partition, at member: Member) -> Holding.State? {
        guard let id = member.node.bus?.member else { return nil }
        return holdings[id]?.first { $0.partition == partition }?.state
    }

    private func assign(_ member: ID128) {
        guard let route = routes[member] else { return }
        let list = owners.filter { $0.value.contains { $0.node.bus?.member == member } }.keys
        let assignments = list.sorted().map { Assignment(partition: $0, epoch: epoch) }
        bus?.tell(.assign(member: member, logic: 1, assignments: assignments), to: route)
    }

    private func coordinate(_ question: Control, _ route: Route) throws {
        asked += 1
        switch question {
        case .join(let member, _):
            joined.append(member)
            routes[member] = route
            assign(member)
        case .renew(let member, _, let held):
            routes[member] = route
            holdings[member] = held
            assign(member)
        case .leave(let member):
            left.append(member)
            routes[member] = nil
        case .checkpoint(let piece):
            let verdict = try take(piece)
            let answer = CheckpointAnswer(
                partition: piece.partition, id: piece.id, verdict: verdict)
            bus?.tell(.checkpointAnswer(answer), to: route)
        default: break
        }
    }

    // MARK: Checkpoints

    private func take(_ piece: CheckpointPiece) throws -> CheckpointVerdict {
        switch readers[piece.member, default: CheckpointReader()].take(piece) {
        case .more(let next): return .more(next: next)
        case .refused(let reason): return .refused(reason)
        case .whole(let checkpoint):
            if let reason = refusal(checkpoint) { return .refused(reason) }
            guard let bus, try bus.isOnChain(checkpoint.input, of: .input(checkpoint.partition)),
                try bus.isOnChain(checkpoint.output, of: .events(checkpoint.partition))
            else { return .refused("not of this chain") }
            // The log is pruned up to the older of the two newest: what comes late is of no use.
            let newest = try checkpoints(of: checkpoint.partition).first ?? 0
            guard checkpoint.input.sequence >= max(newest, 1)
            else { return .refused("a newer one is kept") }
            if checkpoint.input.sequence > newest { try keep(checkpoint) }
            return .kept
        }
    }

    private func keep(_ checkpoint: Checkpoint) throws {
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

    /// Places in `in/p` of the checkpoints that are kept, the newest first.
    func checkpoints(of partition: Partition) throws -> [UInt64] {
        try node.database.all(
            "SELECT sequence FROM checkpoint WHERE partition = ? ORDER BY number DESC",
            .integer(partition.number)
        ) { UInt64($0.int64(0)) }
    }

    private func snapshot(of stream: StreamName) throws -> StreamSnapshot {
        guard case .input(let partition) = stream else { return StreamSnapshot([]) }
        let kept = try node.database.all(
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
        if let chosen = givesOlder ? kept.last : kept.first { return chosen }
        let life = bus?.position(of: stream)?.incarnation ?? .zero
        return StreamSnapshot([], at: .start(of: life))
    }

    // MARK: Looking

    /// Inputs by the place in their log, also those that are pruned by now.
    private var inputs: [Partition: [ID128]] = [:]

    /// Whether every output is the one that its input and all before it lead to, however much of
    /// the log is pruned by now.
    func hasRightOutputs() throws -> Bool {
        try Sharer.partitions.allSatisfy { partition in
            var state = Member.State()
            let expected = (inputs[partition] ?? []).map { id in
                state.take(id)
                return state.hash
            }
            return try node.log(of: .events(partition)) == expected
        }
    }

    /// Appends inputs, and keeps in mind what they are.
    func append(_ count: Int, to partition: Partition, tag: String = "") throws {
        let records = try node.append(count, to: .input(partition), tag: tag)
        inputs[partition, default: []] += records.map(\.id)
    }

    /// Whether all that is in a partition's log is evaluated, just once and in order.
    func isWhole(_ partition: Partition) throws -> Bool {
        guard bus?.end(of: .events(partition)) == bus?.end(of: .input(partition)) else {
            return false
        }
        return try node.log(of: .events(partition)) == expected(partition)
    }

    func isWhole() throws -> Bool { try Sharer.partitions.allSatisfy { try isWhole($0) } }

    /// What whoever has read the log from its beginning says.
    private func expected(_ partition: Partition) throws -> [ID128] {
        var state = Member.State()
        return try node.log(of: .input(partition)).map { id in
            state.take(id)
            return state.hash
        }
    }
}
