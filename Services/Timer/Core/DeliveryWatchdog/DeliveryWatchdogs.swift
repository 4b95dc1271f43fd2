import Collections
import Directory
import Model
import Timing

/// Watchdogs of all emergencies and signals that are open or recently ended, and what they wait
/// for.
struct DeliveryWatchdogs: Sendable {
    private let settings: TimerCore.Settings
    private var watchdogs: [EmergencyID: DeliveryWatchdog] = [:]
    private var queue = DeadlineHeap<EmergencyID>()

    /// Loads the stored watchdogs at start.
    ///
    /// They get their full time again, because events published while the timer was down have still
    /// to arrive. A call to the operator without a known result is repeated immediately.
    init(_ stored: [DeliveryWatchdog] = [], settings: TimerCore.Settings, started: Timestamp) {
        self.settings = settings
        for var watchdog in stored {
            if watchdog.state == .waiting {
                watchdog.due = max(watchdog.due, started + .seconds(settings.undeliveredSeconds))
            } else if watchdog.state == .alarmed, settings.callsAlarm, !watchdog.isCallAccepted {
                watchdog.due = started
            }
            store(watchdog)
        }
    }

    var next: Timestamp? { queue.next }

    /// Open emergencies that nobody was notified of in time, ids ascending.
    ///
    /// A person has one emergency at a time, so a person's signals count as one, named by the
    /// first, even if no evaluator has joined them.
    var undelivered: [EmergencyID] {
        var first: [PersonID: DeliveryWatchdog] = [:]
        for watchdog in watchdogs.values where watchdog.state == .alarmed {
            if let known = first[watchdog.person],
                (known.received, known.emergency) < (watchdog.received, watchdog.emergency)
            {
                continue
            }
            first[watchdog.person] = watchdog
        }
        return first.values.map { $0.joined ?? $0.emergency }.sorted()
    }

    /// Handles a signal that bypassed the evaluators: somebody must be notified soon after its
    /// countdown.
    mutating func start(for signal: EmergencySignal, _ turn: inout Turn) {
        schedule(for: signal.id, of: signal.person, countdownEnds: signal.countdownEnds, &turn)
    }

    /// Handles a cancellation. During the countdown it ends the watchdog, unless an evaluator has
    /// opened the emergency; later an evaluator decides.
    mutating func cancel(_ cancellation: EmergencyCancel, _ turn: inout Turn) {
        if let known = watchdogs[cancellation.emergency] {
            guard known.isOpen, !known.isOpened, cancellation.received <= known.countdownEnds
            else { return }
        }
        close(cancellation.emergency, of: cancellation.person, as: .cancelled, &turn)
    }

    mutating func apply(_ change: EmergencyChange, _ turn: inout Turn) {
        switch change.state {
        case .countdown, .open:
            let isOpen = change.state == .open
            if isOpen { markOpened(change.emergency) }
            schedule(
                for: change.emergency, of: change.person,
                countdownEnds: isOpen ? turn.now : change.countdownEnds, isOpened: isOpen, &turn)
            if change.signal != change.emergency { join(change, &turn) }
        case .acknowledged:
            for id in [change.emergency] + openSignals(of: change.emergency) {
                settle(id, of: change.person, &turn)
            }
            markAnswered(change.emergency, &turn)
        case .cancelled, .resolved:
            for id in [change.emergency] + openSignals(of: change.emergency) {
                end(id, of: change.person, &turn)
            }
        }
    }

    /// Handles a message's new state. A message that was accepted for somebody else settles its
    /// emergency and the signals that joined it.
    ///
    /// Messages to the person in danger do not count. Messages accepted before a further signal do
    /// not settle that signal. Nor does a message whose recipient has opted out or whose number is
    /// dead.
    mutating func apply(
        _ change: NotificationChanged, isReachable: Bool, _ reachability: Reachability,
        _ turn: inout Turn
    ) {
        guard let emergency = change.emergency, change.recipient != change.person else { return }
        switch change.state {
        case .accepted: guard isReachable else { return }
        case .delivered: break
        // A sink reaches nobody. It counts only if the operator chose it.
        case .sink: guard reachability.isChosenSink(change.gateway) else { return }
        case .rejected, .expired: return messageFailed(change, &turn)
        case .queued, .sending, .unknown: return
        }
        let whole = watchdogs[emergency]?.joined ?? emergency
        for id in emergency == whole ? [whole] : [whole, emergency] {
            settle(id, of: change.person, &turn)
            guard var watchdog = watchdogs[id] else { continue }
            watchdog.lastAccepted = turn.now
            if !watchdog.messages.contains(change.notification) {
                watchdog.messages = (watchdog.messages + [change.notification])
                    .suffix(Limits.deliveryWatchdogMessagesMax)
            }
            save(watchdog, &turn)
        }
        for id in openSignals(of: whole) {
            settle(id, of: change.person, &turn)
        }
    }

