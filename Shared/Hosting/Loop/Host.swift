import Bus
import Model
import Runtime
import Store
import Web
import Wire

/// Event loop of a service.
///
/// Each turn polls, handles all ready input in one transaction, commits, and only then sends
/// responses, records and transfers.
public final class Host {
    public let topology: Topology
    public let database: Database
    public let bus: Bus
    /// The directory replica, for services that consume `directory`.
    public let directory: ReplicaStore?
    public let metrics: Metrics

    private let context: HostContext
    private let records: RecordApplier
    private let turns: TurnRunner
    private let inputs: InputHandler
    private let held: HeldItems
    private let endpoints: StatusEndpoints
    private let adminCommands: AdminCommands
    private let tails: TailServer
    private let hooks: StreamHooks
    private let signals: SignalHandler
    private var requestGuard: RequestGuard
    private var lastAlive: LastAlive
    private var shutdown = ShutdownSequence()

    /// - Parameter readConfiguration: reads the settings again, as at the start; nil in tests
    init(
        definition: ServiceDefinition, configuration: Configuration, parts: HostParts,
        readConfiguration: (() throws -> Configuration)? = nil
    ) {
        context = HostContext(definition, configuration, parts)
        topology = parts.topology
        database = parts.database
        bus = parts.bus
        directory = parts.directory
        metrics = context.metrics
        records = RecordApplier(context)
        turns = TurnRunner(context, records)
        inputs = InputHandler(context, turns, records)
        held = HeldItems(context)
        endpoints = StatusEndpoints(context, turns, records, held)
        adminCommands = AdminCommands(context, turns, records, held)
        tails = TailServer(context, turns)
        hooks = StreamHooks(context, records)
        signals = SignalHandler(context, turns, readConfiguration)
        lastAlive = LastAlive(database)
        // Only some services have the setting.
        let publicURL =
            definition.settings.contains { $0.name == "JAGA_PUBLIC_URL" }
            ? configuration.optional("JAGA_PUBLIC_URL") : nil
        requestGuard = RequestGuard(configuration, publicURL: publicURL, metrics)
    }

    public var definition: ServiceDefinition { context.definition }
    public var configuration: Configuration { context.configuration }
    public var log: Log { context.log }
    /// The time of this turn; never decreases.
    public var now: Timestamp { context.now }
    /// The port that HTTP listens on.
    public var httpPort: Int { context.parts.server.port }
    /// How full the store's disk is. Services reject requests that can wait by it.
    public var diskPressure: DiskPressure { context.diskPressure }
    /// Whether nothing may be sent outside: the host starts no transfers.
    public var isDryRun: Bool { context.parts.isDryRun }
    /// The outage before this start, as long as items that became due in it may be held.
    public var outage: Outage? { held.outage }
    /// Whether the loop has ended.
    var isStopping: Bool { shutdown.isOver || turns.hasLostService }
    var exitCode: Int32 { turns.hasLostService ? 1 : 0 }
    /// Faults that make the service unfit for requests.
    var healthProblems: [String] { endpoints.healthProblems }
    var paths: HostPaths { context.paths }

    // MARK: For the service

    /// Returns the principal of a request's credentials; nil if they are missing or wrong.
    public func principal(of request: Request) -> Principal? { context.principal(of: request) }

    /// Returns the valid credential of a request; nil if it is missing, unknown or expired.
    public func credential(of request: Request) -> Credential? { context.credential(of: request) }

    /// Records that a credential was used, which the host does itself for requests of the API.
    public func recordUse(of credential: CredentialID) { context.recordUse(of: credential) }

    /// The cookie in which the sender of a request can store a session.
    ///
    /// Nil on plain HTTP, except on the loopback address: browsers would not keep it secret there.
    public func sessionCookie(for request: Request) -> SessionCookie? {
        requestGuard.sessionCookie(for: request)
    }

    /// Maximum number of open connections.
    public var connectionsMax: Int { context.parts.connectionsMax }

    /// Answers a request of this turn or an earlier one, after COMMIT.
    public func answer(_ id: UInt64, _ response: Response) { turns.answer(id, response) }

    /// Answers a request after COMMIT, and at a fixed time after this turn began: for responses
    /// whose time must not show what was done.
    public func answer(_ id: UInt64, _ response: Response, after delay: Duration) {
        turns.answer(id, response, after: delay)
    }

    /// Sends the next step of a streamed response, whose body spans many turns, after COMMIT.
    ///
    /// A rollback discards the steps of its turn. The service must then end such responses with
    /// ``StreamStep/cut``.
    public func stream(_ id: UInt64, _ step: StreamStep) { turns.stream(id, step) }

    /// Bytes of a streamed response that the client has not read yet; nil if the client is gone or
    /// has read everything.
    public func unsentBytes(of id: UInt64) -> Int? { context.parts.server.unsentBytes(of: id) }

    /// Appends an event to a stream that this service keeps, in the turn's transaction.
    public func publish(_ event: Event, on stream: StreamName) throws {
        try bus.append(try EventCodec.encode(event), to: stream)
        context.logEvent(event, on: stream, isOwn: true)
    }

