import Directory
import Hosting
import Model
import Parsing
import Runtime
import Store
import TimerCore
import Web
import Wire

/// Between streams, HTTP and store on one side and ``TimerCore`` on the other.
final class TimerService: Service {
    private let outside: any Surroundings
    private let clocks: ClockRows
    private let watches: WatchRows
    private let vigils: VigilRows
    private let reachabilityRows: ReachabilityRows
    private let keptAnswers: KeptAnswers
    private let metrics: TimerMetrics
    private let settings: TimerCore.Settings
    private let started: Timestamp
    private var core: TimerCore
    private var alarmCalls: AlarmCalls
    private var rounds: RetentionRounds
    /// The key of the request that is just being handled.
    private var answering: KeptAnswers.Key?
    private var nextRemoval: Timestamp

    /// - Parameters:
    ///   - alarmURL: called when nobody was told of an emergency
    ///   - retentionEvery: between two rounds of forgetting
    init(
        outside: any Surroundings, database: Database, metrics: Metrics,
        settings: TimerCore.Settings, alarmURL: String?,
        retentionEvery: Duration = .seconds(3600)
    ) {
        self.outside = outside
        clocks = ClockRows(database: database)
        watches = WatchRows(database: database)
        vigils = VigilRows(database: database)
        reachabilityRows = ReachabilityRows(database: database)
        keptAnswers = KeptAnswers(database)
        self.metrics = TimerMetrics(metrics)
        self.settings = settings
        started = outside.now
        core = TimerCore(settings: settings, started: outside.now)
        alarmCalls = AlarmCalls(url: alarmURL)
        rounds = RetentionRounds(database: database, every: retentionEvery)
        nextRemoval = outside.now
    }

    // MARK: Turns

    func start() throws { try load() }

    func reload() throws {
        alarmCalls.wereTakenBack()
        try load()
    }

    private func load() throws {
        core = TimerCore(settings: settings, started: started, outage: outside.outage)
        core.load(
            clocks: try clocks.pending(), watches: try watches.running(), vigils: try vigils.all(),
            reachability: try reachabilityRows.all())
        try rounds.load(at: outside.now)
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        alarmCalls.haveLeft()
        try apply(event)
    }

    /// What is known of the contact points of somebody who is removed goes with them; where others
    /// share one, the notifier publishes it again.
    func directoryWillChange(_ event: Event) throws {
        guard case .personRemoved(let removal) = event.body,
            let person = outside.replica.person(removal.person)
        else { return }
        let known = person.contacts.map(\.key).filter { core.reachability.problems[$0] != nil }
        guard !known.isEmpty else { return }
        let states = known.map { ContactPointState(contact: $0, problem: nil) }
        try take(.reachability(ReachabilityNews(contacts: states)))
    }

    private func apply(_ event: Event) throws {
        switch event.body {
        case .clockWanted(let clock):
            // After an outage streams are read again: what fired before waits for nobody.
            if outside.outage != nil, try clocks.hasFired(clock.id) { return }
            try take(.clockWanted(clock, trace: event.trace))
        case .clockUnwanted(let clock): try take(.clockUnwanted(clock.id))
        case .sosRaised(let signal): try take(.signal(signal))
        case .sosCancelled(let cancel): try take(.signalCancelled(cancel))
        case .emergencyCountdown(let news), .emergencyOpened(let news), .emergencyJoined(let news),
            .emergencyCancelled(let news), .emergencyAcknowledged(let news),
            .emergencyResolved(let news):
            try take(.emergency(news))
        case .notificationChanged(let news):
            try take(.notification(news, isReachable: isReachable(by: news)))
        case .ladderTier(let news), .ladderExhausted(let news):
            try take(.escalated(news.emergency))
        case .reachabilityChanged(let news): try take(.reachability(news))
        case .acknowledgementGiven(let answer): try take(.acknowledged(answer))
        case .resolutionGiven(let answer): try take(.resolved(answer))
        case .personRemoved(let removal): try take(.personRemoved(removal.person))
        default: break
        }
    }

    /// Whether a message's recipient has a contact point of its channel that is neither opted out
    /// nor dead. An unknown recipient counts as reachable.
    private func isReachable(by news: NotificationNews) -> Bool {
        let contacts = (outside.replica.person(news.recipient)?.contacts ?? []).filter {
            $0.channel == news.channel && !$0.address.isEmpty
        }
        return contacts.isEmpty
            || contacts.contains { core.reachability.problems[$0.key] == nil }
    }

