import API
import Directory
import Hosting
import Model
import Runtime
import TimerCore
import Web

/// Passes inputs to ``TimerCore`` and performs its effects.
final class CoreRunner {
    let host: any TimerHost
    let store: TimerStore
    let alarm: OperatorAlarm
    private(set) var core: TimerCore
    private let metrics: TimerMetrics
    private let settings: TimerCore.Settings
    private let started: Timestamp
    private let zones: TimeZoneFolder
    private var responses: IdempotentWatches
    /// The request with a PIN that is being handled.
    private var requestWithPIN: UInt64?

    init(
        host: any TimerHost, store: TimerStore, idempotencyStore: IdempotencyStore,
        metrics: TimerMetrics, alarm: OperatorAlarm, settings: TimerCore.Settings,
        zones: TimeZoneFolder
    ) {
        self.host = host
        self.store = store
        self.metrics = metrics
        self.alarm = alarm
        self.settings = settings
        self.zones = zones
        started = host.now
        core = TimerCore(settings: settings, started: host.now)
        responses = IdempotentWatches(idempotencyStore, store.watches)
    }

    /// Rebuilds the core from the store, at start and after a rollback.
    func load() throws {
        core = TimerCore(settings: settings, started: started, outage: host.outage)
        for name in try store.load(into: &core) { _ = loadTimeZone(name) }
    }

    /// Loads the offsets of a time zone, unless they are loaded.
    ///
    /// - Returns: whether it exists
    func loadTimeZone(_ name: String) -> Bool {
        if core.hasTimeZone(name) { return true }
        guard let rules = zones.rules(of: name) else { return false }
        core.setTimeZone(name, rules)
        return true
    }

    /// Handles a request's input, unless the same request was answered before.
    func handle(_ input: Input, of operation: Operation, from request: Request) throws {
        let first = try responses.begin(request, of: operation, as: input, at: host.now)
        if try request.pin() != nil { requestWithPIN = request.id }
        defer {
            responses.end()
            requestWithPIN = nil
        }
        if let first { return answer(request.id, first) }
        try handle(input)
    }

    /// Passes one input to the core and performs its effects.
    func handle(_ input: Input) throws {
        var turn = Turn<Effect>(now: host.now, directory: host.replica)
        core.handle(input, &turn)
        for effect in turn.effects { try perform(effect) }
    }

    private func perform(_ effect: Effect) throws {
        switch effect {
        case .saveDeadline(let deadline, let trace):
            try store.deadlines.save(deadline, trace: trace)
        case .removeDeadline(let id): try store.deadlines.remove(id)
        case .expireDeadline(let id, let late):
            guard let event = try store.deadlines.expire(id, late: late, at: host.now) else {
                return
            }
            if case .deadlineExpired(let deadline) = event.body { metrics.count(deadline) }
            try host.publish(event, on: .deadlines)
        case .saveWatch(let timed): try store.watches.save(timed, at: host.now)
        case .saveSchedule(let row): try store.checkIns.save(row)
        case .removeSchedule(let id): try store.checkIns.remove(id)
        case .saveCheckIn(let checkIn): try store.checkIns.save(checkIn, at: host.now)
        case .saveTimer(let timer): try store.save(timer)
        case .removeTimer(let person): try store.removeTimer(of: person)
        case .saveSignal(let signal): try store.checkIns.save(signal)
        case .removeRows(let person): try store.removeAll(of: person)
        case .saveDeliveryWatchdog(let watchdog):
            alarm.updated(watchdog)
            try store.save(watchdog)
        case .removeDeliveryWatchdog(let emergency):
            try store.removeWatchdog(of: emergency)
        case .saveReachability(let change): try store.save(change)
        case .publish(let event): try host.publish(event, on: .deadlines)
        case .respond(let request, let result):
            try respond(request, result.response, isFinal: result.isFinal)
        case .respondToSchedule(let request, let result):
            try respond(request, result.response, isFinal: result.isFinal)
        case .respondToTimer(let request, let result): host.answer(request, result.response)
        case .raiseAlarm(let watchdog): alarm.raise(watchdog)
        case .endAlarm(let watchdog): alarm.end(watchdog)
        case .callAlarm(let watchdog): alarm.call(watchdog)
        }
    }

    /// - Parameter isFinal: whether a repeated request gets the same response
    private func respond(_ request: UInt64, _ response: Response, isFinal: Bool) throws {
        if isFinal { try responses.record(response, at: host.now) }
        answer(request, response)
    }

    /// Answers a request. Responses to requests with a PIN all take the same time.
    private func answer(_ request: UInt64, _ response: Response) {
        guard request == requestWithPIN else { return host.answer(request, response) }
        host.answer(request, response, after: PINResponses.delay)
    }
}
