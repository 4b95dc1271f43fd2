import Hashing
import Model

/// Something of the notifier that became due in an outage.
public enum Held: Hashable, Comparable, Sendable {
    /// Everything that is to be told of an emergency, also of a call that no evaluator answered.
    case emergency(EmergencyID)
    /// A message about anything else.
    case message(NotificationID)
}

// What became due while the notifier was away waits for the operator, and not for ever. The ladder
// of an emergency that waits does not climb; whatever calls for help anew ends the wait.
extension Notifier {
    /// What is held, with whom it is about and when it was due; the earliest first.
    public var heldItems: [HeldItem] {
        let whole = emergencies.values.filter { $0.isHeld == true }.map { emergency in
            HeldItem(
                held: .emergency(emergency.id), person: emergency.person, due: due(of: emergency),
                what: emergency.trigger.rawValue)
        }
        let calls = heldCalls.map { signal in
            HeldItem(
                held: .emergency(signal.id), person: signal.person, due: signal.raised,
                what: signal.trigger.rawValue)
        }
        let messages = notifications.values.filter(isHeldAlone).map { message in
            HeldItem(
                held: .message(message.id), person: message.person,
                emergency: message.emergency, recipient: message.recipient,
                channel: message.channel, due: message.wasDue ?? message.created,
                what: message.reason.rawValue)
        }
        return (whole + calls + messages).sorted { ($0.due, $0.held) < ($1.due, $1.held) }
    }

    /// Until when; nil where nothing is held.
    public var holdEnds: Timestamp? { hasHeld ? holding?.holdEnds : nil }

    /// The outage while what became due in it may be held.
    var holding: Outage? { isHoldOver ? nil : outage }

    private var hasHeld: Bool {
        !postponed.isEmpty || emergencies.values.contains { $0.isHeld == true }
            || notifications.values.contains { $0.isHeld == true }
    }

    /// When the first that waits of an emergency was due; where nothing is known of that, when it
    /// was raised.
    private func due(of emergency: Emergency) -> Timestamp {
        let messages = notificationsOf[emergency.id, default: []].compactMap { notifications[$0] }
            .filter { $0.isHeld == true }.map { $0.wasDue ?? $0.created }
        return (waits(of: emergency) + messages).min() ?? emergency.raised
    }

    /// Ends of an emergency's waits in the outage.
    private func waits(of emergency: Emergency) -> [Timestamp] {
        guard let outage else { return [] }
        let tiers = ladders[emergency.id, default: []].compactMap { $0.clock == nil ? nil : $0.due }
        let taken = emergency.acknowledgements.compactMap { $0.clock == nil ? nil : $0.due }
        return (tiers + taken).filter(outage.covers)
    }

    /// Not one of an emergency that is held as a whole.
    private func isHeldAlone(_ message: Notification) -> Bool {
        guard message.isHeld == true else { return false }
        return message.emergency.flatMap { emergencies[$0]?.isHeld } != true
    }

    /// Calls for help whose evaluator's answer did not come, and nobody was told.
    private var heldCalls: [EmergencySignal] {
        postponed.values.compactMap { _, purpose in
            guard case .fallback(let id) = purpose, emergencies[id]?.isHeld != true else {
                return nil
            }
            return signals[id]?.signal
        }
    }

    // MARK: Beginning to wait

    /// An emergency of which a wait ended in the outage is held from the start, before its clock is
    /// heard of: whoever looks sees it, and what ends the hold ends it.
    mutating func holdOverdue(at now: Timestamp) {
        guard let outage = holding, now < outage.holdEnds else { return }
        for emergency in emergencies.values
        where emergency.isHeld == nil && emergency.state.isActive {
            if !waits(of: emergency).isEmpty { emergencies[emergency.id]?.isHeld = true }
        }
    }

    /// Whether an emergency waits that is read of now: also where nobody to tell is known yet, as
    /// with a new store.
    func isHeldWhenOpened(_ turn: Turn) -> Bool? {
        guard let outage = holding, let cause = turn.cause, outage.holds(cause, at: turn.now) else {
            return nil
        }
        return true
    }