    /// Starts a transfer after COMMIT; its result arrives in
    /// ``StartsTransfers/transferCompleted(_:)``.
    public func start(_ transfer: Transfer) { turns.start(transfer) }

    // MARK: Start and end

    /// Connects the service to bus and server, and starts it, before the first turn.
    ///
    /// - Parameter didCrash: whether the previous run did not shut down
    func open(_ service: any Service, didCrash: Bool = false) throws {
        context.connect(service)
        hooks.connect()
        context.parts.server.identifySenders { [unowned self] request in
            // Until the replica has loaded, every sender may be known.
            !bus.isCaughtUp || principal(of: request) != nil
                || context.roles.knowsSenders?.knowsSender(of: request) == true
        }
        try database.begin()
        try directory?.load()
        held.begin(
            after: try lastAlive.begin(
                at: now, hold: context.parts.hold, isNewHeld: definition.holdsWhenNew))
        try service.start()
        try records.loadRequired()
        try database.commit()
        context.shouldReleaseMemory = true
        turns.sendOutputs()
        held.logOutage()
        endpoints.logConcerns(didCrash: didCrash)
        if isDryRun { log.warning("dry run, nothing is sent outside") }
        log.info("ready", ["port": httpPort, "version": Version.text])
        try context.parts.manager?.ready("version \(Version.text), port \(httpPort)")
    }

    /// Starts the drain; turns go on until the service has drained or the timeout is over.
    func beginShutdown() {
        guard !shutdown.hasBegun else { return }
        context.parts.manager?.stopping()
        tails.end()
        shutdown.begin(at: context.parts.clock.monotonic)
        context.roles.drains?.beginShutdown()
    }

    /// Answers waiting requests with 503 and closes the sockets. The store closes with its owner.
    func close() {
        turns.sendAllDelayed()
        turns.refuseOutstanding()
        context.parts.server.flush()
        context.parts.server.stop()
        context.parts.transfers.stop()
        bus.close()
        log.info("stopped")
    }

    // MARK: The loop

    /// Runs until a signal asks for shutdown, or the store can no longer be read.
    func run() {
        let parts = context.parts
        let own = context.roles.hasPollable?.pollable
        let pollables: [(any Pollable)?] = [parts.signals, parts.server, parts.transfers, bus, own]
        while !isStopping {
            Loop.wait(on: pollables.compactMap(\.self), atMost: sleepMilliseconds)
            step()
        }
    }

    /// Handles everything that is ready, without waiting.
    func step() {
        let parts = context.parts
        context.advanceTime()
        context.disk?.step(now, log: log)
        if signals.handle(isShuttingDown: shutdown.hasBegun) { beginShutdown() }
        let requests = admit(parts.server.drain())
        inputs.handle(requests, turns.popUnhandledResults() + parts.transfers.drain())
        records.retryDue(in: turns)
        inputs.retryDeferredCall()
        adminCommands.run()
        lastAlive.record(now)
        held.logNewStore()
        runBus()
        tails.serve()
        turns.sendDelayed()
        parts.server.flush()
        shutdown.step(
            at: parts.clock.monotonic, hasDrained: context.roles.drains?.hasDrained != false
        ) { bus.leave() }
        parts.manager?.beat(parts.clock.monotonic)
        parts.watchdog?.beat(parts.clock.monotonic)
    }

    /// Answers the requests that the host handles itself.
    ///
    /// - Returns: the requests for the service
    private func admit(_ requests: [Request]) -> [Request] {
        let server = context.parts.server
        return requests.filter { request in
            if let refusal = requestGuard.refusal(of: request, context) {
                server.answer(request.id, .problem(refusal))
            } else if let response = endpoints.response(to: request) {
                server.answer(request.id, response)
            } else if adminCommands.includes(request), !isStopping {
                adminCommands.enqueue(request)
            } else if shutdown.hasBegun {
                server.answer(request.id, .problem(HostLimits.unavailable))
            } else if tails.includes(request) {
                tails.follow(request)
            } else {
                return true
            }
            return false
        }
    }

    /// Runs the bus's work between turns.
    private func runBus() {
        guard context.service != nil else { return }
        do {
            try bus.tick()
        } catch {
            turns.logFailure(error)
        }
        hooks.logDivergences()
    }

    /// How long the loop may wait for input, milliseconds.
    var sleepMilliseconds: Int {
        if shutdown.hasBegun { return HostLimits.drainSleepMilliseconds }
        if turns.lastFailure != nil { return HostLimits.failureSleepMilliseconds }
        if tails.hasWork { return 0 }
        let deadlines = [
            context.service?.nextDeadline, context.roles.defersCalls?.deferredCallDue,
            records.nextDue, turns.nextDelayed,
        ]
        guard let deadline = deadlines.compactMap(\.self).min() else {
            return HostLimits.sleepMillisecondsMax
        }
        // The rest is rounded down: one millisecond more avoids an empty turn before the deadline.
        let rest = Int((deadline - now).milliseconds) + 1
        return max(0, min(HostLimits.sleepMillisecondsMax, rest))
    }
}
