import Hashing
import Model

/// Something that became due during an outage.
public enum HeldItem: Hashable, Comparable, Sendable {
    /// All messages about an emergency, or a signal that no evaluator answered.
    case emergency(EmergencyID)
    /// A message about something else.
    case message(NotificationID)
}

// Items that became due during an outage wait for the operator, for a limited time. Escalations of
// held emergencies do not advance. A new call for help ends the hold of that person's emergencies.
extension Notifier {
    /// Summaries of held items, the earliest due first.
    public var heldSummaries: [HeldSummary] {
        let whole = emergencies.values.filter { $0.isHeld == true }.map { emergency in
            HeldSummary(
                item: .emergency(emergency.id), person: emergency.person, due: due(of: emergency),
                reason: emergency.trigger.rawValue)
        }
        let calls = heldSignals.map { signal in
            HeldSummary(
                item: .emergency(signal.id), person: signal.person, due: signal.raised,
                reason: signal.trigger.rawValue)
        }
        let messages = notifications.values.filter(isHeldAlone).map { message in
            HeldSummary(
                item: .message(message.id), person: message.person,
                emergency: message.emergency, recipient: message.recipient,
                channel: message.channel, due: message.wasDue ?? message.created,
                reason: message.reason.rawValue)
        }
        return (whole + calls + messages).sorted { ($0.due, $0.item) < ($1.due, $1.item) }
    }

    /// When the hold ends; nil if nothing is held.
    public var holdEnds: Timestamp? { holdsAnything ? outageHold?.holdEnds : nil }

    /// The outage, while the hold lasts.
    var outageHold: Outage? { isHoldOver ? nil : outage }

    private var holdsAnything: Bool {
        !postponed.isEmpty || emergencies.values.contains { $0.isHeld == true }
            || notifications.values.contains { $0.isHeld == true }
    }

    /// When the first held message or deadline of an emergency was due; when it was raised if
    /// neither is known.
    private func due(of emergency: Emergency) -> Timestamp {
        let messages = notificationsOf[emergency.id, default: []].compactMap { notifications[$0] }
            .filter { $0.isHeld == true }.map { $0.wasDue ?? $0.created }
        return (waits(of: emergency) + messages).min() ?? emergency.raised
    }

    /// Due times of an emergency's deadlines during the outage.
    private func waits(of emergency: Emergency) -> [Timestamp] {
        guard let outage else { return [] }
        let tiers = escalations[emergency.id, default: []].compactMap {
            $0.deadline == nil ? nil : $0.due
        }
        let acknowledgement = emergency.acknowledgements.compactMap {
            $0.deadline == nil ? nil : $0.due
        }
        return (tiers + acknowledgement).filter(outage.covers)
    }

    /// Whether a message is held, but not as part of a held emergency.
    private func isHeldAlone(_ message: Notification) -> Bool {
        guard message.isHeld == true else { return false }
        return message.emergency.flatMap { emergencies[$0]?.isHeld } != true
    }

    /// Signals that no evaluator answered and of which nobody was notified.
    private var heldSignals: [EmergencySignal] {
        postponed.values.compactMap { _, purpose in
            guard case .fallback(let id) = purpose, emergencies[id]?.isHeld != true else {
                return nil
            }
            return signals[id]?.signal
        }
    }

    // MARK: Start

    /// Holds emergencies with a deadline during the outage at load time, before the timer reports
    /// the deadline. So they are listed at once and released with the others.
    mutating func holdOverdue(at now: Timestamp) {
        guard let outage = outageHold, now < outage.holdEnds else { return }
        for emergency in emergencies.values
        where emergency.isHeld == nil && emergency.state.isActive {
            if !waits(of: emergency).isEmpty { emergencies[emergency.id]?.isHeld = true }
        }
    }

    /// Whether an emergency that is read now is held, also if it has no recipients yet, as with a
    /// new store.
    func isHeldWhenOpened(_ turn: Turn) -> Bool? {
        guard let outage = outageHold, let cause = turn.cause, outage.holds(cause, at: turn.now)
        else {
            return nil
        }
        return true
    }

