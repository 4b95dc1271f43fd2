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
final class TimerService: Service {
    private let host: any TimerHost
    private let deadlines: DeadlineRows
    private let watches: WatchRows
    private let deliveryWatchdogs: DeliveryWatchdogRows
    private let reachabilityRows: ReachabilityRows
    private let idempotencyStore: IdempotencyStore
    private let metrics: TimerMetrics
    private let settings: TimerCore.Settings
    private let started: Timestamp
    private var core: TimerCore
    private var alarmCalls: AlarmCalls
    private var rounds: RetentionRounds
    /// The idempotency key of the request being handled.
    private var currentKey: IdempotencyStore.Key?
    private var nextDeletion: Timestamp

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
        idempotencyStore = IdempotencyStore(database)
        self.metrics = TimerMetrics(metrics)
        self.settings = settings
        started = host.now
        core = TimerCore(settings: settings, started: host.now)
        alarmCalls = AlarmCalls(url: alarmURL)
        rounds = RetentionRounds(database: database, every: retentionEvery)
        nextDeletion = host.now
    }

    // MARK: Turns

    func start() throws { try load() }

    func reload() throws {
        alarmCalls.rollBack()
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
        alarmCalls.confirmCalls()
        try apply(event)
    }

    /// Removes the reachability of a removed person's contact points. If others share one, the
    /// notifier publishes it again.
    func directoryWillChange(_ event: Event) throws {
        guard case .personRemoved(let removal) = event.body,
            let person = host.replica.person(removal.person)
        else { return }
        let known = person.contacts.map(\.key).filter { core.reachability.problems[$0] != nil }
        guard !known.isEmpty else { return }
        let states = known.map { ContactPointState(contact: $0, problem: nil) }
        try handle(.reachability(ReachabilityChange(contacts: states)))
    }

    private func apply(_ event: Event) throws {
        switch event.body {
        case .deadlineScheduled(let deadline):
            // After an outage streams are read again: nobody waits for a deadline that has already
            // expired.
            if host.outage != nil, try deadlines.hasExpired(deadline.id) { return }
            try handle(.deadlineScheduled(deadline, trace: event.trace))
        case .deadlineCancelled(let deadline): try handle(.deadlineCancelled(deadline.id))
        case .sosRaised(let signal): try handle(.signal(signal))
        case .sosCancelled(let cancel): try handle(.signalCancelled(cancel))
        case .emergencyCountdown(let change), .emergencyOpened(let change),
            .emergencyJoined(let change),
            .emergencyCancelled(let change), .emergencyAcknowledged(let change),
            .emergencyResolved(let change):
            try handle(.emergency(change))
        case .notificationChanged(let change):
            try handle(.notification(change, isReachable: isReachable(by: change)))
        case .escalationTierStarted(let change), .escalationExhausted(let change):
            try handle(.escalated(change.emergency))
        case .reachabilityChanged(let change): try handle(.reachability(change))
        case .acknowledgementCommitted(let answer): try handle(.acknowledged(answer))
        case .resolutionCommitted(let answer): try handle(.resolved(answer))
        case .personRemoved(let removal): try handle(.personRemoved(removal.person))
        default: break
        }
    }

    /// Whether a message's recipient has a contact point of its channel that is neither opted out
    /// nor dead. An unknown recipient counts as reachable.
    private func isReachable(by change: NotificationChanged) -> Bool {
        let contacts = (host.replica.person(change.recipient)?.contacts ?? []).filter {
            $0.channel == change.channel && !$0.address.isEmpty
        }
        return contacts.isEmpty
            || contacts.contains { core.reachability.problems[$0.key] == nil }
    }

    func handle(_ request: Request) throws {
        alarmCalls.confirmCalls()
        let requests = WatchRequests(
            rows: watches, replica: host.replica,
            principal: host.principal(of: request), now: host.now,
            reachability: core.reachability)
        do {
            switch try requests.parse(request) {
            case .respond(let response): host.answer(request.id, response)
            case .input(let input): try handle(input, from: request)
            }
        } catch let problem as Problem {
            host.answer(request.id, .problem(problem))
        }
    }

    /// Handles a request's input, unless the same request was answered before.
    private func handle(_ input: Input, from request: Request) throws {
        currentKey = try IdempotencyStore.Key(request, as: .command)
        defer { currentKey = nil }
        if let key = currentKey, let first = try idempotencyStore.response(to: key, at: host.now),
            try isCurrent(first, to: input)
        {
            return host.answer(request.id, first)
        }
        try handle(input)
    }

    /// Whether the first response to a request is still true. A response that shows a running watch
    /// is true only while the watch runs; repeating it later would claim a watch that does not
    /// exist.
    private func isCurrent(_ first: Response, to input: Input) throws -> Bool {
        if case .closeWatch = input { return true }
        guard let id = try? JSON.parse(first.body)["id"]?.string.flatMap({ WatchID($0) }) else {
            return false
        }
        return try watches.find(id).map { [.active, .reminded].contains($0.watch.state) } ?? false
    }

    func transferCompleted(_ result: TransferResult) throws {
        alarmCalls.confirmCalls()
        let rejection = result.outcome.rejection
        guard let emergency = alarmCalls.finish(result.token, isAccepted: rejection == nil)
        else { return }
        if let rejection {
            host.log.warning(
                "operator alarm call failed",
                ["emergency": emergency, "reason": rejection, "setting": TimerSettings.alarmURL])
        }
        try handle(
            .alarmCalled(emergency, accepted: rejection == nil, jitter: SecureRandom.id().high))
    }

    func tick() throws {
        alarmCalls.confirmCalls()
        if makeOwedCalls() { return }
        try handle(.tick)
        if let round = try rounds.popDue(at: host.now) {
            try host.publish(round, on: .deadlines)
        }
        if host.now >= nextDeletion { try deleteExpired() }
    }

    /// Repeats calls that were rolled back with their turn, in a turn that writes nothing and
    /// therefore commits even on a full disk. The next turn decides again.
    private func makeOwedCalls() -> Bool {
        let calls = alarmCalls.owedCalls(at: host.now)
        guard !calls.isEmpty else { return false }
        host.log.error(
            "operator alarm call without a stored alarm",
            ["calls": calls.count, "hint": "Free disk space for the timer's store."])
        for call in calls { host.start(call) }
        return true
    }

    var nextDeadline: Timestamp? {
        min(nextDeletion, rounds.due, core.nextDeadline ?? .distantFuture)
    }

    /// Deletes expired rows, a limited number in each turn.
    private func deleteExpired() throws {
        let limit = Limits.removedPerTurnMax
        let removed = max(
            try idempotencyStore.prune(at: host.now, limit: limit),
            try deadlines.removeExpired(
                before: host.now - .seconds(Limits.expiredDeadlineKeptSeconds), limit: limit),
            try watches.removeOver(
                before: host.now - .seconds(Limits.watchKeptSeconds), limit: limit))
        nextDeletion = host.now + .seconds(removed == limit ? 1 : Limits.removalSeconds)
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

    /// Deadlines of the notifier are not shown: the notifier holds their consequences itself, and
    /// retries need no decision.
    var heldEntries: [HeldEntry] {
        get throws {
            try core.heldWaits.compactMap { wait, due in
                switch wait {
                case .watch(let id):
                    return try watches.find(id).map {
                        HeldEntry(
                            id: id.description, kind: "watch",
                            what: DeadlineKind.watchExpiry.rawValue, person: $0.watch.person,
                            due: $0.expiry)
                    }
                case .deadline(let id):
                    guard let deadline = try deadlines.findPending(id), deadline.rule != .retry
                    else {
                        return nil
                    }
                    return HeldEntry(
                        id: id.description, kind: "clock", what: deadline.rule.rawValue,
                        person: deadline.person, emergency: deadline.emergency, due: due,
                        isShown: !deadline.rule.isNotifierOwned)
                }
            }
        }
    }

    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        let named = Set(entries.map(\.id))
        let waits = core.heldWaits.map(\.wait).filter { isAll || named.contains($0.text) }
        try handle(isDropped ? .drop(waits) : .release(waits))
    }

    var statusDetails: JSON {
        [
            "clocks": .integer(Int64(core.pendingDeadlineCount)),
            "watches": .integer(Int64(core.activeWatchCount)),
            "undelivered": .array(core.undelivered.map { .string($0.description) }),
        ]
    }

    func writeMetrics(_ metrics: Metrics) { self.metrics.update(from: core) }

    // MARK: Effects

    private func handle(_ input: Input) throws {
        var effects: [Effect] = []
        core.handle(input, at: host.now, into: &effects)
        for effect in effects { try perform(effect) }
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
        case .saveDeliveryWatchdog(let deliveryWatchdog):
            if !deliveryWatchdog.isOpen { alarmCalls.forget(deliveryWatchdog.emergency) }
            try deliveryWatchdogs.save(deliveryWatchdog)
        case .removeDeliveryWatchdog(let emergency): try deliveryWatchdogs.remove(emergency)
        case .saveReachability(let change): try reachabilityRows.save(change)
        case .publish(let event): try host.publish(event, on: .deadlines)
        case .respond(let request, let result): try respond(result, to: request)
        case .raiseAlarm(let deliveryWatchdog):
            guard alarmCalls.shouldLog(deliveryWatchdog.emergency, at: host.now) else {
                return
            }
            metrics.countAlarm()
            host.log.error(
                "emergency undelivered",
                [
                    "emergency": deliveryWatchdog.emergency,
                    "countdown_ends": deliveryWatchdog.countdownEnds,
                    "hint":
                        "Contact people yourself; jaga status shows queue and gateways.",
                ])
        case .endAlarm(let deliveryWatchdog):
            host.log.info(
                "alarm ended",
                ["emergency": deliveryWatchdog.emergency])
        case .callAlarm(let deliveryWatchdog):
            if let transfer = alarmCalls.call(deliveryWatchdog, at: host.now) {
                host.start(transfer)
            }
        }
    }

    private func respond(_ result: WatchResult, to request: UInt64) throws {
        let response =
            switch result {
            case .started(let timed): timed.response(status: 201)
            case .extended(let timed), .closed(let timed): timed.response()
            case .rejected(let rejection): Response.problem(rejection.problem)
            }
        if let currentKey { try idempotencyStore.store(response, to: currentKey, at: host.now) }
        host.answer(request, response)
    }
}

extension HeldWait {
    fileprivate var text: String {
        switch self {
        case .deadline(let id): id.description
        case .watch(let id): id.description
        }
    }
}

extension DeadlineKind {
    /// Whether the notifier owns this deadline and shows what is held because of it.
    fileprivate var isNotifierOwned: Bool {
        [.tier, .fallback, .acknowledgementHold].contains(self)
    }
}
