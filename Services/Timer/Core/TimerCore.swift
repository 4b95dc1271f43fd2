import Directory
import Model
import Timing

/// All waits of the suite, and what happens when one ends.
///
/// Clocks that others want are kept here by id and end only; their rows hold the rest. Watches and
/// emergencies that are not over are kept whole, since each change decides about them.
///
/// ```swift
/// var core = TimerCore(settings: settings, started: now)
/// core.load(clocks: …, watches: …, vigils: …)
/// core.handle(.clockWanted(clock, trace: ""), at: now, into: &effects)
/// core.handle(.tick, at: core.nextDeadline ?? now, into: &effects)
/// ```
public struct TimerCore: Sendable {
    /// What the operator chose.
    public struct Settings: Hashable, Sendable {
        /// After a watch's deadline, before it becomes an emergency.
        public var graceSeconds: Int
        /// The reminder comes this long before a deadline, or a tenth of the watch before it.
        public var reminderSeconds: Int
        /// After a countdown: by then a delivery of the emergency must be accepted.
        public var undeliveredSeconds: Int
        /// There is an address to call in an alarm.
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

    /// Whose end is waited for.
    enum Wait: Hashable, Comparable, Sendable {
        case clock(ClockID)
        case watch(WatchID)
        case vigil(EmergencyID)
    }

    let settings: Settings
    /// Who can be reached, as the notifier published it.
    public private(set) var reachability = Reachability()
    /// What was due before is late.
    let started: Timestamp
    /// The time in which the timer was away, and what became due in it waits for a word.
    var outage: Outage?
    /// Those waits, with when they were due. Their rows still wait, so that they are held again
    /// after a restart.
    var held: [Wait: Timestamp] = [:]
    var queue = ClockQueue<Wait>()
    /// Those that run.
    var watches: [WatchID: TimedWatch] = [:]
    var watchOfPerson: [PersonID: WatchID] = [:]
    var vigils: [EmergencyID: Vigil] = [:]

    public init(settings: Settings, started: Timestamp, outage: Outage? = nil) {
        self.settings = settings
        self.started = started
        self.outage = outage
    }

    /// Takes over what the store holds, at the start.
    ///
    /// Vigils get their full time again: what the others said while the timer was down has still to
    /// be heard. An alarm whose call has no answer yet is called again at once.
    ///
    /// - Parameter watches: those that run
    public mutating func load(
        clocks: [(id: ClockID, due: Timestamp)], watches: [TimedWatch], vigils: [Vigil],
        reachability: Reachability = Reachability()
    ) {
        self.reachability = reachability
        queue = ClockQueue(clocks.map { .init(.clock($0.id), due: $0.due) })
        self.watches = [:]
        held = [:]
        watchOfPerson = [:]
        for timed in watches { keep(timed) }
        self.vigils = [:]
        for var vigil in vigils {
            if vigil.state == .waiting {
                vigil.due = max(vigil.due, started + .seconds(settings.undeliveredSeconds))
            } else if vigil.state == .alarmed, settings.callsAlarm, !vigil.isCallAccepted {
                vigil.due = started
            }
            keep(vigil)
        }
    }

    /// When to call ``Input/tick`` next; nil when nothing waits.
    public var nextDeadline: Timestamp? {
        guard let outage, !held.isEmpty else { return queue.next }
        return queue.next.map { min($0, outage.holdEnds) } ?? outage.holdEnds
    }

    /// Clocks of others that have not fired. Each watch and each vigil has one wait besides.
    public var pendingClockCount: Int {
        queue.count + held.count - watches.count - vigils.count
    }
    public var activeWatchCount: Int { watches.count }
    /// Emergencies that nobody was told of in time and that are not over, ids ascending.
    ///
    /// A person has one at a time: whoever pressed again and again is one, by the press that was
    /// heard first, also where no evaluator has said what the presses joined.
    public var undelivered: [EmergencyID] {
        var first: [PersonID: Vigil] = [:]
        for vigil in vigils.values where vigil.state == .alarmed {
            if let known = first[vigil.person],
                (known.heard, known.emergency) < (vigil.heard, vigil.emergency)
            {
                continue
            }
            first[vigil.person] = vigil
        }
        return first.values.map { $0.joined ?? $0.emergency }.sorted()
    }

    /// Takes one input in; what has to be done is appended to the effects, in order.
    public mutating func handle(_ input: Input, at now: Timestamp, into effects: inout [Effect]) {
        switch input {
        case .clockWanted(let clock, let trace):
            held[.clock(clock.id)] = nil
            queue.set(.clock(clock.id), due: clock.due)
            effects.append(.saveClock(clock, trace: trace))
        case .clockUnwanted(let id):
            queue.remove(.clock(id))
            held[.clock(id)] = nil
            effects.append(.removeClock(id))
        case .signal(let signal): watchOver(signal, at: now, into: &effects)
        case .signalCancelled(let cancel): takeBack(cancel, at: now, into: &effects)
        case .emergency(let news): hear(news, at: now, into: &effects)
        case .acknowledged(let answer):
            settle(answer.emergency, of: answer.person, at: now, into: &effects)
            markAnswered(answer.emergency, into: &effects)
        case .escalated(let emergency): escalated(emergency, at: now, into: &effects)
        case .reachability(let news): applyReachability(news, into: &effects)
        case .resolved(let answer):
            end(answer.emergency, of: answer.person, at: now, into: &effects)
        case .notification(let news, let isReachable):
            hear(news, isReachable: isReachable, at: now, into: &effects)
        case .personRemoved(let person): forget(person, at: now, into: &effects)
        case .startWatch(let start): self.start(start, at: now, into: &effects)
        case .extendWatch(let id, let span, let request):
            effects.append(.answer(request, extend(id, by: span, at: now, into: &effects)))
        case .closeWatch(let id, let closing, let request):
            effects.append(.answer(request, close(id, as: closing, at: now, into: &effects)))
        case .alarmCalled(let id, let accepted, let jitter):
            alarmCalled(id, accepted: accepted, jitter: jitter, at: now, into: &effects)
        case .release(let waits): release(waits, at: now, into: &effects)
        case .drop(let waits): drop(waits, at: now, into: &effects)
        case .tick: tick(at: now, into: &effects)
        }
    }

    private mutating func applyReachability(
        _ news: ReachabilityNews, into effects: inout [Effect]
    ) {
        reachability.apply(news)
        effects.append(.saveReachability(news))
    }

    private mutating func tick(at now: Timestamp, into effects: inout [Effect]) {
        endHold(at: now)
        for _ in 0..<Limits.firedPerTurnMax {
            guard let entry = queue.popDue(at: now) else { return }
            guard !hold(entry, at: now) else { continue }
            switch entry.id {
            case .clock(let id): effects.append(.fire(id, late: entry.due < started))
            case .watch(let id): watchDue(id, at: now, into: &effects)
            case .vigil(let id): vigilDue(id, at: now, into: &effects)
            }
        }
    }

    private mutating func forget(
        _ person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) {
        if let id = watchOfPerson[person] { _ = close(id, as: .cancel, at: now, into: &effects) }
        for vigil in openVigils(of: person) {
            end(vigil.emergency, of: person, at: now, into: &effects)
        }
        // That they are over has still to be known, but not whose they were.
        for var vigil in vigils(of: person) {
            vigil.person = PersonID(.zero)
            keep(vigil)
            effects.append(.saveVigil(vigil))
        }
        effects.append(.removeWatches(of: person))
    }
}
