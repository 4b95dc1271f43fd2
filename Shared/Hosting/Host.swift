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
    public let definition: ServiceDefinition
    public let configuration: Configuration
    public let topology: Topology
    public internal(set) var log: Log
    public let metrics = Metrics()
    public let database: Database
    public let bus: Bus
    /// The directory replica, for services that consume `directory`.
    public let directory: ReplicaStore?
    /// The time of this turn; never decreases.
    public private(set) var now: Timestamp

    let parts: HostParts
    let started: Timestamp
    // Stored, because every request is compared with them.
    private(set) lazy var streamsPath = "/v1/streams/\(definition.name.rawValue)"
    private(set) lazy var heldPath = "/v1/held/\(definition.name.rawValue)"
    private let turns, turnsRolledBack, wallJumps: Counter
    let deadLettered, abandoned: Counter

    var service: (any Service)?
    // Outputs of the turn, sent after COMMIT.
    private var pendingResponses: [(id: UInt64, response: Response)] = []
    private var pendingSteps: [(id: UInt64, step: StreamStep)] = []
    private var pendingTransfers: [Transfer] = []
    /// Requests that the service has not answered yet.
    var outstanding: Set<UInt64> = []
    /// Results of a turn that was rolled back; the next turn handles them again.
    private var unhandledResults: [TransferResult] = []
    /// Emergency requests of the turn that failed last; each is retried alone at once.
    var sparedEmergencies: [Request] = []
    let callsDeferred: Counter
    /// Turns left in which every input gets its own transaction.
    var isolatedTurns = 0
    /// Requests and results that failed in a transaction of their own.
    var inputs = InputFailures()
    /// When the process exits at the latest, monotonic; nil until shutdown begins.
    private(set) var shutdownDeadline: Duration?
    /// Until when the bus sends its last messages, monotonic.
    private var flushDeadline: Duration?
    private(set) var isStopping = false
    var exitCode: Int32 = 0
    /// Why the last turn was rolled back; nil after a commit.
    private(set) var lastFailure: String?
    var disk: DiskGauge?
    /// When the service last ran on this store.
    var lastAlive: LastAlive
    /// The outage before this start, as long as items that became due in it may be held.
    public internal(set) var outage: Outage?
    /// When the host last checked whether a new store holds items; nil if that has been logged or
    /// need not be.
    var holdCheckedAt: Timestamp?
    /// Decides what happens to records that cannot be applied.
    var deadLetterPolicy = DeadLetterPolicy()
    /// Dead letters that emergencies depend on; they are retried forever.
    var requiredRecords = RequiredRecords()
    /// Whether this turn changed the table of dead letters.
    var isDeadLetterChanged = false
    var applying: Applying?
    /// Whether a snapshot was read in this turn, which leaves much unused memory in the allocator.
    var shouldReleaseMemory = false
    var divergences = Divergences()
    /// Whether this attempt called the service, so that a rollback must reload it.
    var isServiceTouched = false
    /// Whether the last turn was rolled back because of a record.
    private(set) var didRecordFail = false
    var adminCommands: [Request] = []
    /// The last failure that was logged, to limit repetitions.
    var logged: (text: String, at: Timestamp)?
    let terminal = ControllingTerminal()
    /// Reads the settings again, as at the start; nil in tests.
    var readConfiguration: (() throws -> Configuration)?
    /// Whether the previous run did not shut down.
    var didCrash = false
    var requestGuard: RequestGuard
    var tails: [TailReader] = []

    init(definition: ServiceDefinition, configuration: Configuration, parts: HostParts) {
        self.definition = definition
        self.configuration = configuration
        self.parts = parts
        topology = parts.topology
        log = parts.log
        database = parts.database
        bus = parts.bus
        directory = parts.directory
        disk = parts.disk
        lastAlive = LastAlive(parts.database)
        now = parts.clock.now
        started = now
        turnsRolledBack = metrics.counter(
            "jaga_turns_rolled_back_total", "Turns whose transaction was rolled back.")
        turns = metrics.counter("jaga_turns_total", "Turns committed.")
        deadLettered = metrics.counter(
            "jaga_dead_letters_total", "Records that could not be applied and were dead-lettered.")
        // Only some services have the setting.
        let publicURL =
            definition.settings.contains { $0.name == "JAGA_PUBLIC_URL" }
            ? configuration.optional("JAGA_PUBLIC_URL") : nil
        requestGuard = RequestGuard(configuration, publicURL: publicURL, metrics)
        abandoned = metrics.counter(
            "jaga_inputs_abandoned_total",
            "Requests and transfer results that failed on every attempt and were abandoned.")
        callsDeferred = metrics.counter(
            "jaga_calls_kept_total",
            "Emergency requests that failed on every attempt and were stored for a retry.")
        wallJumps = metrics.counter("jaga_wall_clock_jumps_total", "Jumps of the wall clock.")
    }

    /// The port that HTTP listens on.
    public var httpPort: Int { parts.server.port }

    /// How full the store's disk is. Services reject requests that can wait by it.
    public var diskPressure: DiskPressure { disk?.pressure ?? .none }

    /// Whether nothing may be sent outside: the host starts no transfers.
    public var isDryRun: Bool { parts.isDryRun }

    // MARK: Outputs, sent after COMMIT

    /// Answers a request of this turn or an earlier one.
    public func answer(_ id: UInt64, _ response: Response) {
        pendingResponses.append((id, response))
    }

    /// Sends the next step of a streamed response, whose body spans many turns.
    ///
    /// A rollback discards the steps of its turn. The service must then end such responses with
    /// ``StreamStep/cut``.
    public func stream(_ id: UInt64, _ step: StreamStep) {
        pendingSteps.append((id, step))
    }

    /// Bytes of a streamed response that the client has not read yet; nil if the client is gone or
    /// has read everything.
    public func unsentBytes(of id: UInt64) -> Int? { parts.server.unsentBytes(of: id) }

    /// Appends an event to a stream that this service keeps, in the turn's transaction.
    public func publish(_ event: Event, on stream: StreamName) throws {
        try bus.append(try EventCodec.encode(event), to: stream)
        logEvent(event, on: stream, isOwn: true)
    }

    /// Starts a transfer; its result arrives in ``Service/transferCompleted(_:)``.
    public func start(_ transfer: Transfer) {
        pendingTransfers.append(transfer)
    }

    // MARK: The loop

    /// Runs until a signal asks for shutdown, or the store can no longer be read.
    func run() {
        let own = service?.pollable
        let pollables: [(any Pollable)?] = [parts.signals, parts.server, parts.transfers, bus, own]
        while !isStopping {
            Loop.wait(on: pollables.compactMap(\.self), atMost: sleepMilliseconds)
            step()
        }
    }

    /// Handles everything that is ready, without waiting.
    func step() {
        advanceTime()
        disk?.step(now, log: log)
        let signals = parts.signals?.drain() ?? []
        if signals.contains(where: endsProcess) {
            beginShutdown()
        } else if signals.contains(.hangUp) {
            reloadConfiguration()
        }
        let requests = admit(parts.server.drain())
        let results = unhandledResults + parts.transfers.drain()
        unhandledResults = []
        if isolatedTurns > 0 {
            isolatedTurns -= 1
            handleIndividually(requests, results)
        } else {
            handle(requests, results)
        }
        runIsolatedWork()
        lastAlive.record(now)
        logHold()
        runBus()
        serveTails()
        parts.server.flush()
        finishShutdown()
        parts.manager?.beat(parts.clock.monotonic)
        parts.watchdog?.beat(parts.clock.monotonic)
    }

    /// Starts the drain; turns go on until the service has drained or the timeout is over.
    func beginShutdown() {
        guard shutdownDeadline == nil else { return }
        parts.manager?.stopping()
        endTails()
        shutdownDeadline = parts.clock.monotonic + HostLimits.drainTimeout
        service?.beginShutdown()
    }

    /// Stops the loop when the service has drained or the timeout is over. The message that returns
    /// the leases needs a moment to leave the process.
    private func finishShutdown() {
        guard let shutdownDeadline else { return }
        let now = parts.clock.monotonic
        if let flushDeadline {
            isStopping = now >= flushDeadline
        } else if service?.hasDrained != false || now >= shutdownDeadline {
            if bus.leave() { flushDeadline = now + HostLimits.flushTime } else { isStopping = true }
        }
    }

    /// Runs the bus's work between turns.
    private func runBus() {
        guard service != nil else { return }
        do {
            try bus.tick()
        } catch {
            logFailure(error)
        }
        logDivergences()
    }

    private func advanceTime() {
        if let jump = parts.clock.wallJump() {
            log.warning(
                "wall clock jumped; deadlines are not affected",
                ["seconds": jump.components.seconds])
            wallJumps.add()
        }
        now = max(now, parts.clock.now)
    }

    /// Retries failed records and runs the operator's commands, each in its own transaction.
    private func runIsolatedWork() {
        if let due = deadLetterPolicy.nextDue, due <= now {
            turn(requests: [], results: []) { _ in try receiveSuspects() }
            deadLetterPolicy.suspectsRan(now)
        }
        retryRequired()
        retryDeferredCall()
        for request in adminCommands { runAdminCommand(request) }
        adminCommands.removeAll()
    }

    /// Runs a command of the operator. An invalid command is answered without starting a turn.
    private func runAdminCommand(_ request: Request) {
        do {
            let adminCommand = try adminCommand(of: request)
            if let failure = attempt({ try perform(adminCommand, for: request) }) {
                throw problem(because: failure)
            }
        } catch {
            refuse(request.id, problem(because: error))
        }
    }

    private func problem(because error: any Error) -> Problem {
        if let problem = error as? Problem { return problem }
        logFailure(error)
        return HostLimits.unavailable
    }

    /// Runs one turn: one transaction, then its outputs.
    ///
    /// - Parameters:
    ///   - alone: the only input of the turn, if it has just one
    ///   - emergencyCandidates: requests of the turn that may raise emergencies. If the turn fails
    ///     for another reason than the store, those that do are not answered with 503 but put into
    ///     ``sparedEmergencies``.
    /// - Returns: whether the turn was committed
    @discardableResult
    func turn(
        requests: [UInt64], results: [TransferResult], alone: InputFailures.Input? = nil,
        emergencyCandidates: [Request] = [], _ body: (any Service) throws -> Void
    ) -> Bool {
        sparedEmergencies = []
        guard let service else { return false }
        outstanding.formUnion(requests)
        do {
            try database.begin()
            try body(service)
            try database.commit()
        } catch {
            if releaseReserve(for: error, retrying: requests) {
                return turn(
                    requests: requests, results: results, alone: alone,
                    emergencyCandidates: emergencyCandidates, body)
            }
            if (error as? StoreError)?.isStoreFailure != true {
                sparedEmergencies = emergencyCandidates.filter {
                    outstanding.contains($0.id) && service.isEmergencyRequest($0)
                }
                outstanding.subtract(sparedEmergencies.map(\.id))
            }
            let retried = alone.map { recordFailure($0, for: error, results: results) } ?? results
            rollBack(because: error, results: retried)
            return false
        }
        finishCommit()
        return true
    }

    /// Runs a turn for one operation. If it fails, only its own transaction is rolled back; waiting
    /// requests are affected only if the service has to be reloaded.
    ///
    /// - Returns: why it failed; nil if it was committed
    func attempt(_ body: () throws -> Void) -> (any Error)? {
        isServiceTouched = false
        do {
            try database.begin()
            try body()
            try database.commit()
        } catch {
            if releaseReserve(for: error, retrying: []) { return attempt(body) }
            undo(isServiceTouched: isServiceTouched)
            return error
        }
        finishCommit()
        return nil
    }

    private func finishCommit() {
        lastFailure = nil
        directory?.committed()
        clearPassedSuspects()
        turns.add()
        sendOutputs()
        service?.committed()
        if shouldReleaseMemory {
            shouldReleaseMemory = false
            Memory.releaseUnused()
        }
    }

    /// Sends the outputs of the committed turn.
    func sendOutputs() {
        bus.committed()
        for answer in pendingResponses {
            outstanding.remove(answer.id)
            parts.server.answer(answer.id, answer.response)
        }
        pendingResponses.removeAll(keepingCapacity: true)
        for (id, step) in pendingSteps {
            outstanding.remove(id)
            parts.server.stream(id, step)
        }
        pendingSteps.removeAll(keepingCapacity: true)
        if !isDryRun { for transfer in pendingTransfers { parts.transfers.start(transfer) } }
        pendingTransfers.removeAll(keepingCapacity: true)
    }

    /// Rolls a failed turn back: its results are handled again, its requests answered with 503.
    private func rollBack(because error: any Error, results: [TransferResult]) {
        turnsRolledBack.add()
        didRecordFail = recordFailedRecord(for: error)
        logFailure(error)
        lastFailure = "\(error)"
        unhandledResults += results
        undo(isServiceTouched: true)
    }

    /// Discards the transaction and its outputs, and reloads the service if it was called. Waiting
    /// requests that the service no longer knows are answered with 503.
    func undo(isServiceTouched: Bool) {
        database.rollback()
        applying = nil
        isDeadLetterChanged = false
        pendingResponses.removeAll()
        pendingSteps.removeAll()
        pendingTransfers.removeAll()
        do {
            try bus.rolledBack()
            try directory?.rolledBack()
            guard isServiceTouched, let service else { return }
            try service.reload()
            refuseOutstanding(but: service.suspendedRequests)
        } catch {
            // A core whose state differs from the disk must not decide anything; the next start
            // reads the store again.
            log.error(error, ["operation": "reload", "action": "exit"])
            refuseOutstanding()
            service = nil
            exitCode = 1
            isStopping = true
        }
    }
}
