import Bus
import Directory
import Model
import Parsing
import Runtime
import Web
import Wire

/// What a daemon brings to its ``Host``: the thin layer between descriptors and a pure core.
///
/// The host calls these methods on its one thread, inside an open transaction. What they publish,
/// answer and start through the host leaves only after COMMIT. A method that throws takes the whole
/// turn back.
public protocol Service: AnyObject {
    /// Loads the core from the store, before the first turn; in a transaction of its own.
    func start() throws

    /// Rebuilds the core from the store after a turn was taken back.
    func reload() throws

    /// Requests of earlier turns that it answers also after ``reload()``; all others hear 503.
    var suspended: Set<UInt64> { get }

    /// Hears of a change of the directory while the replica is still as it was before.
    func directoryWillChange(_ event: Event) throws

    /// Applies one event of a stream that this service consumes.
    func apply(_ event: Event, from stream: StreamName, at position: Position) throws

    /// Handles a request. It is answered exactly once by ``Host/answer(_:_:)``, now or in a later
    /// turn.
    func handle(_ request: Request) throws

    /// Whether a request calls for help by a valid credential. Such a request is tried alone at
    /// once where the turn that it shared failed.
    func callsForHelp(_ request: Request) -> Bool

    /// Stores a call for help that cannot be processed as it came, in a transaction of its own.
    ///
    /// - Returns: what the sender takes as success; nil where the request is no call for help
    func keepCall(_ request: Request, because reason: String) throws -> Response?

    /// When the next kept call is to be tried again; nil: none waits.
    var keptCallDue: Timestamp? { get }

    /// Raises the kept call that is due, in a transaction of its own.
    ///
    /// - Parameter isBare: without anything that it says
    func retryKeptCall(isBare: Bool) throws

    /// The kept call that is due cannot be raised now: plans its next try.
    func postponeKeptCall() throws

    /// Takes the result of a transfer started by ``Host/start(_:)``.
    func transferred(_ result: TransferResult) throws

    /// Something beside HTTP and streams that a turn is to begin for; ``tick()`` takes it in.
    var pollable: (any Pollable)? { get }

    /// A turn was committed: what was taken in by ``pollable`` is on the disk.
    func committed()

    /// Called every turn after all other inputs, with ``Host/now`` as the time.
    func tick() throws

    /// When ``tick()`` must be called at the latest; nil = no wish.
    var nextDeadline: Timestamp? { get }

    /// The records that stand for the whole of a stream which this service writes.
    func snapshot(of stream: StreamName) throws -> [Event]

    /// The rows that stand for a stream which this service writes, and the position that they lead
    /// to; for streams whose snapshots hold more than events.
    func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot

    /// Replaces what was learned from a stream by the rows of a snapshot of it.
    ///
    /// For a partition that this process was given, they are a ``PartitionSnapshot``, or no rows
    /// where there is no checkpoint: all that is known of the partition begins with that.
    func replace(
        _ stream: StreamName, withRecords records: [Record], at position: Position) throws

    /// Replaces what was learned from a stream by a snapshot of it.
    func replace(_ stream: StreamName, with events: [Event]) throws

    /// A stream without snapshots is not the one that was followed, or was pruned: it goes on from
    /// its oldest record. Whatever is a function of its records alone begins again; events that
    /// come a second time have the same ids.
    func restart(_ stream: StreamName) throws

    /// Takes a question about the ownership of partitions: `JOIN`, `RENEW`, `LEAVE`, `CHECKPOINT`.
    /// Answers go by ``Bus/tell(_:to:)``.
    func coordinate(_ question: Control, from route: Route) throws

    /// Whether a member may propose outputs for a stream kept here.
    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool

    /// Hears that a member proposed what cannot be read.
    func proposalRejected(_ stream: StreamName, by member: ID128, because reason: String) throws

    /// Forgets a partition that this process has no longer.
    func lost(_ partition: Partition) throws

    /// Hears what became of the checkpoint given to ``Bus/send(checkpoint:)``.
    func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws

    /// Applies what may change in a running process, such as gateways, from settings that were read
    /// again. In a transaction of its own.
    ///
    /// - Throws: if a setting is wrong; the service goes on with the old ones
    func reconfigure(_ configuration: Configuration) throws

