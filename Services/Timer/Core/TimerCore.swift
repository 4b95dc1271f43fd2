import Directory
import Model
import Timing

/// State machine of all waits of the suite: deadlines, watches, and delivery watchdogs.
///
/// Deadlines of other services are kept by id and due time only; their rows hold the rest. Running
/// watches and open emergencies are kept in full, because each change depends on them.
///
/// ```swift
/// var core = TimerCore(settings: settings, started: now)
/// core.load(deadlines: …, watches: …, deliveryWatchdogs: …)
/// core.handle(.deadlineScheduled(deadline, trace: ""), at: now, into: &effects)
/// core.handle(.tick, at: core.nextDeadline ?? now, into: &effects)
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

    /// A pending wait.
    enum Wait: Hashable, Comparable, Sendable {
        case deadline(DeadlineID)
        case watch(WatchID)
        case deliveryWatchdog(EmergencyID)
    }

    let settings: Settings
    /// Who can be reached, as published by the notifier.
    public private(set) var reachability = Reachability()
    /// Waits due before this are late.
    let started: Timestamp
    /// The outage during which the timer was down; waits that became due in it are held.
    var outage: Outage?
    /// The held waits and their due times. Their rows stay pending, so that they are held again
    /// after a restart.
    var held: [Wait: Timestamp] = [:]
    var queue = DeadlineHeap<Wait>()
    /// Running watches.
    var watches: [WatchID: TimedWatch] = [:]
    var watchOfPerson: [PersonID: WatchID] = [:]
    var deliveryWatchdogs: [EmergencyID: DeliveryWatchdog] = [:]

    public init(settings: Settings, started: Timestamp, outage: Outage? = nil) {
        self.settings = settings
        self.started = started
        self.outage = outage
    }

    /// Loads the stored state at start.
    ///
    /// Watchdogs get their full time again, because events published while the timer was down have
    /// still to arrive. A call to the operator without a known result is repeated immediately.
    ///
    /// - Parameter watches: the running ones.
    public mutating func load(
        deadlines: [(id: DeadlineID, due: Timestamp)], watches: [TimedWatch],
        deliveryWatchdogs: [DeliveryWatchdog],
        reachability: Reachability = Reachability()
    ) {
        self.reachability = reachability
        queue = DeadlineHeap(deadlines.map { .init(.deadline($0.id), due: $0.due) })
        self.watches = [:]
        held = [:]
        watchOfPerson = [:]
        for timed in watches { store(timed) }
        self.deliveryWatchdogs = [:]
        for var deliveryWatchdog in deliveryWatchdogs {
            if deliveryWatchdog.state == .waiting {
                deliveryWatchdog.due = max(
                    deliveryWatchdog.due, started + .seconds(settings.undeliveredSeconds))
            } else if deliveryWatchdog.state == .alarmed, settings.callsAlarm,
                !deliveryWatchdog.isCallAccepted
            {
                deliveryWatchdog.due = started
            }
            store(deliveryWatchdog)
        }
    }

    /// When to handle the next ``Input/tick``; nil if nothing is pending.
    public var nextDeadline: Timestamp? {
        guard let outage, !held.isEmpty else { return queue.next }
        return queue.next.map { min($0, outage.holdEnds) } ?? outage.holdEnds
    }

    /// Number of pending deadlines of other services. Each watch and each watchdog has one wait
    /// besides.
    public var pendingDeadlineCount: Int {
        queue.count + held.count - watches.count - deliveryWatchdogs.count
    }
    public var activeWatchCount: Int { watches.count }
    /// Open emergencies that nobody was notified of in time, ids ascending.
    ///
    /// A person has one emergency at a time, so a person's signals count as one, named by the
    /// first, even if no evaluator has joined them.
    public var undelivered: [EmergencyID] {
        var first: [PersonID: DeliveryWatchdog] = [:]
        for deliveryWatchdog in deliveryWatchdogs.values where deliveryWatchdog.state == .alarmed {
            if let known = first[deliveryWatchdog.person],
                (known.received, known.emergency) < (
                    deliveryWatchdog.received, deliveryWatchdog.emergency
                )
            {
                continue
            }
            first[deliveryWatchdog.person] = deliveryWatchdog
        }
        return first.values.map { $0.joined ?? $0.emergency }.sorted()
    }

    /// Handles one input and appends the resulting effects, in order.
    public mutating func handle(_ input: Input, at now: Timestamp, into effects: inout [Effect]) {
        switch input {
        case .deadlineScheduled(let deadline, let trace):
            held[.deadline(deadline.id)] = nil
            queue.set(.deadline(deadline.id), due: deadline.due)
            effects.append(.saveDeadline(deadline, trace: trace))
        case .deadlineCancelled(let id):
            queue.remove(.deadline(id))
            held[.deadline(id)] = nil
            effects.append(.removeDeadline(id))
        case .signal(let signal): startWatchdog(for: signal, at: now, into: &effects)
        case .signalCancelled(let cancellation): cancel(cancellation, at: now, into: &effects)
        case .emergency(let change): apply(change, at: now, into: &effects)
        case .acknowledged(let answer):
            settle(answer.emergency, of: answer.person, at: now, into: &effects)
            markAnswered(answer.emergency, into: &effects)
        case .escalated(let emergency): escalationResumed(emergency, at: now, into: &effects)
        case .reachability(let change): applyReachability(change, into: &effects)
        case .resolved(let answer):
            end(answer.emergency, of: answer.person, at: now, into: &effects)
        case .notification(let change, let isReachable):
            apply(change, isReachable: isReachable, at: now, into: &effects)
        case .personRemoved(let person): removePerson(person, at: now, into: &effects)
        case .startWatch(let start): self.start(start, at: now, into: &effects)
        case .extendWatch(let id, let span, let request):
            effects.append(.respond(request, extend(id, by: span, at: now, into: &effects)))
        case .closeWatch(let id, let closing, let request):
            effects.append(.respond(request, close(id, as: closing, at: now, into: &effects)))
        case .alarmCalled(let id, let accepted, let jitter):
            alarmCalled(id, accepted: accepted, jitter: jitter, at: now, into: &effects)
        case .release(let waits): release(waits, at: now, into: &effects)
        case .drop(let waits): drop(waits, at: now, into: &effects)
        case .tick: tick(at: now, into: &effects)
        }
    }

    private mutating func applyReachability(
        _ change: ReachabilityChange, into effects: inout [Effect]
    ) {
        reachability.apply(change)
        effects.append(.saveReachability(change))
    }

    private mutating func tick(at now: Timestamp, into effects: inout [Effect]) {
        endHold(at: now)
        for _ in 0..<Limits.expiredPerTurnMax {
            guard let entry = queue.popDue(at: now) else { return }
            guard !hold(entry, at: now) else { continue }
            switch entry.id {
            case .deadline(let id): effects.append(.expireDeadline(id, late: entry.due < started))
            case .watch(let id): expireWatch(id, at: now, into: &effects)
            case .deliveryWatchdog(let id): expireWatchdog(id, at: now, into: &effects)
            }
        }
    }

    private mutating func removePerson(
        _ person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) {
        if let id = watchOfPerson[person] { _ = close(id, as: .cancel, at: now, into: &effects) }
        for deliveryWatchdog in openDeliveryWatchdogs(of: person) {
            end(deliveryWatchdog.emergency, of: person, at: now, into: &effects)
        }
        // The end of an emergency must still be known, but not its person.
        for var deliveryWatchdog in deliveryWatchdogs(of: person) {
            deliveryWatchdog.person = PersonID(.zero)
            store(deliveryWatchdog)
            effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
        }
        effects.append(.removeWatches(of: person))
    }
}