    /// Records in a new message when its event happened, if that was during the outage.
    func markOutage(of message: inout Notification, _ turn: Turn) {
        let raised = message.wasDue
        message.wasDue = nil
        guard let outage, message.severity != .test else { return }
        var due = raised ?? turn.cause
        if raised == nil, message.reason.isAlarm, let id = message.emergency,
            let emergency = emergencies[id]
        {
            // A further call is dated by its own time.
            let call = message.reason == .pressedAgain ? emergency.latest?.raised : nil
            due = call ?? emergency.raised
        }
        // A new store knows of no outage, and a phone may report late for reasons of its own.
        let waits = message.emergency.flatMap { emergencies[$0]?.isHeld } ?? false
        let isSure = outage.from > .zero || turn.cause.map(outage.covers) ?? waits
        if let due, isSure, outage.covers(due), due >= outage.from { message.wasDue = due }
        if let cause = turn.cause, outageHold?.holds(cause, at: turn.now) ?? false {
            message.isHeld = true
        }
    }

    /// Holds a message before its first attempt if it became due during the outage or belongs to a
    /// held emergency.
    mutating func holdForOutage(_ message: Notification, _ turn: inout Turn) -> Bool {
        guard let outage = outageHold, turn.now < outage.holdEnds, message.isHeld != false,
            message.severity != .test
        else { return false }
        let emergency = message.emergency.flatMap { emergencies[$0] }
        if emergency?.isHeld == false { return false }
        let wasTried = message.attemptStarted.map { !outage.covers($0) } ?? false
        let isOld = outage.covers(message.created) && !wasTried
        guard message.isHeld == true || emergency?.isHeld == true || isOld else { return false }
        var message = message
        message.isHeld = true
        if message.wasDue == nil, isOld { message.wasDue = message.created }
        save(message, isChange: false, &turn)
        if var emergency, emergency.isHeld == nil, emergency.state.isActive {
            emergency.isHeld = true
            save(emergency, &turn)
        }
        return true
    }

    /// Postpones the effect of a deadline that expired during the outage or belongs to a held
    /// emergency.
    mutating func postpone(
        _ deadline: Deadline, _ purpose: DeadlinePurpose, _ turn: Turn
    ) -> Bool {
        guard let outage = outageHold, turn.now < outage.holdEnds else { return false }
        let isOld: Bool
        switch purpose {
        case .retry: return false
        case .fallback(let id):
            isOld = signals[id]?.signal.map { outage.covers($0.received) } ?? false
        case .tier(let id, _), .acknowledgement(let id):
            guard let emergency = emergencies[id], emergency.isHeld != false else { return false }
            isOld = emergency.isHeld == true || outage.covers(deadline.due)
            if isOld { emergencies[id]?.isHeld = true }
        }
        if isOld { postponed[deadline.id] = (deadline, purpose) }
        return isOld
    }

    // MARK: End

    /// Releases everything when the hold ends.
    mutating func endOutageHold(_ turn: inout Turn) {
        guard let outageHold, outageHold.holdEnds <= turn.now else { return }
        // Once released nothing is checked again, even if the clock is set back.
        isHoldOver = true
        release(heldSummaries.map(\.item), &turn)
    }

    /// Releases the emergencies of a person who calls for help now, or an emergency that ends now.
    mutating func endOutageHold(for event: Event, _ turn: inout Turn) {
        guard let outage, !outage.covers(event.time) else { return }
        let person: PersonID
        switch event.body {
        case .sosRaised(let signal), .watchExpired(let signal):
            guard !outage.covers(signal.received) else { return }
            person = signal.person
        case .emergencyOpened(let change), .emergencyJoined(let change): person = change.person
        case .emergencyCancelled(let change), .emergencyResolved(let change):
            return endOutageHold(ofTaken: change.emergency, &turn)
        case .sosCancelled(let cancel):
            // An emergency opened by evaluators does not end by a cancelled signal.
            guard let emergency = emergencies[cancel.emergency],
                emergency.person == cancel.person,
                emergency.state == .countdown || emergency.isFallback
            else { return }
            return endOutageHold(ofTaken: emergency.id, &turn)
        default: return
        }
        endOutageHold(ofEndsOf: person, &turn)
        for id in activeOf[person, default: []] { endOutageHold(of: id, &turn) }
    }

    /// Releases an emergency after a signal received after the outage, also if the emergency itself
    /// is received later.
    mutating func endOutageHold(
        of id: EmergencyID, calledBy signal: EmergencyID, _ turn: inout Turn
    ) {
        guard let outage, let call = signals[signal]?.signal, !outage.covers(call.received) else {
            return
        }
        endOutageHold(ofEndsOf: call.person, &turn)
        endOutageHold(of: id, &turn)
    }

    mutating func release(_ items: [HeldItem], _ turn: inout Turn) {
        for item in items.sorted() {
            switch item {
            case .message(let id): releaseMessage(id, &turn)
            case .emergency(let id):
                endOutageHold(of: id, &turn)
                if !popPostponed(fallback: id).isEmpty { fallBack(id, &turn) }
            }
        }
    }

