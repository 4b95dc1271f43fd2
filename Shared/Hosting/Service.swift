import Bus
import Directory
import Model
import Parsing
import Runtime
import Web
import Wire

/// The part of a service that connects its core to a ``Host``.
///
/// The host calls these methods on its one thread, inside an open transaction. Whatever a method
/// publishes, answers or starts through the host leaves the process only after COMMIT. If a method
/// throws, the host rolls the whole turn back and calls ``reload()``.
public protocol Service: AnyObject {
    /// Loads the core from the store, in a transaction of its own, before the first turn.
    func start() throws

    /// Rebuilds the core from the store after a turn was rolled back.
    func reload() throws

    /// Requests of earlier turns that the service still answers after ``reload()``. The host
    /// answers all other pending requests with 503.
    var suspendedRequests: Set<UInt64> { get }

    /// Called before the directory replica applies an event.
    func directoryWillChange(_ event: Event) throws

    /// Applies one event of a stream that this service consumes.
    func apply(_ event: Event, from stream: StreamName, at position: Position) throws

    /// Handles a request. The service answers it exactly once with ``Host/answer(_:_:)``, in this
    /// turn or a later one.
    func handle(_ request: Request) throws

    /// Returns whether a request raises an emergency with a valid credential. If the turn of such a
    /// request fails, the host retries the request alone and at once.
    func isEmergencyRequest(_ request: Request) -> Bool

    /// Stores an emergency request that could not be processed, exactly as it was received.
    ///
    /// Runs in a transaction of its own. The host retries it later, see ``deferredCallDue``.
    ///
    /// - Returns: the response that the sender's protocol treats as success; nil if the request
    ///   does not raise an emergency
    func deferCall(_ request: Request, because reason: String) throws -> Response?

    /// When the next deferred call is retried; nil if there is none.
    var deferredCallDue: Timestamp? { get }

    /// Raises the emergency of the deferred call that is due, in a transaction of its own.
    ///
    /// - Parameter isBare: raise it without any details of the request, because an attempt with
    ///   them failed
    func retryDeferredCall(isBare: Bool) throws

    /// Schedules the next retry of the deferred call that is due, after both attempts failed.
    func postponeDeferredCall() throws

    /// Handles the result of a transfer started with ``Host/start(_:)``.
    func transferCompleted(_ result: TransferResult) throws

    /// An input besides HTTP and streams that wakes the loop; ``tick()`` reads it.
    var pollable: (any Pollable)? { get }

    /// Called after COMMIT: input read from ``pollable`` is now on disk and may be acknowledged.
    func committed()

    /// Called once per turn after all other inputs, with ``Host/now`` as the time.
    func tick() throws

    /// The latest time of the next ``tick()``; nil if the service has no deadline.
    var nextDeadline: Timestamp? { get }

    /// Returns the events that replace the whole history of a stream which this service writes.
    func snapshot(of stream: StreamName) throws -> [Event]

    /// Returns the rows of a snapshot of a stream which this service writes, and its position. Only
    /// streams whose snapshots contain more than events need this instead of ``snapshot(of:)``.
    func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot

    /// Replaces all state derived from a stream by the rows of a snapshot.
    ///
    /// For a partition assigned to this process, the rows are a ``PartitionSnapshot``; they are
    /// empty if the partition has no checkpoint. The partition's state then starts from them.
    func replace(
        _ stream: StreamName, withRecords records: [Record], at position: Position) throws

    /// Replaces all state derived from a stream by the events of a snapshot.
    func replace(_ stream: StreamName, with events: [Event]) throws

    /// Resets what was derived from a stream that has no snapshots and is read again from its
    /// oldest record, because it was pruned or replaced by another one. Events that are applied a
    /// second time have the same ids.
    func restart(_ stream: StreamName) throws

    /// Handles a lease request for partitions: `JOIN`, `RENEW`, `LEAVE` or `CHECKPOINT`. Replies go
    /// through ``Bus/tell(_:to:)``.
    func coordinate(_ question: Control, from route: Route) throws

    /// Returns whether a member may propose records for a derived stream kept here.
    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool

    /// Called when a member proposed a record that is invalid or cannot be decoded.
    func proposalRejected(_ stream: StreamName, by member: ID128, because reason: String) throws

    /// Drops the state of a partition that is no longer assigned to this process.
    func partitionRevoked(_ partition: Partition) throws

