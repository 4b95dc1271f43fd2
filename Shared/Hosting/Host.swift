import Bus
import Model
import Runtime
import Store
import Web
import Wire

/// The one thread of a service: waits, drains what is ready, lets the service decide, commits once,
/// and only then speaks.
public final class Host {
    public let definition: ServiceDefinition
    public let configuration: Configuration
    public let topology: Topology
    public internal(set) var log: Log
    public let metrics = Metrics()
    public let database: Database
    public let bus: Bus
    /// The directory, for services that consume it.
    public let directory: ReplicaStore?
    /// Time of this turn; never decreases.
    public private(set) var now: Timestamp

    let parts: HostParts
    let started: Timestamp
    /// Each request is compared with them.
    private(set) lazy var streamsPath = "/v1/streams/\(definition.name.rawValue)"
    private(set) lazy var heldPath = "/v1/held/\(definition.name.rawValue)"
    private let turns, turnsTakenBack, wallJumps: Counter
    let putAside, givenUp: Counter

    var service: (any Service)?
    /// Leaves after COMMIT.
    private var answers: [(id: UInt64, response: Response)] = []
    private var steps: [(id: UInt64, step: StreamStep)] = []
    private var departures: [Transfer] = []
    /// Requests given to the service and not answered yet.
    var outstanding: Set<UInt64> = []
    /// Results that a turn which was taken back has not digested.
    private var undigested: [TransferResult] = []
    /// Calls for help of the turn that failed last: they are tried alone at once.
    var sparedCalls: [Request] = []
    let callsKept: Counter
    /// Turns left in which every input has a transaction of its own.
    var carefulTurns = 0
    /// Requests and results that failed alone.
    var inputs = InputWatch()
    /// Told to end, and when it does at the latest.
    private(set) var leaveUntil: Duration?
    /// Everything is said, and leaves until then.
    private var farewell: Duration?
    /// This turn is the last one.
    private(set) var isStopping = false
    /// What the process ends with.
    var exitCode: Int32 = 0
    /// Why the last turn was taken back; nil once one was committed.
    private(set) var lastFailure: String?
    var disk: DiskGauge?
    /// When this store's service ran.
    var attendance: Attendance
    /// The time before this start in which it did not, while what became due in it may be held.
    public internal(set) var outage: Outage?
    /// That something of before a store's first start is held was not looked for later than this;
    /// nil = it is not, or was told.
    var holdLookedFor: Timestamp?
    /// Records that cannot be digested.
    var poison = PoisonWatch()
    /// Those of them that are tried again from where they are kept.
    var needed = NeededRecords()
    /// What is put aside changed in this turn.
    var isPoisonChanged = false
    /// The record that is being applied, and whether nothing else is in its transaction.
    var applying: Applying?
    /// A snapshot was read in this turn: much memory is held for nothing.
    var isMemoryLoose = false
    var divergences = Divergences()
    /// The service was given something in this attempt.
    var isServiceTouched = false
    /// The last turn was taken back because of a record.
    private(set) var isRecordToBlame = false
    /// What the operator asked to have done with streams.
    var chores: [Request] = []
    var logged: (text: String, at: Timestamp)?
    let terminal = ControllingTerminal()
    /// Reads the settings again, as at the start; nil where there are none to read.
    var readConfiguration: (() throws -> Configuration)?
    /// The run before did not end by itself.
    var wasKilled = false
    /// Which requests are refused before anything looks at them.
    var requestGuard: RequestGuard
    /// Who follows events over HTTP.
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
        attendance = Attendance(parts.database)
        now = parts.clock.now
        started = now
        turnsTakenBack = metrics.counter(
            "jaga_turns_taken_back_total", "Turns whose transaction could not be committed.")
        turns = metrics.counter("jaga_turns_total", "Turns committed.")
        putAside = metrics.counter(
            "jaga_poison_records_total", "Records that could not be digested and were put aside.")
        // Only some services have the setting.
        let publicURL =
            definition.settings.contains { $0.name == "JAGA_PUBLIC_URL" }
            ? configuration.optional("JAGA_PUBLIC_URL") : nil
        requestGuard = RequestGuard(configuration, publicURL: publicURL, metrics)
        givenUp = metrics.counter(
            "jaga_inputs_given_up_total",
            "Requests and results of transfers that failed each time and were given up.")
        callsKept = metrics.counter(
            "jaga_calls_kept_total",
            "Calls for help that failed each time and were kept as they came.")
        wallJumps = metrics.counter("jaga_wall_clock_jumps_total", "Jumps of the wall clock.")
    }

    /// The port that HTTP listens on.
    public var httpPort: Int { parts.server.port }

    /// How little room is left for the store: what can wait is to be refused by it.
    public var diskPressure: DiskPressure { disk?.pressure ?? .none }

    /// Nothing leaves to anybody outside: transfers are not to be started.
    public var isRehearsal: Bool { parts.isRehearsal }

    // MARK: What a service says; it leaves after COMMIT

    /// Answers a request of this or an earlier turn.
    public func answer(_ id: UInt64, _ response: Response) {
        answers.append((id, response))
    }

    /// Goes on with the answer to a request, whose body comes piece by piece over many turns. When
    /// a turn is taken back, so is what it said here: the service ends such answers by `cut` then.
    public func stream(_ id: UInt64, _ step: StreamStep) {
        steps.append((id, step))
    }

    /// Bytes of such an answer that wait for the client; nil = it is gone, or has all of them.
    public func unsentBytes(of id: UInt64) -> Int? { parts.server.unsentBytes(of: id) }

    /// Appends an event to a stream that this service keeps, in the turn's transaction.
    public func publish(_ event: Event, on stream: StreamName) throws {
        try bus.append(try EventCodec.encode(event), to: stream)
        note(event, on: stream, isOwn: true)
    }

    /// Starts a transfer; its result comes to ``Service/transferred(_:)``.
    public func start(_ transfer: Transfer) {
        departures.append(transfer)
    }

    // MARK: The loop

    /// Runs until a signal says stop, or the store can no longer be read.
    func run() {
        let own = service?.pollable
        let pollables: [(any Pollable)?] = [parts.signals, parts.server, parts.transfers, bus, own]
        while !isStopping {
            Loop.wait(on: pollables.compactMap(\.self), atMost: sleepMilliseconds)
            step()
        }
    }

    /// Takes what is ready, without waiting for anything.
    func step() {
        advanceTime()
        disk?.step(now, log: log)
        let signals = parts.signals?.drain() ?? []
        if signals.contains(where: endsProcess) {
            startLeaving()
        } else if signals.contains(.hangUp) {
            reloadConfiguration()
        }
        let requests = admit(parts.server.drain())
        let results = undigested + parts.transfers.drain()
        undigested = []
        if carefulTurns > 0 {
            carefulTurns -= 1
            takeCarefully(requests, results)
        } else {
            take(requests, results)
        }
        takeAlone()
        attendance.note(now)
        tellHold()
        tellAndAsk()
        serveTails()
        parts.server.flush()
        leave()
        parts.manager?.beat(parts.clock.monotonic)
        parts.watchdog?.beat(parts.clock.monotonic)
    }

    /// Told to end: goes on until the service has left, within a time.
    func startLeaving() {
        guard leaveUntil == nil else { return }
        parts.manager?.stopping()
        endTails()
        leaveUntil = parts.clock.monotonic + HostLimits.leaving
        service?.startLeaving()
    }

    /// Ends when the service has left, or its time is over. Whoever gave it partitions hears so,
    /// and that takes a moment to get out.
    private func leave() {
        guard let leaveUntil else { return }
        let now = parts.clock.monotonic
        if let farewell {
            isStopping = now >= farewell
        } else if service?.hasLeft != false || now >= leaveUntil {
            if bus.leave() { farewell = now + HostLimits.farewell } else { isStopping = true }
        }
    }

    /// What the bus does between turns.
    private func tellAndAsk() {
        guard service != nil else { return }
        do {
            try bus.tick()
        } catch {
            logFailure(error)
        }
        tellDivergences()
    }

    private func advanceTime() {
        if let jump = parts.clock.wallJump() {
            log.warning(
                "the wall clock jumped; running waits are not affected",
                ["seconds": jump.components.seconds])
            wallJumps.add()
        }
        now = max(now, parts.clock.now)
    }

    /// A record that failed, and what the operator wants done, in transactions of their own.
    private func takeAlone() {
        if let due = poison.nextDue, due <= now {
            turn(requests: [], results: []) { _ in try receiveSuspects() }
            poison.hadTurn(now)
        }
        retryNeeded()
        retryKeptCall()
        for request in chores { take(request) }
        chores.removeAll()
    }

    /// Does what the operator asked for. A refusal is an answer: no turn was begun for it.
    private func take(_ request: Request) {
        do {
            let chore = try chore(of: request)
            if let failure = attempt({ try perform(chore, for: request) }) {
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

    /// One turn: one transaction, then everything that was waiting for it.
    ///
    /// - Parameters:
    ///   - alone: the one input of the turn, if it has but one
    ///   - mayCall: requests of the turn that may call for help; those that do are not refused when
    ///     it fails, but are in ``sparedCalls`` then, unless the store is to blame
    /// - Returns: whether it was committed.
    @discardableResult
    func turn(
        requests: [UInt64], results: [TransferResult], alone: InputWatch.Input? = nil,
        mayCall: [Request] = [], _ body: (any Service) throws -> Void
    ) -> Bool {
        sparedCalls = []
        guard let service else { return false }
        outstanding.formUnion(requests)
        do {
            try database.begin()
            try body(service)
            try database.commit()
        } catch {
            if releaseReserve(for: error, retrying: requests) {
                return turn(
                    requests: requests, results: results, alone: alone, mayCall: mayCall, body)
            }
            if (error as? StoreError)?.isOfTheStore != true {
                sparedCalls = mayCall.filter {
                    outstanding.contains($0.id) && service.callsForHelp($0)
                }
                outstanding.subtract(sparedCalls.map(\.id))
            }
            let again = alone.map { blame($0, for: error, results: results) } ?? results
            takeBack(because: error, results: again)
            return false
        }
        concluded()
        return true
    }

    /// A turn for one thing alone. Where it fails, it is as if it had not been: nobody who waits
    /// hears of it, unless the service was given something that only a reload takes from it.
    ///
    /// - Returns: why it failed; nil when it was committed
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
        concluded()
        return nil
    }

    private func concluded() {
        lastFailure = nil
        directory?.committed()
        forgetPassedSuspects()
        turns.add()
        speak()
        service?.committed()
        if isMemoryLoose {
            isMemoryLoose = false
            Memory.giveBack()
        }
    }

    /// Says what the committed turn decided.
    func speak() {
        bus.committed()
        for answer in answers {
            outstanding.remove(answer.id)
            parts.server.answer(answer.id, answer.response)
        }
        answers.removeAll(keepingCapacity: true)
        for (id, step) in steps {
            outstanding.remove(id)
            parts.server.stream(id, step)
        }
        steps.removeAll(keepingCapacity: true)
        if !isRehearsal { for transfer in departures { parts.transfers.start(transfer) } }
        departures.removeAll(keepingCapacity: true)
    }

    /// What a turn that failed leaves behind: its inputs come again, or hear 503.
    private func takeBack(because error: any Error, results: [TransferResult]) {
        turnsTakenBack.add()
        isRecordToBlame = blameRecord(for: error)
        logFailure(error)
        lastFailure = "\(error)"
        undigested += results
        undo(isServiceTouched: true)
    }

    /// ROLLBACK, nothing said; the core starts again from the store, and whoever waits and is not
    /// known to it any more hears 503.
    func undo(isServiceTouched: Bool) {
        database.rollback()
        applying = nil
        isPoisonChanged = false
        answers.removeAll()
        steps.removeAll()
        departures.removeAll()
        do {
            try bus.rolledBack()
            try directory?.rolledBack()
            guard isServiceTouched, let service else { return }
            try service.reload()
            refuseOutstanding(but: service.suspended)
        } catch {
            // A core that holds what is not on disk must not decide anything: the next start reads
            // the store again.
            log.error(error, ["reading": "store", "then": "the process ends"])
            refuseOutstanding()
            service = nil
            exitCode = 1
            isStopping = true
        }
    }
}