    /// The process was told to end: begins what has to be done before. Turns go on until
    /// ``hasLeft``, but not for long.
    func startLeaving()

    /// Whether nothing has to be done any more before the process ends.
    var hasLeft: Bool { get }

    /// Up to which sequence `in/p` may be forgotten: what no checkpoint that is kept needs. Nil:
    /// nothing may be.
    func pruneFloor(of stream: StreamName) throws -> UInt64?

    /// Who the credentials of a request speak for, where the service itself knows and has no
    /// replica of the directory.
    func principal(of request: Request) -> Principal?

    /// Whether the header of a request, whose body is still to come, names somebody who is known.
    func knowsSender(of request: Request) -> Bool

    /// The directory itself, where the service keeps it and has no replica.
    var ownDirectory: Replica? { get }

    /// Whether who saw somebody's position is kept here, for that person to read.
    var keepsAccessLog: Bool { get }

    /// Notes that the operator sees where these people are; in a transaction of its own.
    func noteLook(at people: Set<PersonID>) throws

    /// Sets gauges just before `/metrics` is answered.
    func writeMetrics(_ metrics: Metrics)

    /// Sentences about what is wrong; empty = healthy. Nothing is to be sent here meanwhile.
    ///
    /// Of these, and of those below, whoever has the monitoring token reads what stands before the
    /// first colon: no name, number or position, and no words from outside belong there.
    var troubles: [String] { get }

    /// Sentences about what somebody must look at, although all that is sent here is taken.
    var alarms: [String] { get }

    /// Sentences about what somebody should look at some day; shown, and nothing more.
    var concerns: [String] { get }

    /// Shown by `GET /v1/status/…` under `details`: counts, and texts of which ``StatusMasking``
    /// knows whether everybody who watches may read them.
    var statusDetails: JSON { get }

    /// What became due in ``Host/outage`` and waits for the operator; the earliest first.
    var held: [HeldEntry] { get throws }

    /// Has entries of ``held`` done now, or nothing come of them.
    ///
    /// - Parameter isAll: also what is held and not shown, since nobody needs to know
    func settle(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws
}

extension Service {
    public var suspended: Set<UInt64> { [] }
    public func directoryWillChange(_ event: Event) throws {}
    public func callsForHelp(_ request: Request) -> Bool { false }
    public func keepCall(_ request: Request, because reason: String) throws -> Response? { nil }
    public var keptCallDue: Timestamp? { nil }
    public func retryKeptCall(isBare: Bool) throws {}
    public func postponeKeptCall() throws {}
    public func transferred(_ result: TransferResult) throws {}
    public var pollable: (any Pollable)? { nil }
    public func committed() {}
    public func tick() throws {}
    public var nextDeadline: Timestamp? { nil }
    public func snapshot(of stream: StreamName) throws -> [Event] { [] }
    public func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot {
        StreamSnapshot(try snapshot(of: stream).map(EventCodec.encode))
    }
    public func replace(_ stream: StreamName, with events: [Event]) throws {}
    public func replace(
        _ stream: StreamName, withRecords records: [Record], at position: Position
    ) throws {
        try replace(stream, with: try records.map(Host.event))
    }
    public func coordinate(_ question: Control, from route: Route) throws {}
    public func mayPropose(_ stream: StreamName, by member: ID128) -> Bool { true }
    public func proposalRejected(
        _ stream: StreamName, by member: ID128, because reason: String
    ) throws {}
    public func lost(_ partition: Partition) throws {}
    public func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws {}
    public func reconfigure(_ configuration: Configuration) throws {}
    public func startLeaving() {}
    public var hasLeft: Bool { true }
    public func restart(_ stream: StreamName) throws {}
    public func pruneFloor(of stream: StreamName) throws -> UInt64? { nil }
    public func principal(of request: Request) -> Principal? { nil }
    public func knowsSender(of request: Request) -> Bool { principal(of: request) != nil }
    public var ownDirectory: Replica? { nil }
    public var keepsAccessLog: Bool { false }
    public func noteLook(at people: Set<PersonID>) throws {}
    public func writeMetrics(_ metrics: Metrics) {}
    public var troubles: [String] { [] }
    public var alarms: [String] { [] }
    public var concerns: [String] { [] }
    public var statusDetails: JSON { .object([]) }
    public var held: [HeldEntry] { [] }
    public func settle(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {}
}