    /// Handles a failed message, perhaps after its gateway had accepted it. If no other one was
    /// accepted, nobody is notified, and the wait for the operator's alarm restarts.
    private mutating func messageFailed(_ change: NotificationChanged, _ turn: inout Turn) {
        guard let emergency = change.emergency else { return }
        let whole = watchdogs[emergency]?.joined ?? emergency
        for id in emergency == whole ? [whole] : [whole, emergency] {
            guard var watchdog = watchdogs[id],
                watchdog.messages.contains(change.notification)
            else {
                continue
            }
            watchdog.messages.removeAll { $0 == change.notification }
            save(watchdog, &turn)
            if watchdog.messages.isEmpty, watchdog.state == .notified,
                !watchdog.isAnswered
            {
                restart(watchdog, &turn)
            }
        }
    }

    /// Handles a person's acknowledgement.
    mutating func acknowledged(_ answer: EmergencyAnswer, _ turn: inout Turn) {
        settle(answer.emergency, of: answer.person, &turn)
        markAnswered(answer.emergency, &turn)
    }

    /// Handles the end of an emergency.
    mutating func resolved(_ answer: EmergencyAnswer, _ turn: inout Turn) {
        end(answer.emergency, of: answer.person, &turn)
    }

    /// Handles a resumed escalation: an earlier response no longer counts.
    mutating func escalationResumed(_ emergency: EmergencyID, _ turn: inout Turn) {
        guard var watchdog = watchdogs[emergency], watchdog.isAnswered else { return }
        watchdog.isAnswered = false
        guard watchdog.state == .notified else {
            return save(watchdog, &turn)
        }
        watchdog.messages = []
        restart(watchdog, &turn)
    }

    private mutating func restart(_ watchdog: DeliveryWatchdog, _ turn: inout Turn) {
        var watchdog = watchdog
        watchdog.state = .waiting
        watchdog.isCallAccepted = false
        watchdog.due = turn.now + .seconds(settings.undeliveredSeconds)
        save(watchdog, &turn)
    }

    /// Records a person's response: failed messages no longer matter until the escalation resumes.
    private mutating func markAnswered(_ emergency: EmergencyID, _ turn: inout Turn) {
        guard var watchdog = watchdogs[emergency], !watchdog.isAnswered else { return }
        watchdog.isAnswered = true
        save(watchdog, &turn)
    }

    /// Handles a further signal that joined an emergency.
    ///
    /// The emergency's own watchdog covers it only if that still waits for the first message.
    /// Otherwise the signal waits for a message accepted after it.
    private mutating func join(_ change: EmergencyChange, _ turn: inout Turn) {
        let whole = watchdogs[change.emergency]
        schedule(
            for: change.signal, of: change.person,
            countdownEnds: change.state == .open ? turn.now : change.countdownEnds, &turn)
        guard var signal = watchdogs[change.signal] else { return }
        signal.joined = change.emergency
        save(signal, &turn)
        guard signal.isOpen else { return }
        if let whole, whole.state == .waiting, whole.isOpened {
            end(change.signal, of: change.person, &turn)
        } else if let accepted = whole?.lastAccepted, accepted > signal.received {
            settle(change.signal, of: change.person, &turn)
        }
    }

    /// An evaluator that opens an emergency overrules its cancellation.
    private mutating func markOpened(_ id: EmergencyID) {
        guard var watchdog = watchdogs[id], watchdog.state == .cancelled else { return }
        watchdog.state = .waiting
        watchdog.due = .distantFuture
        store(watchdog)
    }

    /// Raises the alarm, repeats the call to the operator, or removes the watchdog.
    mutating func expireNext(_ turn: inout Turn) {
        guard let id = queue.popDue(at: turn.now)?.id, var watchdog = watchdogs[id] else { return }
        switch watchdog.state {
        case .notified, .cancelled, .ended:
            watchdogs[id] = nil
            turn.emit(.removeDeliveryWatchdog(id))
            return
        case .waiting:
            watchdog.state = .alarmed
            turn.emit(.raiseAlarm(watchdog))
        case .alarmed: break
        }
        if settings.callsAlarm, !watchdog.isCallAccepted {
            watchdog.calls += 1
            turn.emit(.callAlarm(watchdog))
            // If the answer gets lost, the call is repeated.
            watchdog.due = turn.now + .seconds(Limits.alarmCallSecondsLongest)
        } else {
            watchdog.due = .distantFuture
        }
        save(watchdog, &turn)
    }