    /// Marks a new message with the time of what it tells, if that was in the outage.
    func noteOutage(of message: inout Notification, _ turn: Turn) {
        let raised = message.wasDue
        message.wasDue = nil
        guard let outage, message.severity != .test else { return }
        var due = raised ?? turn.cause
        if raised == nil, message.reason.isAlarm, let id = message.emergency,
            let emergency = emergencies[id]
        {
            // A further call is told as of when that was made.
            let call = message.reason == .pressedAgain ? emergency.latest?.raised : nil
            due = call ?? emergency.raised
        }
        // A new store knows of no outage: a phone may tell late of what was before, too.
        let waits = message.emergency.flatMap { emergencies[$0]?.isHeld } ?? false
        let isSure = outage.from > .zero || turn.cause.map(outage.covers) ?? waits
        if let due, isSure, outage.covers(due), due >= outage.from { message.wasDue = due }
        if let cause = turn.cause, holding?.holds(cause, at: turn.now) ?? false {
            message.isHeld = true
        }
    }

    /// Keeps a message from its first attempt, if it became due in the outage or is of an emergency
    /// that waits.
    mutating func hold(_ message: Notification, _ turn: inout Turn) -> Bool {
        guard let outage = holding, turn.now < outage.holdEnds, message.isHeld != false,
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
        keep(message, isChange: false, &turn)
        if var emergency, emergency.isHeld == nil, emergency.state.isActive {
            emergency.isHeld = true
            keep(emergency, &turn)
        }
        return true
    }

    /// Keeps the end of a wait from its effect, if it came in the outage or is of an emergency that
    /// waits.
    mutating func postpone(
        _ clock: WantedClock, _ purpose: ClockPurpose, _ turn: Turn
    ) -> Bool {
        guard let outage = holding, turn.now < outage.holdEnds else { return false }
        let isOld: Bool
        switch purpose {
        case .retry: return false
        case .fallback(let id):
            isOld = signals[id]?.signal.map { outage.covers($0.received) } ?? false
        case .tier(let id, _), .hold(let id):
            guard let emergency = emergencies[id], emergency.isHeld != false else { return false }
            isOld = emergency.isHeld == true || outage.covers(clock.due)
            if isOld { emergencies[id]?.isHeld = true }
        }
        if isOld { postponed[clock.id] = (clock, purpose) }
        return isOld
    }

    // MARK: Its end

    /// The time for a word is over: all of it goes out.
    mutating func endHold(_ turn: inout Turn) {
        guard let holding, holding.holdEnds <= turn.now else { return }
        // Whatever the clock says next: nothing would look again for what is held.
        isHoldOver = true
        release(heldItems.map(\.held), &turn)
    }

    /// Somebody calls for help now, or what they called for is over: nothing of their emergencies
    /// waits any longer.
    mutating func endHold(for event: Event, _ turn: inout Turn) {
        guard let outage, !outage.covers(event.time) else { return }
        let person: PersonID
        switch event.body {
        case .sosRaised(let signal), .watchExpired(let signal):
            guard !outage.covers(signal.received) else { return }
            person = signal.person
        case .emergencyOpened(let news), .emergencyJoined(let news): person = news.person
        case .emergencyCancelled(let news), .emergencyResolved(let news):
            return endHold(ofTaken: news.emergency, &turn)
        case .sosCancelled(let cancel):
            // What evaluators have opened does not end by it.
            guard let emergency = emergencies[cancel.emergency],
                emergency.person == cancel.person,
                emergency.state == .countdown || emergency.isAdopted
            else { return }
            return endHold(ofTaken: emergency.id, &turn)
        default: return
        }
        endHold(ofEndsOf: person, &turn)
        for id in activeOf[person, default: []] { endHold(of: id, &turn) }
    }

    /// A signal that came after the outage is a call for help of now, also where its emergency was
    /// heard of later.
    mutating func endHold(
        of id: EmergencyID, calledBy signal: EmergencyID, _ turn: inout Turn
    ) {
        guard let outage, let call = signals[signal]?.signal, !outage.covers(call.received) else {
            return
        }
        endHold(ofEndsOf: call.person, &turn)
        endHold(of: id, &turn)
    }

    mutating func release(_ items: [Held], _ turn: inout Turn) {
        for item in items.sorted() {
            switch item {
            case .message(let id): lift(id, &turn)
            case .emergency(let id):
                endHold(of: id, &turn)
                if !takePostponed(fallback: id).isEmpty { fallBack(id, &turn) }
            }
        }
    }

