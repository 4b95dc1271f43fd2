import API
import Directory
import Hosting
import Model
import Parsing
import Runtime
import Store
import TimerCore
import Web
import Wire

/// Connects ``TimerCore`` with streams, HTTP and the store.
final class TimerService: Service, WatchesDirectory, ReadsSnapshots, OffersSnapshots,
    StartsTransfers, HoldsItems
{
    private let host: any TimerHost
    private let deadlines: DeadlineRows
    private let watches: WatchRows
    private let deliveryWatchdogs: DeliveryWatchdogRows
    private let reachabilityRows: ReachabilityRows
    private let heldWaits: HeldWaits
    private let metrics: TimerMetrics
    private let alarm: OperatorAlarm
    private let settings: TimerCore.Settings
    private let started: Timestamp
    private var core: TimerCore
    private var responses: IdempotentWatches
    private var rounds: RetentionRounds
    private var expiredRows: ExpiredRows

    /// - Parameters:
    ///   - alarmURL: called when nobody was notified of an emergency.
    ///   - retentionEvery: interval between retention rounds.
    init(
        host: any TimerHost, database: Database, metrics: Metrics,
        settings: TimerCore.Settings, alarmURL: String?,
        retentionEvery: Duration = .seconds(3600)
    ) {
        self.host = host
        deadlines = DeadlineRows(database: database)
        watches = WatchRows(database: database)
        deliveryWatchdogs = DeliveryWatchdogRows(database: database)
        reachabilityRows = ReachabilityRows(database: database)
        heldWaits = HeldWaits(watches: watches, deadlines: deadlines)
        self.metrics = TimerMetrics(metrics)
        alarm = OperatorAlarm(host, self.metrics, url: alarmURL)
        self.settings = settings
        started = host.now
        core = TimerCore(settings: settings, started: host.now)
        let store = IdempotencyStore(database)
        responses = IdempotentWatches(store, watches)
        rounds = RetentionRounds(database: database, every: retentionEvery)
        expiredRows = ExpiredRows(deadlines, watches, store, at: host.now)
    }

    // MARK: Turns

    func start() throws { try load() }

    func reload() throws {
        alarm.rollBack()
        try load()
    }

    private func load() throws {
        core = TimerCore(settings: settings, started: started, outage: host.outage)
        core.load(
            deadlines: try deadlines.pending(), watches: try watches.running(),
            deliveryWatchdogs: try deliveryWatchdogs.all(),
            reachability: try reachabilityRows.all())
        try rounds.load(at: host.now)
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        alarm.confirmCalls()
        try apply(event)
    }

    func directoryWillChange(_ event: Event) throws {
        if let input = inputs.reachabilityRemoved(by: event) { try handle(input) }
    }

    private func apply(_ event: Event) throws {
        if let input = try inputs.input(of: event) { try handle(input) }
    }

    private var inputs: EventInputs {
        EventInputs(
            deadlines: deadlines, replica: host.replica, reachability: core.reachability,
            hadOutage: host.outage != nil)
    }

    func handle(_ request: Request) throws {
        alarm.confirmCalls()
        let requests = WatchRequests(
            rows: watches, replica: host.replica,
            principal: host.principal(of: request), now: host.now,
            reachability: core.reachability)
        do {
            switch try requests.parse(request) {
            case .respond(let response): host.answer(request.id, response)
            case .input(let input, let operation): try handle(input, of: operation, from: request)
            }
        } catch let problem as Problem {
            host.answer(request.id, .problem(problem))
        }
    }

    /// Handles a request's input, unless the same request was answered before.
    private func handle(_ input: Input, of operation: Operation, from request: Request) throws {
        let first = try responses.begin(request, of: operation, as: input, at: host.now)
        defer { responses.end() }
        if let first { return host.answer(request.id, first) }
        try handle(input)
    }

    func transferCompleted(_ result: TransferResult) throws {
        alarm.confirmCalls()
        if let input = alarm.completed(result) { try handle(input) }
    }

    func tick() throws {
        alarm.confirmCalls()
        if alarm.makeOwedCalls() { return }
        try handle(.tick)
        if let round = try rounds.popDue(at: host.now) {
            try host.publish(round, on: .deadlines)
        }
        try expiredRows.deleteDue(at: host.now)
    }

    var nextDeadline: Timestamp? {
        min(expiredRows.due, rounds.due, core.nextDeadline ?? .distantFuture)
    }

    // MARK: Streams

    /// Running watches and recently expired waits: enough for a consumer that lost the stream.
    func snapshot(of stream: StreamName) throws -> [Event] {
        let start = host.now - .seconds(Limits.snapshotSeconds)
        return try watches.running().map { .changed($0.watch, at: host.now) }
            + watches.expired(since: start).flatMap { timed, time in
                [Event.changed(timed.watch, at: time), .expired(timed, at: time)]
            }
            + deadlines.expired(since: start, limit: Limits.snapshotDeadlinesMax)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        for event in events { try apply(event) }
    }

    // MARK: Status

    var healthProblems: [String] {
        var healthProblems = core.undelivered.map {
            "nobody was notified of emergency \($0) in time; run jaga emergency show \($0)"
        }
        if core.pendingDeadlineCount > Limits.deadlinesPendingMax {
            healthProblems.append("more than \(Limits.deadlinesPendingMax) deadlines are pending")
        }
        return healthProblems
    }

    var alarms: [String] {
        let count = (try? heldEntries)?.count(where: \.isShown) ?? 0
        guard count > 0, let end = core.holdEnds else { return [] }
        return ["\(count) overdue waits are held until \(end): see 'jaga held'"]
    }

    // MARK: Outage hold

    var heldEntries: [HeldEntry] {
        get throws { try core.heldWaits.compactMap { try heldWaits.entry($0.wait, due: $0.due) } }
    }

    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        let named = Set(entries.map(\.id))
        let waits = core.heldWaits.map(\.wait).filter { isAll || named.contains($0.text) }
        try handle(isDropped ? .drop(waits) : .release(waits))
    }

    var statusDetails: JSON {
        [
            "deadlines": .integer(Int64(core.pendingDeadlineCount)),
            "watches": .integer(Int64(core.activeWatchCount)),
            "undelivered": .array(core.undelivered.map { .string($0.description) }),
        ]
    }

    func writeMetrics(_ metrics: Metrics) { self.metrics.update(from: core) }

    // MARK: Effects

    private func handle(_ input: Input) throws {
        var turn = Turn<Effect>(now: host.now, directory: host.replica)
        core.handle(input, &turn)
        for effect in turn.effects { try perform(effect) }
    }

    private func perform(_ effect: Effect) throws {
        switch effect {
        case .saveDeadline(let deadline, let trace): try deadlines.save(deadline, trace: trace)
        case .removeDeadline(let id): try deadlines.remove(id)
        case .expireDeadline(let id, let late):
            guard let event = try deadlines.expire(id, late: late, at: host.now) else { return }
            if case .deadlineExpired(let deadline) = event.body { metrics.count(deadline) }
            try host.publish(event, on: .deadlines)
        case .saveWatch(let timed): try watches.save(timed, at: host.now)
        case .removeWatches(let person):
            try watches.removeAll(of: person)
            try deadlines.removeAll(of: person)
        case .saveDeliveryWatchdog(let watchdog):
            alarm.updated(watchdog)
            try deliveryWatchdogs.save(watchdog)
        case .removeDeliveryWatchdog(let emergency): try deliveryWatchdogs.remove(emergency)
        case .saveReachability(let change): try reachabilityRows.save(change)
        case .publish(let event): try host.publish(event, on: .deadlines)
        case .respond(let request, let result):
            let response = result.response
            try responses.record(response, at: host.now)
            host.answer(request, response)
        case .raiseAlarm(let watchdog): alarm.raise(watchdog)
        case .endAlarm(let watchdog): alarm.end(watchdog)
        case .callAlarm(let watchdog): alarm.call(watchdog)
        }
    }
}
