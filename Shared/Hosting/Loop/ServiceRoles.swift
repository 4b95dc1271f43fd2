import Bus
import Directory
import Model
import Runtime
import Web
import Wire

/// Role: derives state from the directory and compares it before and after a change.
public protocol WatchesDirectory: Service {
    /// Called before the directory replica applies an event.
    func directoryWillChange(_ event: Event) throws
}

/// Role: consumes streams with snapshots.
public protocol ReadsSnapshots: Service {
    /// Replaces all state derived from a stream by the events of a snapshot.
    func replace(_ stream: StreamName, with events: [Event]) throws
}

/// Role: derives state from streams that have no snapshots.
public protocol RereadsStreams: Service {
    /// Resets what was derived from a stream that has no snapshots and is read again from its
    /// oldest record, because it was pruned or replaced by another one. Events that are applied a
    /// second time have the same ids.
    func restart(_ stream: StreamName) throws
}

/// Role: keeps streams with snapshots.
public protocol OffersSnapshots: Service {
    /// Returns the events that replace the whole history of a stream which this service writes.
    func snapshot(of stream: StreamName) throws -> [Event]
}

/// Role: keeps the streams of partitions, and assigns the partitions to workers.
public protocol PartitionOwner: Service {
    /// Handles a lease request for partitions: `JOIN`, `RENEW`, `LEAVE` or `CHECKPOINT`. Replies go
    /// through the bus.
    func coordinate(_ request: Control, from route: Route) throws

    /// Returns whether a member may propose records for a derived stream kept here.
    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool

    /// Called when a member proposed a record that is invalid or cannot be decoded.
    func proposalRejected(_ stream: StreamName, by member: ID128, because reason: String) throws

    /// Returns a partition's checkpoint as a snapshot of its inputs, and its position.
    func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot

    /// The sequence up to which `in/p` may be pruned: no stored checkpoint needs records before it.
    /// Nil if nothing may be pruned.
    func pruneFloor(of stream: StreamName) throws -> UInt64?
}

/// Role: evaluates the partitions that are assigned to this process.
public protocol PartitionWorker: Service {
    /// Replaces the state of a partition by a ``PartitionSnapshot``. The rows are empty if the
    /// partition has no checkpoint.
    func replace(
        _ stream: StreamName, withRecords records: [Record], at position: Position) throws

    /// Drops the state of a partition that is no longer assigned to this process.
    func partitionRevoked(_ partition: Partition) throws

    /// Called with the outcome of a checkpoint sent with ``Bus/send(checkpoint:)``.
    func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws
}

/// Role: raises emergencies by requests, and defers those that cannot be processed.
public protocol DefersCalls: Service {
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
}

/// Role: answers some requests in later turns from state that survives a rollback.
public protocol SuspendsRequests: Service {
    /// Requests of earlier turns that the service still answers after ``Service/reload()``. The
    /// host answers all other pending requests with 503.
    var suspendedRequests: Set<UInt64> { get }
}

/// Role: starts transfers.
public protocol StartsTransfers: Service {
    /// Handles the result of a transfer started with ``Host/start(_:)``.
    func transferCompleted(_ result: TransferResult) throws
}

/// Role: has an input besides HTTP and streams.
public protocol HasPollable: Service {
    /// Wakes the loop; ``Service/tick()`` reads it. Nil if it is switched off.
    var pollable: (any Pollable)? { get }

    /// Called after COMMIT: input read from ``pollable`` is now on disk and may be acknowledged.
    func committed()
}

/// Role: applies some settings in a running process, such as gateways.
public protocol Reconfigures: Service {
    /// Applies the settings, in a transaction of its own.
    ///
    /// - Throws: if a setting is invalid; the service keeps the old settings
    func reconfigure(_ configuration: Configuration) throws
}

/// Role: has work to finish before the process exits.
public protocol Drains: Service {
    /// Starts the drain. Turns go on until ``hasDrained``, for at most 3 s.
    func beginShutdown()

    /// Whether the service has nothing left to do before the process exits.
    var hasDrained: Bool { get }
}

/// Role: knows credentials without a directory replica.
public protocol Authenticates: Service {
    /// Returns the valid credential of a request; nil if it is missing, unknown or expired.
    func credential(of request: Request) -> Credential?
}

/// Role: knows senders whose credentials are not those of a principal.
public protocol KnowsSenders: Service {
    /// Returns whether the sender of a request is known by its header alone; the body has not been
    /// received yet.
    func knowsSender(of request: Request) -> Bool
}

/// Role: owns the directory and therefore has no replica.
public protocol OwnsDirectory: Service {
    var ownDirectory: Replica { get }
}

/// Role: passes on which credentials were used.
public protocol RecordsUsage: Service {
    /// Stores or publishes which credentials were used on a day, in the turn's transaction. A
    /// credential is passed about once a day.
    func recordUsage(_ usage: CredentialUsage) throws
}

/// Role: keeps the access log: who saw whose position, readable by that person.
public protocol KeepsAccessLog: Service {
    /// Records that the operator saw the positions of these people, in a transaction of its own.
    ///
    /// - Parameter reason: why, as the operator gave it
    func recordAccess(to people: Set<PersonID>, reason: String?) throws
}

/// Role: holds what became due during ``Host/outage`` for the operator.
public protocol HoldsItems: Service {
    /// Items that wait for the operator, earliest first.
    var heldEntries: [HeldEntry] { get throws }

    /// Sends or drops held items.
    ///
    /// - Parameters:
    ///   - isAll: include held items that are not listed because no operator needs to see them
    ///   - isDropped: drop the items instead of sending them
    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws
}

/// The roles of a service, each nil if it does not have it. Looked up once, at the start.
struct ServiceRoles {
    let watchesDirectory: (any WatchesDirectory)?
    let readsSnapshots: (any ReadsSnapshots)?
    let rereadsStreams: (any RereadsStreams)?
    let offersSnapshots: (any OffersSnapshots)?
    let partitionOwner: (any PartitionOwner)?
    let partitionWorker: (any PartitionWorker)?
    let defersCalls: (any DefersCalls)?
    let suspendsRequests: (any SuspendsRequests)?
    let startsTransfers: (any StartsTransfers)?
    let hasPollable: (any HasPollable)?
    let reconfigures: (any Reconfigures)?
    let drains: (any Drains)?
    let authenticates: (any Authenticates)?
    let knowsSenders: (any KnowsSenders)?
    let ownsDirectory: (any OwnsDirectory)?
    let keepsAccessLog: (any KeepsAccessLog)?
    let recordsUsage: (any RecordsUsage)?
    let holdsItems: (any HoldsItems)?

    /// - Parameter service: nil before the start, and after it could not be reloaded
    init(_ service: (any Service)?) {
        watchesDirectory = service as? any WatchesDirectory
        readsSnapshots = service as? any ReadsSnapshots
        rereadsStreams = service as? any RereadsStreams
        offersSnapshots = service as? any OffersSnapshots
        partitionOwner = service as? any PartitionOwner
        partitionWorker = service as? any PartitionWorker
        defersCalls = service as? any DefersCalls
        suspendsRequests = service as? any SuspendsRequests
        startsTransfers = service as? any StartsTransfers
        hasPollable = service as? any HasPollable
        reconfigures = service as? any Reconfigures
        drains = service as? any Drains
        authenticates = service as? any Authenticates
        knowsSenders = service as? any KnowsSenders
        ownsDirectory = service as? any OwnsDirectory
        keepsAccessLog = service as? any KeepsAccessLog
        recordsUsage = service as? any RecordsUsage
        holdsItems = service as? any HoldsItems
    }
}
