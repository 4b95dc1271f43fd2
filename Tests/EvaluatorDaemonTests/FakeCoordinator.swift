import Bus
import Foundation
import Hashing
import Model
import Runtime
import TestSupport
import Wire

/// A stand-in for ingest: serves `in/p`, accepts the evaluators' `events/p`, and assigns partitions
/// as a test says.
final class FakeCoordinator {
    let portBase: Int
    let home: TemporaryFolder
    private let bus: Bus
    private var number: UInt64 = 0
    /// Accepted events of `events/p`, in order, by stream.
    private(set) var events: [StreamName: [Event]] = [:]
    private(set) var notices: [BusNotice] = []
    /// Current members, in the order of joining.
    private(set) var members: [ID128] = []
    private(set) var leases: [ID128: [Lease]] = [:]
    /// Stored checkpoints of each partition, oldest first.
    private(set) var checkpoints: [Partition: [Checkpoint]] = [:]
    /// The wanted owners of a partition; by default the first member owns all.
    var owners: (Partition, [ID128]) -> [ID128] = { _, members in Array(members.prefix(1)) } {
        didSet { assignAll() }
    }
    /// Why a checkpoint is rejected; nil = it is stored.
    var refusal: (Checkpoint) -> String? = { _ in nil }
    /// What a new owner starts from: the newest checkpoint, if there is one.
    var handedOut: ([Checkpoint]) -> (Checkpoint, PartitionSnapshot.Audit?)? = { kept in
        kept.last.map { ($0, nil) }
    }
    private var routes: [ID128: Route] = [:]
    private var readers: [ID128: CheckpointReader] = [:]
    private var configuration: [Partition: [(sequence: UInt64, event: Event)]] = [:]

    init() throws {
        portBase = FreePorts.base(of: [101, 201, 301, 302])
        home = try TemporaryFolder()
        let settings = try Runtime.Configuration(
            settings: BusSecurity.settings, environment: ["JAGA_HOME": home.path])
        try BusSecurity.folder(settings).generateOnce()
        var configuration = Bus.Configuration(name: "ingest")
        configuration.served =
            Partition.all.map { Bus.Served(.input($0), isSnapshotable: true) }
            + Partition.all.map { Bus.Served(.events($0), isDerived: true) }
        configuration.publishEndpoint = "tcp://127.0.0.1:\(portBase + 101)"
        configuration.controlEndpoint = "tcp://127.0.0.1:\(portBase + 201)"
        configuration.derivedEndpoint = "tcp://127.0.0.1:\(portBase + 301)"
        configuration.inputsEndpoint = "tcp://127.0.0.1:\(portBase + 302)"
        configuration.security = try BusSecurity.read(settings, role: .ingest)
        bus = try Bus(
            configuration: configuration, store: MemoryBusStore(), clock: SystemClock())
        bus.hooks.notice = { [unowned self] in notices.append($0) }
        bus.hooks.coordinate = { [unowned self] in try coordinate($0, from: $1) }
        bus.hooks.snapshot = { [unowned self] in try snapshot(of: $0) }
    }

    deinit { bus.close() }

    /// Starts an evaluator of this ingest.
    ///
    /// - Parameter seconds: between checkpoints; by default the test ends before the first.
    func startEvaluator(checkpointsEvery seconds: Int = 600) throws -> Capture {
        try Capture(
            Programs.path("jaga-evaluator"), [],
            environment: [
                "JAGA_PORT_BASE": "\(portBase)", "JAGA_HOME": home.path,
                "JAGA_EVALUATOR_CHECKPOINT_SECONDS": "\(seconds)",
            ])
    }

    /// Appends a record about a person.
    func append(_ body: EventBody, of person: PersonID) throws {
        number += 1
        let event = Event(
            id: EventID(ID128(high: 1, low: number)), time: Timestamp(seconds: Int64(number)),
            body: body)
        let partition = Partition.of(person)
        let position = try bus.append(try EventCodec.encode(event), to: .input(partition))
        bus.committed()
        switch body {
        case .inputCircle, .inputPerson:
            configuration[partition, default: []].append((position.sequence, event))
        default: break
        }
    }

    /// Runs until a condition holds, at most 30 s.
    func run(until holds: () throws -> Bool) throws -> Bool {
        try run(until: Date().addingTimeInterval(30), or: holds)
    }

