import Model
import Timing

extension TimerCore {
    /// Handles a signal that bypassed the evaluators: somebody must be notified soon after its
    /// countdown.
    mutating func startWatchdog(
        for signal: EmergencySignal, at now: Timestamp, into effects: inout [Effect]
    ) {
        scheduleWatchdog(
            for: signal.id, of: signal.person, countdownEnds: signal.countdownEnds, at: now,
            into: &effects)
    }

    /// Handles a cancellation. During the countdown it ends the watchdog, unless an evaluator has
    /// opened the emergency; later an evaluator decides.
    mutating func cancel(
        _ cancellation: EmergencyCancel, at now: Timestamp, into effects: inout [Effect]
    ) {
        if let known = deliveryWatchdogs[cancellation.emergency] {
            guard known.isOpen, !known.isOpened, cancellation.received <= known.countdownEnds
            else { return }
        }
        close(
            cancellation.emergency, of: cancellation.person, as: .cancelled, at: now, into: &effects
        )
    }

    mutating func apply(
        _ change: EmergencyChange, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch change.state {
        case .countdown, .open:
            let isOpen = change.state == .open
            if isOpen { markOpened(change.emergency, at: now) }
            scheduleWatchdog(
                for: change.emergency, of: change.person,
                countdownEnds: isOpen ? now : change.countdownEnds, isOpened: isOpen, at: now,
                into: &effects)
            if change.signal != change.emergency { join(change, at: now, into: &effects) }
        case .acknowledged:
            for id in [change.emergency] + openSignals(of: change.emergency) {
                settle(id, of: change.person, at: now, into: &effects)
            }
            markAnswered(change.emergency, into: &effects)
        case .cancelled, .resolved:
            for id in [change.emergency] + openSignals(of: change.emergency) {
                end(id, of: change.person, at: now, into: &effects)
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
        _ change: NotificationChanged, isReachable: Bool, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard let emergency = change.emergency, change.recipient != change.person else { return }
        switch change.state {
        case .accepted: guard isReachable else { return }
        case .delivered: break
        // A sink reaches nobody. It counts only if the operator chose it.
        case .sink: guard reachability.isChosenSink(change.gateway) else { return }
        case .refused, .expired: return messageFailed(change, at: now, into: &effects)
        case .queued, .sending, .unknown: return
        }
        let whole = deliveryWatchdogs[emergency]?.joined ?? emergency
        for id in emergency == whole ? [whole] : [whole, emergency] {
            settle(id, of: change.person, at: now, into: &effects)
            guard var deliveryWatchdog = deliveryWatchdogs[id] else { continue }
            deliveryWatchdog.lastAccepted = now
            if !deliveryWatchdog.messages.contains(change.notification) {
                deliveryWatchdog.messages = (deliveryWatchdog.messages + [change.notification])
                    .suffix(Limits.deliveryWatchdogMessagesMax)
            }
            store(deliveryWatchdog)
            effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
        }
        for id in openSignals(of: whole) {
            settle(id, of: change.person, at: now, into: &effects)
        }
    }

    /// Handles a failed message, perhaps after its gateway had accepted it. If no other one was
    /// accepted, nobody is notified, and the wait for the operator's alarm restarts.
    private mutating func messageFailed(
        _ change: NotificationChanged, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard let emergency = change.emergency else { return }
        let whole = deliveryWatchdogs[emergency]?.joined ?? emergency
        for id in emergency == whole ? [whole] : [whole, emergency] {
            guard var deliveryWatchdog = deliveryWatchdogs[id],
                deliveryWatchdog.messages.contains(change.notification)
            else {
                continue
            }
            deliveryWatchdog.messages.removeAll { $0 == change.notification }
            store(deliveryWatchdog)
            effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
            if deliveryWatchdog.messages.isEmpty, deliveryWatchdog.state == .notified,
                !deliveryWatchdog.isAnswered
            {
                restart(deliveryWatchdog, at: now, into: &effects)
            }
        }
    }

    /// Handles a resumed escalation: an earlier response no longer counts.
    mutating func escalationResumed(
        _ emergency: EmergencyID, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard var deliveryWatchdog = deliveryWatchdogs[emergency], deliveryWatchdog.isAnswered
        else { return }
        deliveryWatchdog.isAnswered = false
        guard deliveryWatchdog.state == .notified else {
            store(deliveryWatchdog)
            return effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
        }
        deliveryWatchdog.messages = []
        restart(deliveryWatchdog, at: now, into: &effects)
    }

    private mutating func restart(
        _ deliveryWatchdog: DeliveryWatchdog, at now: Timestamp, into effects: inout [Effect]
    ) {
        var deliveryWatchdog = deliveryWatchdog
        deliveryWatchdog.state = .waiting
        deliveryWatchdog.isCallAccepted = false
        deliveryWatchdog.due = now + .seconds(settings.undeliveredSeconds)
        store(deliveryWatchdog)
        effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
    }

    /// Records a person's response: failed messages no longer matter until the escalation resumes.
    mutating func markAnswered(_ emergency: EmergencyID, into effects: inout [Effect]) {
        guard var deliveryWatchdog = deliveryWatchdogs[emergency], !deliveryWatchdog.isAnswered
        else { return }
        deliveryWatchdog.isAnswered = true
        store(deliveryWatchdog)
        effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
    }

    /// Handles a further signal that joined an emergency.
    ///
    /// The emergency's own watchdog covers it only if that still waits for the first message.
    /// Otherwise the signal waits for a message accepted after it.
    private mutating func join(
        _ change: EmergencyChange, at now: Timestamp, into effects: inout [Effect]
    ) {
        let whole = deliveryWatchdogs[change.emergency]
        scheduleWatchdog(
            for: change.signal, of: change.person,
            countdownEnds: change.state == .open ? now : change.countdownEnds, at: now,
            into: &effects)
        guard var signal = deliveryWatchdogs[change.signal] else { return }
        signal.joined = change.emergency
        store(signal)
        effects.append(.saveDeliveryWatchdog(signal))
        guard signal.isOpen else { return }
        if let whole, whole.state == .waiting, whole.isOpened {
            end(change.signal, of: change.person, at: now, into: &effects)
        } else if let accepted = whole?.lastAccepted, accepted > signal.received {
            settle(change.signal, of: change.person, at: now, into: &effects)
        }
    }

    /// An evaluator that opens an emergency overrules its cancellation.
    private mutating func markOpened(_ id: EmergencyID, at now: Timestamp) {
        guard var deliveryWatchdog = deliveryWatchdogs[id], deliveryWatchdog.state == .cancelled
        else { return }
        deliveryWatchdog.state = .waiting
        deliveryWatchdog.due = .distantFuture
        store(deliveryWatchdog)
    }

    /// Raises the alarm, repeats the call to the operator, or removes the watchdog.
    mutating func expireWatchdog(
        _ id: EmergencyID, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard var deliveryWatchdog = deliveryWatchdogs[id] else { return }
        switch deliveryWatchdog.state {
        case .notified, .cancelled, .ended:
            deliveryWatchdogs[id] = nil
            effects.append(.removeDeliveryWatchdog(id))
            return
        case .waiting:
            deliveryWatchdog.state = .alarmed
            effects.append(.raiseAlarm(deliveryWatchdog))
        case .alarmed: break
        }
        if settings.callsAlarm, !deliveryWatchdog.isCallAccepted {
            deliveryWatchdog.calls += 1
            effects.append(.callAlarm(deliveryWatchdog))
            // If the answer gets lost, the call is repeated.
            deliveryWatchdog.due = now + .seconds(Limits.alarmCallSecondsLongest)
        } else {
            deliveryWatchdog.due = .distantFuture
        }
        store(deliveryWatchdog)
        effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
    }

    mutating func alarmCalled(
        _ id: EmergencyID, accepted: Bool, jitter: UInt64, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard var deliveryWatchdog = deliveryWatchdogs[id], deliveryWatchdog.state == .alarmed
        else { return }
        deliveryWatchdog.isCallAccepted = accepted
        let backoff = Backoff(
            first: .seconds(Limits.alarmCallSecondsFirst),
            longest: .seconds(Limits.alarmCallSecondsLongest))
        deliveryWatchdog.due =
            accepted
            ? .distantFuture : now + backoff.delay(after: deliveryWatchdog.calls, jitter: jitter)
        store(deliveryWatchdog)
        effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
    }

    /// Settles a watchdog because somebody was notified or responded.
    mutating func settle(
        _ id: EmergencyID, of person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) {
        if let known = deliveryWatchdogs[id], !known.isOpen, known.state != .cancelled { return }
        close(id, of: person, as: .notified, at: now, into: &effects)
    }

    /// Ends a watchdog because the emergency was cancelled or resolved.
    mutating func end(
        _ id: EmergencyID, of person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) {
        if deliveryWatchdogs[id]?.state == .ended { return }
        close(id, of: person, as: .ended, at: now, into: &effects)
    }

    /// Creates the watchdog if there is none: streams overtake each other, and later events must
    /// find that it is over.
    private mutating func close(
        _ id: EmergencyID, of person: PersonID, as state: DeliveryWatchdog.State, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        var deliveryWatchdog =
            deliveryWatchdogs[id]
            ?? DeliveryWatchdog(
                emergency: id, person: person, countdownEnds: now, state: state, due: now,
                received: now)
        if deliveryWatchdog.state == .alarmed { effects.append(.endAlarm(deliveryWatchdog)) }
        deliveryWatchdog.state = state
        deliveryWatchdog.due = now + .seconds(Limits.deliveryWatchdogKeptSeconds)
        store(deliveryWatchdog)
        effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
    }

    /// Starts a watchdog, or shortens its wait. A late event still gets the full time.
    private mutating func scheduleWatchdog(
        for id: EmergencyID, of person: PersonID, countdownEnds: Timestamp, isOpened: Bool = false,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        let due = max(countdownEnds, now) + .seconds(settings.undeliveredSeconds)
        let known = deliveryWatchdogs[id]
        var deliveryWatchdog =
            known
            ?? DeliveryWatchdog(
                emergency: id, person: person, countdownEnds: countdownEnds, state: .waiting,
                due: .distantFuture, received: now)
        guard deliveryWatchdog.state == .waiting else { return }
        deliveryWatchdog.isOpened = deliveryWatchdog.isOpened || isOpened
        if due < deliveryWatchdog.due {
            deliveryWatchdog.due = due
            deliveryWatchdog.countdownEnds = countdownEnds
        }
        guard deliveryWatchdog != known else { return }
        store(deliveryWatchdog)
        effects.append(.saveDeliveryWatchdog(deliveryWatchdog))
    }

    mutating func store(_ deliveryWatchdog: DeliveryWatchdog) {
        deliveryWatchdogs[deliveryWatchdog.emergency] = deliveryWatchdog
        queue.set(.deliveryWatchdog(deliveryWatchdog.emergency), due: deliveryWatchdog.due)
    }

    /// The watchdogs of a person, ids ascending.
    func deliveryWatchdogs(of person: PersonID) -> [DeliveryWatchdog] {
        deliveryWatchdogs.values.filter { $0.person == person }.sorted {
            $0.emergency < $1.emergency
        }
    }

    /// The open watchdogs of a person, ids ascending.
    func openDeliveryWatchdogs(of person: PersonID) -> [DeliveryWatchdog] {
        deliveryWatchdogs.values.filter { $0.person == person && $0.isOpen }
            .sorted { $0.emergency < $1.emergency }
    }
    /// The open signals that joined an emergency, ids ascending.
    private func openSignals(of emergency: EmergencyID) -> [EmergencyID] {
        deliveryWatchdogs.values.filter { $0.joined == emergency && $0.isOpen }.map(\.emergency)
            .sorted()
    }
}