    /// What was held of an emergency is sent, and its ladders go on; a tier that was not told yet
    /// has its whole time from now on. What of it would only be held next is not.
    mutating func endHold(of id: EmergencyID, _ turn: inout Turn) {
        let isHolding = holding.map { turn.now < $0.holdEnds } ?? false
        guard var emergency = emergencies[id],
            emergency.isHeld ?? (isHolding && emergency.state.isActive)
        else { return }
        emergency.isHeld = false
        // What was said of it so far leaves as something of then: a call of now is one of its own.
        emergency.repeated = nil
        keep(emergency, &turn)
        let waiting = Set(
            notificationsOf[id, default: []].filter { notifications[$0]?.isHeld == true })
        for message in waiting.sorted() { lift(message, &turn) }
        for ladder in ladders[id, default: []]
        where !waiting.isDisjoint(with: ladder.current)
            && emergency.escalates(in: ladder.circle, turn.directory)
        {
            waitAnew(ladder, emergency, &turn)
        }
        let over = postponed.values.filter { $0.clock.emergency == id }
            .sorted { $0.clock.id < $1.clock.id }
        for (clock, purpose) in over {
            if case .fallback = purpose { continue }
            postponed[clock.id] = nil
            fire(clock, purpose, &turn)
        }
    }

    private mutating func waitAnew(
        _ ladder: Ladder, _ emergency: Emergency, _ turn: inout Turn
    ) {
        guard let index = ladderIndex(ladder.emergency, ladder.circle), let id = ladder.clock
        else { return }
        let tiers = turn.directory.circle(ladder.circle).map { Audience.tiers(of: $0) } ?? []
        let tier = max(0, ladder.nextTier - 1)
        let wait =
            tiers.indices.contains(tier)
            ? Duration.seconds(tiers[tier].waitSeconds) : Limits.exhaustedRoundWait
        unwant(id, &turn)
        let clock = WantedClock(
            id: Meaning.clock(.tier, id.raw, .text("held")), rule: .tier,
            person: emergency.person, emergency: emergency.id, due: turn.now + wait)
        ladders[ladder.emergency]?[index].clock = clock.id
        ladders[ladder.emergency]?[index].due = clock.due
        if let changed = ladders[ladder.emergency]?[index] { turn.save(.ladder(changed)) }
        want(clock, for: .tier(ladder.emergency, ladder.circle), &turn)
    }

    mutating func takePostponed(
        fallback id: EmergencyID
    ) -> [(clock: WantedClock, purpose: ClockPurpose)] {
        let found = postponed.values.filter { $0.purpose == .fallback(id) }
        for entry in found { postponed[entry.clock.id] = nil }
        return Array(found)
    }

    /// A message goes on to its gateway.
    mutating func lift(_ id: NotificationID, _ turn: inout Turn) {
        guard var message = notifications[id], message.isHeld == true else { return }
        message.isHeld = false
        guard message.due != nil else {
            notifications[id] = message
            return
        }
        message.due = turn.now
        keep(message, isChange: false, &turn)
        if lineUp(message) {
            lanes.append(id, to: message.lane, about: message.person, isRetry: message.attempts > 0)
        }
    }

    // MARK: Words

    /// What is told late says so at its first attempt, whether it was held or not.
    func sayLate(_ message: inout Notification, _ turn: Turn) {
        guard let due = message.wasDue, let outage else { return }
        message.wasDue = nil
        guard message.attempts == 0 else { return }
        let person = message.recipient.flatMap { turn.directory.person($0) }
        let reader = Reader(
            language: Language(locale: person?.locale ?? ""), who: "", now: turn.now,
            offsetSeconds: person.flatMap { zones[$0.timeZone]?.offsetSeconds(at: due) },
            map: configuration.map)
        message.words = Composer(reader).late(message.words, due: due, until: outage.until)
    }
}

/// What a list of what is held says of one.
public struct HeldItem: Hashable, Sendable {
    public var held: Held
    /// Whom it is about.
    public var person: PersonID?
    public var emergency: EmergencyID?
    /// Of a message.
    public var recipient: PersonID?
    public var channel: Channel?
    public var due: Timestamp
    /// An emergency's trigger, or why a message is sent.
    public var what: String
}
