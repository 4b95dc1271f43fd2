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
    let host: any TimerHost
    private let runner: CoreRunner
    private let store: TimerStore
    private let alarm: OperatorAlarm
    private let accountDeadlines: AccountDeadlines
    private let metrics: TimerMetrics
    private var rounds: RetentionRounds
    private var expiredRows: ExpiredRows
    /// Whether deadlines of accounts may be missing.
    private var mustCheckAccounts = true

    /// - Parameters:
    ///   - alarmURL: called when nobody was notified of an emergency.
    ///   - retentionEvery: interval between retention rounds.
    ///   - zones: time zones of check-in schedules.
    init(
        host: any TimerHost, database: Database, metrics: Metrics,
        settings: TimerCore.Settings, alarmURL: String?,
        retentionEvery: Duration = .seconds(3600), zones: TimeZoneFolder = TimeZoneFolder()
    ) {
        self.host = host
        store = TimerStore(database)
        self.metrics = TimerMetrics(metrics)
        alarm = OperatorAlarm(host, self.metrics, url: alarmURL)
        let idempotencyStore = IdempotencyStore(database)
        runner = CoreRunner(
            host: host, store: store, idempotencyStore: idempotencyStore, metrics: self.metrics,
            alarm: alarm, settings: settings, zones: zones)
        accountDeadlines = AccountDeadlines(store.deadlines)
        rounds = RetentionRounds(database: database, every: retentionEvery)
        expiredRows = ExpiredRows(
            store.deadlines, store.watches, store.checkIns, idempotencyStore, at: host.now)
    }

    private var core: TimerCore { runner.core }

    // MARK: Turns

    func start() throws { try load() }

    func reload() throws {
        alarm.rollBack()
        mustCheckAccounts = true
        try load()
    }

    private func load() throws {
        try runner.load()
        try rounds.load(at: host.now)
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        alarm.confirmCalls()
        try apply(event)
    }

    func directoryWillChange(_ event: Event) throws {
        if let input = inputs.reachabilityRemoved(by: event) { try runner.handle(input) }
        for input in try accountDeadlines.inputs(of: event, in: host.replica) {
            try runner.handle(input)
        }
    }

    private func apply(_ event: Event) throws {
        guard let input = try inputs.input(of: event) else { return }
        if case .timeZone(let person, let name) = input {
            guard !core.schedules(of: person).isEmpty, runner.loadTimeZone(name) else { return }
        }
        try runner.handle(input)
    }

    private var inputs: EventInputs {
        EventInputs(
            deadlines: store.deadlines, replica: host.replica, reachability: core.reachability,
            hadOutage: host.outage != nil)
    }

    func handle(_ request: Request) throws {
        alarm.confirmCalls()
        let requests = TimerRequests(
            watches: store.watches, core: core, replica: host.replica,
            principal: host.principal(of: request), now: host.now,
            isTimeZone: { [runner] in runner.loadTimeZone($0) })
        do {
            switch try requests.parse(request) {
            case .respond(let response): host.answer(request.id, response)
            case .input(let input, let operation):
                try runner.handle(input, of: operation, from: request)
            }
        } catch let problem as Problem {
            host.answer(request.id, .problem(problem))
        }
    }

    func transferCompleted(_ result: TransferResult) throws {
        alarm.confirmCalls()
        if let input = alarm.completed(result) { try runner.handle(input) }
    }

    func tick() throws {
        alarm.confirmCalls()
        if alarm.makeOwedCalls() { return }
        try checkAccounts()
        try runner.handle(.tick)
        if let round = try rounds.popDue(at: host.now) {
            try host.publish(round, on: .deadlines)
        }
        try expiredRows.deleteDue(at: host.now)
    }

    /// Schedules deadlines of accounts that an older version did not schedule.
    private func checkAccounts() throws {
        guard mustCheckAccounts, !host.replica.isEmpty else { return }
        mustCheckAccounts = false
        let pending = Set(try store.deadlines.pending().map(\.id))
        for input in try accountDeadlines.missing(in: host.replica, pending: pending) {
            try runner.handle(input)
        }
    }

    var nextDeadline: Timestamp? {
        min(expiredRows.due, rounds.due, core.nextDeadline ?? .distantFuture)
    }

    // MARK: Streams

    func snapshot(of stream: StreamName) throws -> [Event] {
        try store.snapshot(at: host.now)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        for event in events { try apply(event) }
    }

    // MARK: Status

    private var status: TimerStatus { TimerStatus(core: core) }
    var healthProblems: [String] { status.healthProblems }
    var alarms: [String] { status.alarms(held: (try? heldEntries) ?? []) }
    var statusDetails: JSON { status.details }
    func writeMetrics(_ metrics: Metrics) { self.metrics.update(from: core) }

    // MARK: Outage hold

    var heldEntries: [HeldEntry] {
        get throws {
            let waits = HeldWaits(watches: store.watches, deadlines: store.deadlines, core: core)
            return try core.heldWaits.compactMap { try waits.entry($0.wait, due: $0.due) }
        }
    }

    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        let named = Set(entries.map(\.id))
        let waits = core.heldWaits.map(\.wait).filter { isAll || named.contains($0.text) }
        try runner.handle(isDropped ? .drop(waits) : .release(waits))
    }
}
