import Directory
import Model
import Timing

/// Context in which the timer handles one input.
typealias Turn = Directory.Turn<Effect>

/// State machine of all waits of the suite: deadlines, watches, and delivery watchdogs.
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
    /// The operator's settings.
    public struct Settings: Hashable, Sendable {
        /// Time from a watch's deadline until it becomes an emergency.
        public var graceSeconds: Int
        /// The reminder comes this long before the deadline, or a tenth of the watch before it,
        /// whichever is shorter.
        public var reminderSeconds: Int
        /// Time after a countdown by which a message about the emergency must be accepted.
        public var undeliveredSeconds: Int
        /// Whether there is an alarm URL to call.
        public var callsAlarm: Bool

        public init(
            graceSeconds: Int = 120, reminderSeconds: Int = 300, undeliveredSeconds: Int = 15,
            callsAlarm: Bool = false
        ) {
            self.graceSeconds = graceSeconds
            self.reminderSeconds = reminderSeconds
            self.undeliveredSeconds = undeliveredSeconds
            self.callsAlarm = callsAlarm
        }
    }

    private let settings: Settings
    /// Waits due before this are late.
    private let started: Timestamp
    /// The outage during which the timer was down; waits that became due in it are held.
    private let outage: Outage?
    private var deadlines: Deadlines
    private var watches: Watches
    private var watchdogs: DeliveryWatchdogs
    /// Who can be reached, as published by the notifier.
    public private(set) var reachability = Reachability()

    public init(settings: Settings, started: Timestamp, outage: Outage? = nil) {
        self.settings = settings
        self.started = started
        self.outage = outage
        deadlines = Deadlines(started: started, after: outage)
        watches = Watches(settings: settings, after: outage)
        watchdogs = DeliveryWatchdogs(settings: settings, started: started)
    }

    /// Loads the stored state at start.
    ///
    /// - Parameter watches: the running ones.
    public mutating func load(
        deadlines: [(id: DeadlineID, due: Timestamp)], watches: [TimedWatch],
        deliveryWatchdogs: [DeliveryWatchdog],
        reachability: Reachability = Reachability()
    ) {
        self.deadlines = Deadlines(deadlines, started: started, after: outage)
        self.watches = Watches(watches, settings: settings, after: outage)
        watchdogs = DeliveryWatchdogs(deliveryWatchdogs, settings: settings, started: started)
        self.reachability = reachability
    }

    /// When to handle the next ``Input/tick``; nil if nothing is pending.
    public var nextDeadline: Timestamp? {
        [deadlines.next, watches.next, watchdogs.next, holdEnds].compactMap(\.self).min()
    }

    /// Number of pending deadlines of other services.
    public var pendingDeadlineCount: Int { deadlines.count }
    public var activeWatchCount: Int { watches.count }
    /// Open emergencies that nobody was notified of in time, ids ascending.
    public var undelivered: [EmergencyID] { watchdogs.undelivered }

    /// The held waits and their due times, earliest first.
    public var heldWaits: [(wait: HeldWait, due: Timestamp)] {
        let all: [(wait: HeldWait, due: Timestamp)] =
            deadlines.hold.items.map { (.deadline($0.item), $0.due) }
            + watches.hold.items.map { (.watch($0.item), $0.due) }
        return all.sorted { ($0.due, $0.wait) < ($1.due, $1.wait) }
    }

    /// When the hold ends; nil if nothing is held.
    public var holdEnds: Timestamp? { deadlines.hold.ends ?? watches.hold.ends }

    /// Handles one input; its effects follow in order.
    public mutating func handle(_ input: Input, _ turn: inout Directory.Turn<Effect>) {
        switch input {
        case .deadlineScheduled(let deadline, let trace):
            deadlines.schedule(deadline, trace: trace, &turn)
        case .deadlineCancelled(let id): deadlines.cancel(id, &turn)
        case .signal(let signal): watchdogs.start(for: signal, &turn)
        case .signalCancelled(let cancellation): watchdogs.cancel(cancellation, &turn)
        case .emergency(let change): watchdogs.apply(change, &turn)
        case .acknowledged(let answer): watchdogs.acknowledged(answer, &turn)
        case .resolved(let answer): watchdogs.resolved(answer, &turn)
        case .escalated(let emergency): watchdogs.escalationResumed(emergency, &turn)
        case .notification(let change, let isReachable):
            watchdogs.apply(change, isReachable: isReachable, reachability, &turn)
        case .alarmCalled(let id, let accepted, let jitter):
            watchdogs.alarmCalled(id, accepted: accepted, jitter: jitter, &turn)
        case .reachability(let change):
            reachability.apply(change)
            turn.emit(.saveReachability(change))
        case .command(let command): watches.apply(command, &turn)
        case .entered(let crossing): watches.entered(crossing, &turn)
        case .personRemoved(let person):
            watches.removePerson(person, &turn)
            watchdogs.removePerson(person, &turn)
            turn.emit(.removeWatches(of: person))
        case .startWatch(let start): watches.start(start, &turn)
        case .extendWatch(let id, let span, let request):
            let result = watches.extend(id, by: span, &turn)
            turn.emit(.respond(request, result))
        case .closeWatch(let id, let closing, let request):
            let result = watches.close(id, as: closing, &turn)
            turn.emit(.respond(request, result))
        case .release(let waits): for wait in waits.sorted() { release(wait, &turn) }
        case .drop(let waits): for wait in waits.sorted() { drop(wait, &turn) }
        case .tick: tick(&turn)
        }
    }

    /// Expires what is due: the earliest first, at the same time deadlines before watches before
    /// watchdogs.
    private mutating func tick(_ turn: inout Turn) {
        deadlines.endHold(at: turn.now)
        watches.endHold(at: turn.now)
        for _ in 0..<Limits.expiredPerTurnMax {
            let next = [deadlines.next, watches.next, watchdogs.next].map { $0 ?? .distantFuture }
            guard let due = next.min(), due <= turn.now else { return }
            if due == next[0] {
                deadlines.expireNext(&turn)
            } else if due == next[1] {
                expired(watches.expireNext(&turn), &turn)
            } else {
                watchdogs.expireNext(&turn)
            }
        }
    }

    /// Handles the signal of a watch that expired.
    private mutating func expired(_ signal: EmergencySignal?, _ turn: inout Turn) {
        if let signal { watchdogs.start(for: signal, &turn) }
    }

    private mutating func release(_ wait: HeldWait, _ turn: inout Turn) {
        switch wait {
        case .deadline(let id): deadlines.release(id, &turn)
        case .watch(let id): expired(watches.release(id, &turn), &turn)
        }
    }

    private mutating func drop(_ wait: HeldWait, _ turn: inout Turn) {
        switch wait {
        case .deadline(let id): deadlines.drop(id, &turn)
        case .watch(let id): watches.drop(id, &turn)
        }
    }
}