    func handle(_ request: Request) throws {
        alarmCalls.haveLeft()
        let requests = WatchRequests(
            rows: watches, replica: outside.replica,
            principal: outside.principal(of: request), now: outside.now,
            reachability: core.reachability)
        do {
            switch try requests.demand(request) {
            case .answer(let response): outside.answer(request.id, response)
            case .input(let input): try take(input, from: request)
            }
        } catch let problem as Problem {
            outside.answer(request.id, .problem(problem))
        }
    }

    /// Lets the core answer, unless the same request was answered before.
    private func take(_ input: Input, from request: Request) throws {
        answering = try KeptAnswers.Key(request, as: .command)
        defer { answering = nil }
        if let key = answering, let first = try keptAnswers.answer(to: key, at: outside.now),
            try isCurrent(first, to: input)
        {
            return outside.answer(request.id, first)
        }
        try take(input)
    }

    /// Whether the first answer to a request still holds. The answer that shows a running watch
    /// holds only while the watch runs: after that, nobody would watch.
    private func isCurrent(_ first: Response, to input: Input) throws -> Bool {
        if case .closeWatch = input { return true }
        guard let id = try? JSON.parse(first.body)["id"]?.string.flatMap({ WatchID($0) }) else {
            return false
        }
        return try watches.find(id).map { [.active, .reminded].contains($0.watch.state) } ?? false
    }

    func transferred(_ result: TransferResult) throws {
        alarmCalls.haveLeft()
        let refusal = result.outcome.refusal
        guard let emergency = alarmCalls.finished(result.token, isTaken: refusal == nil)
        else { return }
        if let refusal {
            outside.log.warning(
                "the operator's alarm was not taken",
                ["emergency": emergency, "answer": refusal, "setting": TimerSettings.alarmURL])
        }
        try take(
            .alarmCalled(emergency, accepted: refusal == nil, jitter: SecureRandom.id().high))
    }

    func tick() throws {
        alarmCalls.haveLeft()
        if callOwed() { return }
        try take(.tick)
        if let round = try rounds.take(at: outside.now) { try outside.publish(round, on: .fired) }
        if outside.now >= nextRemoval { try removeOld() }
    }

    /// Makes the calls that were taken back with their turn, in one that writes nothing and so can
    /// be committed on a full disk; the next decides again.
    private func callOwed() -> Bool {
        let calls = alarmCalls.owedCalls(at: outside.now)
        guard !calls.isEmpty else { return false }
        outside.log.error(
            "the operator is called although the store cannot keep the alarm",
            ["calls": calls.count, "hint": "Make room on the disk of the timer's store."])
        for call in calls { outside.start(call) }
        return true
    }

    var nextDeadline: Timestamp? {
        min(nextRemoval, rounds.due, core.nextDeadline ?? .distantFuture)
    }

    /// Forgets what is no longer needed, a little at a time.
    private func removeOld() throws {
        let limit = Limits.removedPerTurnMax
        let removed = max(
            try keptAnswers.forget(at: outside.now, limit: limit),
            try clocks.removeFired(
                before: outside.now - .seconds(Limits.firedClockKeptSeconds), limit: limit),
            try watches.removeOver(
                before: outside.now - .seconds(Limits.watchKeptSeconds), limit: limit))
        nextRemoval = outside.now + .seconds(removed == limit ? 1 : Limits.removalSeconds)
    }

    // MARK: Streams

    /// What runs now, and what ended lately: whoever lost the stream has missed nothing after it.
    func snapshot(of stream: StreamName) throws -> [Event] {
        let start = outside.now - .seconds(Limits.snapshotSeconds)
        return try watches.running().map { .changed($0.watch, at: outside.now) }
            + watches.expired(since: start).flatMap { timed, time in
                [Event.changed(timed.watch, at: time), .expired(timed, at: time)]
            }
            + clocks.fired(since: start, limit: Limits.snapshotClocksMax)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        for event in events { try apply(event) }
    }

    // MARK: What is shown

    var troubles: [String] {
        var troubles = core.undelivered.map {
            "nobody was told of emergency \($0) in time: jaga emergency show \($0)"
        }
        if core.pendingClockCount > Limits.clocksPendingMax {
            troubles.append("more than \(Limits.clocksPendingMax) clocks wait")
        }
        return troubles
    }

