import API
import Bus
import Directory
import Model
import Runtime
import Store
import Web
import Wire

/// What the parts of a ``Host`` share: the process, its service, and the time of the turn.
final class HostContext {
    let definition: ServiceDefinition
    let configuration: Configuration
    let parts: HostParts
    let paths: HostPaths
    let metrics = Metrics()
    /// When the process started.
    let started: Timestamp
    var log: Log
    var disk: DiskGauge?
    /// The time of this turn; never decreases.
    private(set) var now: Timestamp
    /// Nil before the start, and after the service could not be reloaded.
    private(set) var service: (any Service)?
    private(set) var roles = ServiceRoles(nil)
    private let wallJumps: Counter
    /// Whether this attempt called the service, so that a rollback must reload it.
    var isServiceTouched = false
    /// Credentials used since the last time that they were passed on.
    private var used = UsedCredentials()
    /// The request that the service is handling, and its credential.
    private var handled: (request: UInt64, credential: Credential?)?
    /// Whether a snapshot was read in this turn, which leaves much unused memory in the allocator.
    var shouldReleaseMemory = false

    init(_ definition: ServiceDefinition, _ configuration: Configuration, _ parts: HostParts) {
        self.definition = definition
        self.configuration = configuration
        self.parts = parts
        paths = HostPaths(definition.name)
        log = parts.log
        disk = parts.disk
        now = parts.clock.now
        started = now
        wallJumps = metrics.counter("jaga_wall_clock_jumps_total", "Jumps of the wall clock.")
    }

    var bus: Bus { parts.bus }
    var database: Database { parts.database }
    var directory: ReplicaStore? { parts.directory }
    /// The directory, whether this service owns it or has a replica.
    var replica: Replica? { directory?.replica ?? roles.ownsDirectory?.ownDirectory }
    var diskPressure: DiskPressure { disk?.pressure ?? .none }

    /// Starts a turn.
    func advanceTime() {
        if let jump = parts.clock.wallJump() {
            log.warning(
                "wall clock jumped; deadlines are not affected",
                ["seconds": jump.components.seconds])
            wallJumps.add()
        }
        now = max(now, parts.clock.now)
    }

    /// Connects the service before the first turn, or disconnects one whose state may differ from
    /// its store: then it gets no more inputs.
    func connect(_ service: (any Service)?) {
        self.service = service
        roles = ServiceRoles(service)
    }

    // MARK: Senders

    /// Returns the valid credential of a request; nil if it is missing, unknown or expired.
    func credential(of request: Request) -> Credential? {
        if let handled, handled.request == request.id { return handled.credential }
        return directory?.credential(of: request, at: now)
            ?? roles.authenticates?.credential(of: request)
    }

    /// Returns the principal of a request's credential; nil if it is missing, wrong or expired.
    func principal(of request: Request) -> Principal? { credential(of: request)?.principal }

    /// Whether a request has the monitoring token, for which private data is masked.
    func isMonitor(_ request: Request) -> Bool { credential(of: request)?.kind == .monitor }

    /// Rejects every principal except the operator and staff with that role.
    func checkOperator(_ request: Request) throws(Problem) {
        guard let credential = credential(of: request) else {
            throw .unauthorized("the credentials are missing or wrong")
        }
        // The rights of staff do not extend to their phones.
        let accepted = CredentialKinds.personal.union(.operator)
        if let refusal = accepted.refusal(of: credential.kind) { throw refusal }
        let isStaff = credential.principal.flatMap {
            replica?.decide($0, .administer, on: .suite, at: now).isAllowed
        }
        guard isStaff != true else { return }
        if let refusal = CredentialKinds.operator.refusal(of: credential.kind) { throw refusal }
    }

    /// Passes a request to its handler, unless its operation does not accept the kind of its
    /// credential.
    ///
    /// - Returns: the rejection; nil if the request was handled
    func handle(_ request: Request, _ body: () throws -> Void) rethrows -> Problem? {
        defer { handled = nil }
        // Phones send credentials in many forms; ingest checks their kind when it finds one.
        if !RequestGuard.isPhonePath(request.path), let operation = definition.operation(request) {
            let credential = credential(of: request)
            if let kind = credential?.kind, let refusal = operation.kinds.refusal(of: kind) {
                return refusal
            }
            if let credential { recordUse(of: credential.id) }
            handled = (request.id, credential)
        }
        try body()
        return nil
    }

    // MARK: Usage

    /// Records that a credential was used.
    func recordUse(of credential: CredentialID) {
        if roles.recordsUsage != nil { used.record(credential, at: now) }
    }

    /// Passes on which credentials were used, if it is time to, as part of the turn.
    func passUsage() throws {
        guard let service = roles.recordsUsage, let usage = used.due(at: now) else { return }
        try service.recordUsage(usage)
    }

    func committed() { used.committed() }

    func rolledBack() { used.rolledBack() }

    // MARK: Events

    /// Logs an event with the trace of its request, so that a request can be followed through all
    /// services: milestones at level info, everything else at debug.
    ///
    /// - Parameter isOwn: whether this service published the event, rather than read it
    func logEvent(_ event: Event, on stream: StreamName, isOwn: Bool) {
        let message = isOwn ? "published" : "read"
        func fields() -> LogFields {
            [
                "stream": stream.text, "type": event.kind.type, "event": event.id,
                "trace": event.trace,
            ]
        }
        // A service that catches up on old records must not flood its log.
        if event.isMilestone(isOwn: isOwn), now - event.time < HostLimits.milestoneAge {
            log.info(message, fields())
        } else {
            log.debug(message, fields())
        }
    }
}

/// Paths that the host serves for every service. Stored, because every request is compared with
/// them.
struct HostPaths {
    let status, streams, held, tail: String

    init(_ service: ServiceName) {
        status = HostOperation.status.path(of: service)
        streams = HostOperation.streams.path(of: service)
        held = HostOperation.held.path(of: service)
        tail = HostOperation.tail.path(of: service)
    }
}
