import API
import Bus
import Directory
import Hashing
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

    /// Returns the principal of a request's credentials; nil if they are missing or wrong.
    func principal(of request: Request) -> Principal? {
        directory?.principal(of: request) ?? roles.authenticates?.principal(of: request)
    }

    /// Whether a request has the monitoring token, for which private data is masked.
    func isMonitor(_ request: Request) -> Bool {
        guard let token = Credentials(request.headers)?.token else { return false }
        return replica?.credential(tokenHash: Hash.sha256Text(token))?.scope == .monitor
    }

    /// Rejects every principal except the operator.
    func checkOperator(_ request: Request) throws(Problem) {
        guard let principal = principal(of: request) else {
            throw .unauthorized("the credentials are missing or wrong")
        }
        guard principal == .operator else {
            throw .denied("only the operator may read the state of the suite")
        }
    }

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