    var alarms: [String] {
        let count = (try? held)?.count(where: \.isShown) ?? 0
        guard count > 0, let end = core.holdEnds else { return [] }
        return ["\(count) waits that were due are held until \(end): see 'jaga release'"]
    }

    // MARK: What is held

    /// The notifier's own clocks are not shown: it holds what would come of them, and for its next
    /// attempts it does not wait for anybody.
    var held: [HeldEntry] {
        get throws {
            try core.heldWaits.compactMap { wait, due in
                switch wait {
                case .watch(let id):
                    return try watches.find(id).map {
                        HeldEntry(
                            id: id.description, kind: "watch",
                            what: ClockRule.watchExpiry.rawValue, person: $0.watch.person,
                            due: $0.expiry)
                    }
                case .clock(let id):
                    guard let clock = try clocks.waiting(id), clock.rule != .retry else {
                        return nil
                    }
                    return HeldEntry(
                        id: id.description, kind: "clock", what: clock.rule.rawValue,
                        person: clock.person, emergency: clock.emergency, due: due,
                        isShown: !clock.rule.isNotifiers)
                }
            }
        }
    }

    func settle(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        let named = Set(entries.map(\.id))
        let waits = core.heldWaits.map(\.wait).filter { isAll || named.contains($0.text) }
        try take(isDropped ? .drop(waits) : .release(waits))
    }

    var statusDetails: JSON {
        [
            "clocks": .integer(Int64(core.pendingClockCount)),
            "watches": .integer(Int64(core.activeWatchCount)),
            "undelivered": .array(core.undelivered.map { .string($0.description) }),
        ]
    }

    func writeMetrics(_ metrics: Metrics) { self.metrics.show(core) }

    // MARK: Effects

    private func take(_ input: Input) throws {
        var effects: [Effect] = []
        core.handle(input, at: outside.now, into: &effects)
        for effect in effects { try perform(effect) }
    }

    private func perform(_ effect: Effect) throws {
        switch effect {
        case .saveClock(let clock, let trace): try clocks.save(clock, trace: trace)
        case .removeClock(let id): try clocks.remove(id)
        case .fire(let id, let late):
            guard let event = try clocks.fire(id, late: late, at: outside.now) else { return }
            if case .clockFired(let clock) = event.body { metrics.count(clock) }
            try outside.publish(event, on: .fired)
        case .saveWatch(let timed): try watches.save(timed, at: outside.now)
        case .removeWatches(let person):
            try watches.removeAll(of: person)
            try clocks.removeAll(of: person)
        case .saveVigil(let vigil):
            if !vigil.isOpen { alarmCalls.forget(vigil.emergency) }
            try vigils.save(vigil)
        case .removeVigil(let emergency): try vigils.remove(emergency)
        case .saveReachability(let news): try reachabilityRows.save(news)
        case .publish(let event): try outside.publish(event, on: .fired)
        case .answer(let request, let answer): try respond(answer, to: request)
        case .raiseAlarm(let vigil):
            guard alarmCalls.isToBeLogged(vigil.emergency, at: outside.now) else { return }
            metrics.countAlarm()
            outside.log.error(
                "nobody was told of an emergency in time",
                [
                    "emergency": vigil.emergency, "countdown_ends": vigil.countdownEnds,
                    "hint": "Act yourself: jaga status shows queue and gateways of the notifier.",
                ])
        case .endAlarm(let vigil):
            outside.log.info(
                "the emergency of the alarm was told or has ended",
                ["emergency": vigil.emergency])
        case .callAlarm(let vigil):
            if let transfer = alarmCalls.call(vigil, at: outside.now) { outside.start(transfer) }
        }
    }

    private func respond(_ answer: WatchAnswer, to request: UInt64) throws {
        let response =
            switch answer {
            case .started(let timed): timed.response(status: 201)
            case .extended(let timed), .closed(let timed): timed.response()
            case .refused(let refusal): Response.problem(refusal.problem)
            }
        if let answering { try keptAnswers.keep(response, to: answering, at: outside.now) }
        outside.answer(request, response)
    }
}

extension Held {
    fileprivate var text: String {
        switch self {
        case .clock(let id): id.description
        case .watch(let id): id.description
        }
    }
}

extension ClockRule {
    /// Whether the notifier waits for it, and shows what waits with it.
    fileprivate var isNotifiers: Bool {
        [.tier, .fallback, .acknowledgementHold].contains(self)
    }
}
