import Directory
import Model
import Timing

/// Context in which the timer handles one input.
typealias Turn = Directory.Turn<Effect>

/// State machine of all waits of the suite: deadlines, watches, check-ins, timers, and delivery
/// watchdogs.
///
/// Deadlines of other services are kept by id and due time only; their rows hold the rest. Running
/// watches and open emergencies are kept in full, because each change depends on them.
///
/// ```swift
/// var core = TimerCore(settings: settings, started: now)
/// core.load(deadlines: …, watches: …, deliveryWatchdogs: …)
/// core.handle(.deadlineScheduled(deadline, trace: ""), &turn)
/// core.handle(.tick, &turn)
/// ```
public struct TimerCore: Sendable {
    private let settings: Settings
    /// Waits due before this are late.
    private let started: Timestamp
    /// The outage during which the timer was down; waits that became due in it are held.
    private let outage: Outage?
    private var waits: Waits
    private var earlyEnds = EarlyEnds()
    /// Who can be reached, as published by the notifier.
    public private(set) var reachability = Reachability()

    public init(settings: Settings, started: Timestamp, outage: Outage? = nil) {
        self.settings = settings
        self.started = started
        self.outage = outage
        waits = Waits(
            deadlines: Deadlines(started: started, after: outage),
            watches: Watches(settings: settings, after: outage),
            checkIns: CheckIns(settings: settings, started: started, after: outage),
            timers: PersonTimers(started: started, after: outage),
            watchdogs: DeliveryWatchdogs(settings: settings, started: started))
    }

    /// Loads the stored state at start.
    ///
    /// - Parameter watches: the running ones.
    public mutating func load(
        deadlines: [(id: DeadlineID, due: Timestamp)], watches: [TimedWatch],
        checkIns: [ScheduledCheckIn] = [], timers: [PersonTimer] = [],
        deliveryWatchdogs: [DeliveryWatchdog],
        reachability: Reachability = Reachability()
    ) {
        waits = Waits(
            deadlines: Deadlines(deadlines, started: started, after: outage),
            watches: Watches(watches, settings: settings, after: outage),
            checkIns: CheckIns(checkIns, settings: settings, started: started, after: outage),
            timers: PersonTimers(timers, started: started, after: outage),
            watchdogs: DeliveryWatchdogs(
                deliveryWatchdogs, settings: settings, started: started))
        self.reachability = reachability
    }

    /// When to handle the next ``Input/tick``; nil if nothing is pending.
    public var nextDeadline: Timestamp? { waits.next }

    /// Number of pending deadlines of other services.
    public var pendingDeadlineCount: Int { waits.deadlines.count }
    public var activeWatchCount: Int { waits.watches.count }
    /// Open emergencies that nobody was notified of in time, ids ascending.
    public var undelivered: [EmergencyID] { waits.watchdogs.undelivered }

    /// The held waits and their due times, earliest first.
    public var heldWaits: [(wait: HeldWait, due: Timestamp)] { waits.held }

    /// When the hold ends; nil if nothing is held.
    public var holdEnds: Timestamp? { waits.holdEnds }

    // MARK: Check-ins and timers

    public var scheduleCount: Int { waits.checkIns.count }
    public var timerCount: Int { waits.timers.count }

    /// Check-in schedules of a person, ids ascending.
    public func schedules(of person: PersonID) -> [ScheduledCheckIn] {
        waits.checkIns.schedules(of: person)
    }

    /// Finds a check-in schedule.
    public func schedule(_ id: CheckInScheduleID) -> ScheduledCheckIn? { waits.checkIns[id] }

    /// The running timer of a person.
    public func timer(of person: PersonID) -> PersonTimer? { waits.timers[person] }

    /// Sets the offsets of a time zone, by its IANA name.
    public mutating func setTimeZone(_ name: String, _ rules: TimeZoneRules) {
        waits.checkIns.setTimeZone(name, rules)
    }

    /// Whether a time zone's offsets are set.
    public func hasTimeZone(_ name: String) -> Bool { waits.checkIns.hasTimeZone(name) }

    // MARK: Inputs

    /// Handles one input; its effects follow in order.
    public mutating func handle(_ input: Input, _ turn: inout Directory.Turn<Effect>) {
        switch input {
        case .deadlineScheduled(let deadline, let trace):
            waits.deadlines.schedule(deadline, trace: trace, &turn)
        case .deadlineCancelled(let id): waits.deadlines.cancel(id, &turn)
        case .signal(let signal): waits.watchdogs.start(for: signal, &turn)
        case .signalCancelled(let cancellation): waits.watchdogs.cancel(cancellation, &turn)
        case .emergency(let change): waits.watchdogs.apply(change, &turn)
        case .acknowledged(let answer): waits.watchdogs.acknowledged(answer, &turn)
        case .resolved(let answer): waits.watchdogs.resolved(answer, &turn)
        case .escalated(let emergency): waits.watchdogs.escalationResumed(emergency, &turn)
        case .notification(let change, let isReachable):
            waits.watchdogs.apply(change, isReachable: isReachable, reachability, &turn)
        case .alarmCalled(let id, let accepted, let jitter):
            waits.watchdogs.alarmCalled(id, accepted: accepted, jitter: jitter, &turn)
        case .reachability(let change):
            reachability.apply(change)
            turn.emit(.saveReachability(change))
        case .command(let command): waits.watches.apply(command, &turn)
        case .entered(let crossing): waits.watches.entered(crossing, &turn)
        case .personRemoved(let person): waits.removePerson(person, &turn)
        case .timeZone(let person, let name):
            waits.checkIns.setTimeZone(of: person, to: name, &turn)
        case .answered(let answer): earlyEnds.apply(answer, &waits, &turn)
        case .startWatch(let start): earlyEnds.startWatch(start, &waits, &turn)
        case .extendWatch(let id, let span, let request):
            let result = waits.watches.extend(id, by: span, &turn)
            turn.emit(.respond(request, result))
        case .closeWatch(let id, let closing, let pin, let request):
            let result = earlyEnds.closeWatch(id, as: closing, pin, &waits, &turn)
            turn.emit(.respond(request, result))
        case .createSchedule(let draft, let request):
            turn.emit(.respondToSchedule(request, waits.checkIns.create(draft, &turn)))
        case .replaceSchedule(let draft, let pin, let request):
            let rejection = earlyEnds.rejection(
                of: pin, toChange: draft.schedule.id, &waits, &turn)
            let result =
                rejection.map { .rejected(.pin($0)) } ?? waits.checkIns.replace(draft, &turn)
            turn.emit(.respondToSchedule(request, result))
        case .removeSchedule(let id, let pin, let request):
            let rejection = earlyEnds.rejection(of: pin, toChange: id, &waits, &turn)
            let result = rejection.map { .rejected(.pin($0)) } ?? waits.checkIns.remove(id, &turn)
            turn.emit(.respondToSchedule(request, result))
        case .startTimer(let timer, let request):
            turn.emit(.respondToTimer(request, waits.timers.start(timer, &turn)))
        case .stopTimer(let person, let request):
            turn.emit(.respondToTimer(request, waits.timers.stop(person, &turn)))
        case .release(let items): for item in items.sorted() { waits.release(item, &turn) }
        case .drop(let items): for item in items.sorted() { waits.drop(item, &turn) }
        case .tick: waits.tick(&turn)
        }
    }
}