    mutating func alarmCalled(
        _ id: EmergencyID, accepted: Bool, jitter: UInt64, _ turn: inout Turn
    ) {
        guard var watchdog = watchdogs[id], watchdog.state == .alarmed else { return }
        watchdog.isCallAccepted = accepted
        let backoff = Backoff(
            first: .seconds(Limits.alarmCallSecondsFirst),
            longest: .seconds(Limits.alarmCallSecondsLongest))
        watchdog.due =
            accepted
            ? .distantFuture : turn.now + backoff.delay(after: watchdog.calls, jitter: jitter)
        save(watchdog, &turn)
    }

    /// Settles a watchdog because somebody was notified or responded.
    private mutating func settle(_ id: EmergencyID, of person: PersonID, _ turn: inout Turn) {
        if let known = watchdogs[id], !known.isOpen, known.state != .cancelled { return }
        close(id, of: person, as: .notified, &turn)
    }

    /// Ends a watchdog because the emergency was cancelled or resolved.
    private mutating func end(_ id: EmergencyID, of person: PersonID, _ turn: inout Turn) {
        if watchdogs[id]?.state == .ended { return }
        close(id, of: person, as: .ended, &turn)
    }

    /// Creates the watchdog if there is none: streams overtake each other, and later events must
    /// find that it is over.
    private mutating func close(
        _ id: EmergencyID, of person: PersonID, as state: DeliveryWatchdog.State, _ turn: inout Turn
    ) {
        var watchdog =
            watchdogs[id]
            ?? DeliveryWatchdog(
                emergency: id, person: person, countdownEnds: turn.now, state: state, due: turn.now,
                received: turn.now)
        if watchdog.state == .alarmed { turn.emit(.endAlarm(watchdog)) }
        watchdog.state = state
        watchdog.due = turn.now + .seconds(Limits.deliveryWatchdogKeptSeconds)
        save(watchdog, &turn)
    }

    /// Starts a watchdog, or shortens its wait. A late event still gets the full time.
    private mutating func schedule(
        for id: EmergencyID, of person: PersonID, countdownEnds: Timestamp, isOpened: Bool = false,
        _ turn: inout Turn
    ) {
        let due = max(countdownEnds, turn.now) + .seconds(settings.undeliveredSeconds)
        let known = watchdogs[id]
        var watchdog =
            known
            ?? DeliveryWatchdog(
                emergency: id, person: person, countdownEnds: countdownEnds, state: .waiting,
                due: .distantFuture, received: turn.now)
        guard watchdog.state == .waiting else { return }
        watchdog.isOpened = watchdog.isOpened || isOpened
        if due < watchdog.due {
            watchdog.due = due
            watchdog.countdownEnds = countdownEnds
        }
        guard watchdog != known else { return }
        save(watchdog, &turn)
    }

    private mutating func save(_ watchdog: DeliveryWatchdog, _ turn: inout Turn) {
        store(watchdog)
        turn.emit(.saveDeliveryWatchdog(watchdog))
    }

    private mutating func store(_ watchdog: DeliveryWatchdog) {
        watchdogs[watchdog.emergency] = watchdog
        queue.set(watchdog.emergency, due: watchdog.due)
    }

    /// Ends the open watchdogs of a removed person, and erases the person from all. The end of an
    /// emergency must still be known.
    mutating func removePerson(_ person: PersonID, _ turn: inout Turn) {
        for watchdog in watchdogs(of: person) where watchdog.isOpen {
            end(watchdog.emergency, of: person, &turn)
        }
        for var watchdog in watchdogs(of: person) {
            watchdog.person = PersonID(.zero)
            save(watchdog, &turn)
        }
    }

    /// The watchdogs of a person, ids ascending.
    private func watchdogs(of person: PersonID) -> [DeliveryWatchdog] {
        watchdogs.values.filter { $0.person == person }.sorted {
            $0.emergency < $1.emergency
        }
    }

    /// The open signals that joined an emergency, ids ascending.
    private func openSignals(of emergency: EmergencyID) -> [EmergencyID] {
        watchdogs.values.filter { $0.joined == emergency && $0.isOpen }.map(\.emergency)
            .sorted()
    }
}