    /// Called with the outcome of a checkpoint sent with ``Bus/send(checkpoint:)``.
    func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws

    /// Applies settings that can change in a running process, such as gateways, in a transaction of
    /// its own.
    ///
    /// - Throws: if a setting is invalid; the service keeps the old settings
    func reconfigure(_ configuration: Configuration) throws

    /// Starts the drain before the process exits. Turns go on until ``hasDrained``, for at most 3
    /// s.
    func beginShutdown()

    /// Whether the service has nothing left to do before the process exits.
    var hasDrained: Bool { get }

    /// The sequence up to which `in/p` may be pruned: no stored checkpoint needs records before it.
    /// Nil if nothing may be pruned.
    func pruneFloor(of stream: StreamName) throws -> UInt64?

    /// Returns the principal of a request's credentials. Only for services that know principals
    /// without a directory replica.
    func principal(of request: Request) -> Principal?

    /// Returns whether the sender of a request is known by its header alone; the body has not been
    /// received yet.
    func knowsSender(of request: Request) -> Bool

    /// The directory itself, for the service that owns it and therefore has no replica.
    var ownDirectory: Replica? { get }

    /// Whether this service keeps the access log: who saw whose position, readable by that person.
    var keepsAccessLog: Bool { get }

    /// Records in the access log that the operator saw the positions of these people, in a
    /// transaction of its own.
    func recordAccess(to people: Set<PersonID>) throws

    /// Sets gauges. Called just before `/metrics` is answered.
    func writeMetrics(_ metrics: Metrics)

    /// Faults that make the service unfit for requests, one sentence each; empty if it is healthy.
    ///
    /// `/healthz` and `/readyz` answer 503 as long as there is one, so proxies send requests
    /// elsewhere. Holders of the monitoring token see each sentence up to its first colon: names,
    /// numbers, positions and texts from outside belong after it. The same holds for ``alarms`` and
    /// ``concerns``.
    var healthProblems: [String] { get }

    /// Faults that need an operator although the service still accepts all requests, one sentence
    /// each.
    ///
    /// `/healthz` answers 503 as long as there is one; `/readyz` does not.
    var alarms: [String] { get }

    /// Conditions that need attention some day, one sentence each. They are shown and change no
    /// status code.
    var concerns: [String] { get }

    /// Counts and texts for the member `details` of `GET /v1/status/…`. Add the name of each new
    /// text to ``StatusMasking``, which decides whether holders of the monitoring token see it.
    var statusDetails: JSON { get }

    /// Items that became due during ``Host/outage`` and wait for the operator, earliest first.
    var heldEntries: [HeldEntry] { get throws }

    /// Sends or drops held items.
    ///
    /// - Parameters:
    ///   - isAll: include held items that are not listed because no operator needs to see them
    ///   - isDropped: drop the items instead of sending them
    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws
}

extension Service {
    public var suspendedRequests: Set<UInt64> { [] }
    public func directoryWillChange(_ event: Event) throws {}
    public func isEmergencyRequest(_ request: Request) -> Bool { false }
    public func deferCall(_ request: Request, because reason: String) throws -> Response? { nil }
    public var deferredCallDue: Timestamp? { nil }
    public func retryDeferredCall(isBare: Bool) throws {}
    public func postponeDeferredCall() throws {}
    public func transferCompleted(_ result: TransferResult) throws {}
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
    public func partitionRevoked(_ partition: Partition) throws {}
    public func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws {}
    public func reconfigure(_ configuration: Configuration) throws {}
    public func beginShutdown() {}
    public var hasDrained: Bool { true }
    public func restart(_ stream: StreamName) throws {}
    public func pruneFloor(of stream: StreamName) throws -> UInt64? { nil }
    public func principal(of request: Request) -> Principal? { nil }
    public func knowsSender(of request: Request) -> Bool { principal(of: request) != nil }
    public var ownDirectory: Replica? { nil }
    public var keepsAccessLog: Bool { false }
    public func recordAccess(to people: Set<PersonID>) throws {}
    public func writeMetrics(_ metrics: Metrics) {}
    public var healthProblems: [String] { [] }
    public var alarms: [String] { [] }
    public var concerns: [String] { [] }
    public var statusDetails: JSON { .object([]) }
    public var heldEntries: [HeldEntry] { [] }
    public func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {}
}