    /// Runs for some time.
    func run(seconds: Double) throws {
        _ = try run(until: Date().addingTimeInterval(seconds), or: { false })
    }

    private func run(until end: Date, or holds: () throws -> Bool) throws -> Bool {
        while try !holds() {
            if Date() > end { return false }
            Loop.wait(on: [bus], atMost: 20)
            try bus.receive { stream, _, record in
                events[stream, default: []].append(try EventCodec.decode(record))
            }
            bus.committed()
            try bus.tick()
        }
        return true
    }

    /// The log of a partition.
    func end(of partition: Partition) -> UInt64 { bus.end(of: .input(partition)) }

    /// The files in the evaluators' home.
    func filesAtHome() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: home.path)
    }

    /// The events about a person.
    func events(of person: PersonID) -> [Event] { events[.events(Partition.of(person))] ?? [] }

    /// Whether every partition has an owner that has read to its end.
    var isAllLive: Bool {
        let live = leases.values.joined().filter { $0.state == .live }.map(\.partition)
        return Set(live).count == Partition.count
    }

    // MARK: Owners

    private func coordinate(_ question: Control, from route: Route) throws {
        switch question {
        case .join(let member, _): receive(member, [], from: route)
        case .renew(let member, _, let held): receive(member, held, from: route)
        case .leave(let member):
            members.removeAll { $0 == member }
            leases[member] = nil
            assignAll()
        case .checkpoint(let piece): try take(piece, from: route)
        default: break
        }
    }

    private func receive(_ member: ID128, _ held: [Lease], from route: Route) {
        routes[member] = route
        leases[member] = held
        if members.contains(member) {
            assign(member)
        } else {
            members.append(member)
            assignAll()
        }
    }

    private func assignAll() { for member in members { assign(member) } }

    private func assign(_ member: ID128) {
        guard let route = routes[member] else { return }
        let mine = Partition.all.filter { owners($0, members).contains(member) }
        bus.reply(
            with:
                .assign(
                    member: member, logic: 1,
                    assignments: mine.map { Assignment(partition: $0, epoch: 1) }), to: route)
    }

    /// Revokes the partitions of a member that crashed.
    func bury(_ member: ID128) {
        members.removeAll { $0 == member }
        leases[member] = nil
        assignAll()
    }

    // MARK: Checkpoints

    private func take(_ piece: CheckpointPiece, from route: Route) throws {
        let verdict: CheckpointVerdict
        switch readers[piece.member, default: CheckpointReader()].receive(piece) {
        case .more(let next): verdict = .more(next: next)
        case .rejected(let reason): verdict = .rejected(reason)
        case .whole(let checkpoint):
            if let reason = refusal(checkpoint) {
                verdict = .rejected(reason)
            } else if try bus.isOnChain(checkpoint.input, of: .input(checkpoint.partition)),
                try bus.isOnChain(checkpoint.output, of: .events(checkpoint.partition))
            {
                checkpoints[checkpoint.partition, default: []].append(checkpoint)
                verdict = .stored
            } else {
                verdict = .rejected("not on the chain")
            }
        }
        let answer = CheckpointReply(partition: piece.partition, id: piece.id, verdict: verdict)
        bus.reply(with: .checkpointReply(answer), to: route)
    }

    private func snapshot(of stream: StreamName) throws -> StreamSnapshot {
        guard case .input(let partition) = stream, let head = bus.position(of: stream) else {
            return StreamSnapshot([])
        }
        guard let (checkpoint, audit) = handedOut(checkpoints[partition] ?? []) else {
            return StreamSnapshot([], at: .start(of: head.incarnation))
        }
        let placed = (configuration[partition] ?? []).filter {
            $0.sequence <= checkpoint.input.sequence
        }
        let snapshot = PartitionSnapshot(
            configuration: try placed.map { try EventCodec.encode($0.event) },
            head: PartitionSnapshot.Head(
                output: checkpoint.output, logic: checkpoint.logic,
                stateHash: checkpoint.stateHash),
            state: checkpoint.state, audit: audit)
        return StreamSnapshot(snapshot.records, at: checkpoint.input)
    }
}

extension Capture {
    /// Its HTTP port, once logged.
    var port: Int? {
        for line in lines where line.contains("ready") {
            guard let range = line.range(of: " port=") else { continue }
            return Int(line[range.upperBound...].prefix { $0.isNumber })
        }
        return nil
    }
}