    /// Releases an emergency: held messages are sent and escalations continue.
    ///
    /// A tier whose messages were held gets its whole wait again. Items that would only be held
    /// later are not held any more.
    mutating func endOutageHold(of id: EmergencyID, _ turn: inout Turn) {
        let isOutageHoldActive = outageHold.map { turn.now < $0.holdEnds } ?? false
        guard var emergency = emergencies[id],
            emergency.isHeld ?? (isOutageHoldActive && emergency.state.isActive)
        else { return }
        emergency.isHeld = false
        // Messages so far refer to the time of the outage. A call from now is notified separately.
        emergency.repeated = nil
        save(emergency, &turn)
        let waiting = Set(
            notificationsOf[id, default: []].filter { notifications[$0]?.isHeld == true })
        for message in waiting.sorted() { releaseMessage(message, &turn) }
        for escalation in escalations[id, default: []]
        where !waiting.isDisjoint(with: escalation.current)
            && emergency.escalates(in: escalation.circle, turn.directory)
        {
            restartWait(escalation, emergency, &turn)
        }
        let over = postponed.values.filter { $0.deadline.emergency == id }
            .sorted { $0.deadline.id < $1.deadline.id }
        for (deadline, purpose) in over {
            if case .fallback = purpose { continue }
            postponed[deadline.id] = nil
            expire(deadline, purpose, &turn)
        }
    }

    private mutating func restartWait(
        _ escalation: Escalation, _ emergency: Emergency, _ turn: inout Turn
    ) {
        guard let index = escalationIndex(escalation.emergency, escalation.circle),
            let id = escalation.deadline
        else { return }
        let tiers = turn.directory.circle(escalation.circle).map { Recipients.tiers(of: $0) } ?? []
        let tier = max(0, escalation.nextTier - 1)
        let wait =
            tiers.indices.contains(tier)
            ? Duration.seconds(tiers[tier].waitSeconds) : Limits.exhaustedRoundWait
        cancelDeadline(id, &turn)
        let deadline = Deadline(
            id: DerivedID.deadline(.tier, id.raw, .text("held")), rule: .tier,
            person: emergency.person, emergency: emergency.id, due: turn.now + wait)
        escalations[escalation.emergency]?[index].deadline = deadline.id
        escalations[escalation.emergency]?[index].due = deadline.due
        if let changed = escalations[escalation.emergency]?[index] {
            turn.save(.escalation(changed))
        }
        schedule(deadline, for: .tier(escalation.emergency, escalation.circle), &turn)
    }

    mutating func popPostponed(
        fallback id: EmergencyID
    ) -> [(deadline: Deadline, purpose: DeadlinePurpose)] {
        let found = postponed.values.filter { $0.purpose == .fallback(id) }
        for entry in found { postponed[entry.deadline.id] = nil }
        return Array(found)
    }

    /// Queues a held message.
    mutating func releaseMessage(_ id: NotificationID, _ turn: inout Turn) {
        guard var message = notifications[id], message.isHeld == true else { return }
        message.isHeld = false
        guard message.due != nil else {
            notifications[id] = message
            return
        }
        message.due = turn.now
        save(message, isChange: false, &turn)
        if insertOrdered(message) {
            deliveryQueue.append(
                id, to: message.lane, about: message.person, isRetry: message.attempts > 0)
        }
    }

    // MARK: Text

    /// Adds a notice to a late message at its first attempt, whether it was held or not.
    func addLateNotice(_ message: inout Notification, _ turn: Turn) {
        guard let due = message.wasDue, let outage else { return }
        message.wasDue = nil
        guard message.attempts == 0 else { return }
        let person = message.recipient.flatMap { turn.directory.person($0) }
        let reader = Reader(
            language: Language(locale: person?.locale ?? ""), who: "", now: turn.now,
            offsetSeconds: person.flatMap { zones[$0.timeZone]?.offsetSeconds(at: due) },
            map: configuration.map)
        message.rendered = Composer(reader).late(message.rendered, due: due, until: outage.until)
    }
}

/// A held item as shown to the operator.
public struct HeldSummary: Hashable, Sendable {
    public var item: HeldItem
    /// Whom it is about.
    public var person: PersonID?
    public var emergency: EmergencyID?
    /// Messages only.
    public var recipient: PersonID?
    public var channel: Channel?
    public var due: Timestamp
    /// An emergency's trigger, or a message's reason.
    public var reason: String
}
