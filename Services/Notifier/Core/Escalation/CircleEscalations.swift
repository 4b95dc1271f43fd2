import Directory
import Hashing
import Model

/// Escalations of emergencies: each circle of the person notifies one tier after the other until
/// somebody responds.
struct CircleEscalations: Sendable {
    var book: EmergencyBook
    /// By circle, ascending.
    private var escalations: [EmergencyID: [CircleEscalation]] = [:]

    init(
        from rows: NotifierRows, _ book: EmergencyBook, at now: Timestamp,
        _ delivery: inout Delivery
    ) {
        self.book = book
        for escalation in rows.escalations.sorted(by: { $0.circle < $1.circle }) {
            escalations[escalation.emergency, default: []].append(escalation)
            guard let deadline = escalation.deadline, let due = escalation.due,
                let emergency = book[escalation.emergency]
            else { continue }
            self.book.deadlines.restore(
                Deadline(
                    id: deadline, kind: .tier, person: emergency.person, emergency: emergency.id,
                    due: due),
                for: .tier(emergency.id, escalation.circle), earliest: now + Limits.fallbackWait)
        }
        holdOverdue(at: now, &delivery)
    }

    func of(_ emergency: EmergencyID) -> [CircleEscalation] { escalations[emergency] ?? [] }

    /// Number of the newest pass.
    func round(of emergency: EmergencyID) -> Int { of(emergency).map(\.round).max() ?? 0 }

    /// Circles whose escalation is running.
    func running(_ emergency: EmergencyID) -> [CircleID] {
        of(emergency).filter { $0.deadline != nil }.map(\.circle)
    }

    private subscript(emergency: EmergencyID, circle: CircleID) -> CircleEscalation? {
        get { of(emergency).first { $0.circle == circle } }
        set {
            let index = escalations[emergency]?.firstIndex { $0.circle == circle }
            guard let index, let newValue else { return }
            escalations[emergency]?[index] = newValue
        }
    }

    private mutating func save(_ escalation: CircleEscalation, _ turn: inout Turn) {
        self[escalation.emergency, escalation.circle] = escalation
        turn.save(.escalation(escalation))
    }

    // MARK: Steps

    /// Starts the escalation of a circle, once per emergency.
    ///
    /// - Parameter wait: delay before the first tier
    mutating func start(
        _ id: EmergencyID, _ circle: CircleID, as opening: Repetition = .first,
        after wait: Duration = .zero, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard self[id, circle] == nil, let emergency = book[id],
            !emergency.endedCircles.contains(circle)
        else { return }
        if let limit = delivery.reachability.limit(of: emergency, in: turn.directory) {
            let members = turn.directory.circle(circle)?.members ?? []
            guard members.contains(where: { limit.contains($0.person) }) else { return }
        }
        var escalation = CircleEscalation(emergency: id, circle: circle, round: round(of: id))
        escalation.opening = opening
        guard wait > .zero else {
            escalations[id, default: []].append(escalation)
            return advance(id, circle, &delivery, &turn)
        }
        let deadline = Deadline(
            id: DerivedID.tier(of: escalation, tier: -1), kind: .tier, person: emergency.person,
            emergency: id, due: turn.now + wait)
        (escalation.deadline, escalation.due) = (deadline.id, deadline.due)
        escalations[id, default: []].append(escalation)
        turn.save(.escalation(escalation))
        book.deadlines.schedule(deadline, for: .tier(id, circle), &turn)
    }

    /// Advances an escalation to its next step.
    mutating func advance(
        _ id: EmergencyID, _ circleID: CircleID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let emergency = book[id], emergency.escalates(in: circleID, turn.directory),
            var escalation = self[id, circleID]
        else { return }
        turn.trace = emergency.trace
        book.deadlines.cancel(escalation.deadline, &turn)
        escalation.deadline = nil
        escalation.due = nil
        escalation.current = []
        escalation.waitsForWithheld = nil
        self[id, circleID] = escalation
        let directory = turn.directory.seen(by: emergency)
        guard let circle = directory.circle(circleID), circle.member(emergency.person) != nil
        else { return turn.save(.escalation(escalation)) }
        let reachability = delivery.reachability
        let ways = Set(delivery.configuration.channels)
        let limit = reachability.limit(of: emergency, in: directory)
        let step = escalation.next(
            for: emergency.person, in: circle,
            canTry: { person, channels in
                guard limit?.contains(person) ?? true, let person = directory.person(person) else {
                    return false
                }
                return !ContactSelector.all(of: person, on: ways.intersection(channels)).isEmpty
            },
            isReachable: { person, channels in
                // A gateway that is down is tried nevertheless, so the tier is waited for.
                directory.person(person).map {
                    reachability.obstacle(to: $0, on: channels, unverified: true, at: nil) == nil
                } ?? false
            })
        switch step {
        case .tier(let tier, let recipients, let channels, let wait):
            escalation.nextTier = tier + 1
            escalation.recipients = Set(escalation.recipients + recipients).sorted()
            let isWaitedFor = notify(
                escalation, recipients, on: channels, kind: .tier, tier: tier, wait: wait,
                &delivery, &turn)
            if !isWaitedFor { advance(id, circleID, &delivery, &turn) }
        case .exhausted(let recipients, let wait):
            escalation.nextTier = Recipients.tiers(of: circle).count
            escalation.round += 1
            escalation.recipients = recipients
            _ = notify(
                escalation, recipients, on: nil, kind: .exhausted, tier: escalation.nextTier - 1,
                wait: wait, &delivery, &turn)
            if emergency.state == .open { book.notifyNobodyReached(id, &delivery, &turn) }
        }
    }

    /// Notifies the recipients of a step and schedules its deadline.
    ///
    /// - Parameters:
    ///   - channels: nil = all contact points on all channels
    ///   - wait: nil = the next step follows at once
    /// - Returns: true if the escalation waits; false for a tier whose people were all notified
    ///   before through a shared number
    private mutating func notify(
        _ escalation: CircleEscalation, _ recipients: [PersonID], on channels: [Channel]?,
        kind: TimelineKind, tier: Int, wait: Duration?, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) -> Bool {
        guard let emergency = book[escalation.emergency] else { return true }
        var escalation = escalation
        let id = escalation.emergency
        let isExhausted = kind == .exhausted
        let scope = DerivedID.pass(id, round: escalation.round)
        var decisions: [NotifyDecision] = []
        let inOrder = ContactSelector.verifiedFirst(
            recipients, on: channels ?? Channel.allCases, in: turn.directory)
        for recipient in inOrder {
            let outcome = book.notifyAlarm(
                id, to: recipient, isExhausted ? .unanswered : escalation.opening,
                reason: isExhausted ? .exhausted : .tier, scope: scope, circle: escalation.circle,
                channels: channels, &delivery, &turn)
            var decision = NotifyDecision(recipient, outcome)
            let isRepeated = outcome.isWithheld && isNotified(recipient, besides: escalation)
            if isRepeated { decision.reason = .alreadyNotified }
            decisions.append(decision)
            escalation.current += outcome.notifications
            if outcome.isWaitedFor, !isRepeated || emergency.opened == turn.now {
                escalation.waitsForWithheld = true
            }
        }
        decisions.sort { $0.recipient < $1.recipient }
        // A message may still lead to an acknowledgement if it is new or unsent, and its address is
        // not known to be unreachable.
        let isWaitedFor =
            isExhausted || escalation.waitsForWithheld == true
            || escalation.current.contains { id in
                guard let message = delivery.book[id],
                    message.created == turn.now || message.isPending
                else { return false }
                return !delivery.contacts.isUnreachable(message.address)
            }
        let deadline = (isWaitedFor ? wait : nil).map { wait in
            Deadline(
                id: DerivedID.tier(of: escalation, tier: tier), kind: .tier,
                person: emergency.person, emergency: id, due: turn.now + wait)
        }
        escalation.deadline = deadline?.id
        escalation.due = deadline?.due
        save(escalation, &turn)
        if let deadline {
            book.deadlines.schedule(deadline, for: .tier(id, escalation.circle), &turn)
        }
        let change = EscalationChange(
            emergency: id, person: emergency.person, circle: escalation.circle, tier: tier,
            round: escalation.round, recipients: recipients.count)
        let body: EventBody =
            isExhausted ? .escalationExhausted(change) : .escalationTierStarted(change)
        let cause = DerivedID.event(
            body.kind, emergency.person, .id(id), .id(escalation.circle), .number(tier),
            .number(escalation.round))
        turn.publish(cause, body)
        book.record(
            kind, emergency, circle: escalation.circle, tier: tier, round: escalation.round,
            decisions: decisions, &turn)
        return deadline != nil
    }

    /// Whether another circle notified a recipient in the same pass. A withheld message counts like
    /// a sent one, which is not sent again.
    private func isNotified(_ recipient: PersonID, besides escalation: CircleEscalation) -> Bool {
        of(escalation.emergency).contains {
            $0.circle != escalation.circle && $0.round == escalation.round
                && $0.recipients.contains(recipient)
        }
    }

    /// Advances an escalation whose deadline has expired.
    mutating func tierExpired(
        _ id: EmergencyID, _ circle: CircleID, _ deadline: DeadlineID,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var escalation = self[id, circle], escalation.deadline == deadline else { return }
        escalation.deadline = nil
        self[id, circle] = escalation
        advance(id, circle, &delivery, &turn)
        notifyExhaustion(id, &delivery, &turn)
    }

    /// Replaces a rejected message in its escalation. A tier without remaining messages is not
    /// waited for.
    mutating func replace(
        _ notification: Notification, by replacements: [NotificationID],
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let id = notification.emergency else { return }
        for var escalation in of(id) where escalation.current.contains(notification.id) {
            escalation.current.removeAll { $0 == notification.id }
            escalation.current += replacements
            save(escalation, &turn)
            let tiers =
                turn.directory.circle(escalation.circle).map { Recipients.tiers(of: $0).count } ?? 0
            if escalation.current.isEmpty, escalation.waitsForWithheld != true,
                escalation.deadline != nil, escalation.nextTier < tiers
            {
                advance(id, escalation.circle, &delivery, &turn)
                notifyExhaustion(id, &delivery, &turn)
            }
        }
    }

    /// Informs the person in danger when no escalation of an open emergency is running.
    mutating func notifyExhaustion(
        _ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let emergency = book[id], emergency.state == .open, !emergency.isRecordOnly,
            running(id).isEmpty
        else { return }
        book.notifyNobodyReached(id, &delivery, &turn)
    }

    // MARK: Starts and stops

    /// Restarts the escalations of circles that have no responder and in which it has not ended.
    ///
    /// - Parameter running: circles whose escalation never stopped; it continues unchanged
    mutating func restart(
        _ id: EmergencyID, as opening: Repetition, besides running: [CircleID],
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let emergency = book[id] else { return }
        let round = round(of: id) + 1
        let circles = of(id).map(\.circle).filter {
            !running.contains($0) && emergency.escalates(in: $0, turn.directory)
        }
        for circle in circles { self[id, circle]?.restart(round: round, opening: opening) }
        for circle in circles { advance(id, circle, &delivery, &turn) }
    }

    /// Notifies people whom a list of recipients excluded until now, beginning with the first tier.
    mutating func widen(
        _ id: EmergencyID, as opening: Repetition, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let emergency = book[id] else { return }
        restart(id, as: opening, besides: [], &delivery, &turn)
        startAll(of: emergency, as: opening, &delivery, &turn)
    }

    /// Starts the escalations of all circles of the person that have none.
    mutating func startAll(
        of emergency: Emergency, as opening: Repetition, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        for circle in turn.directory.seen(by: emergency).circles(of: emergency.person)
        where emergency.escalates(in: circle, turn.directory) {
            start(emergency.id, circle, as: opening, &delivery, &turn)
        }
    }

    /// Starts the escalation of a circle that has none. Restarts one that found nobody or stopped
    /// because the person had left.
    mutating func extend(
        _ id: EmergencyID, _ circle: CircleID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let emergency = book[id], !emergency.isRecordOnly,
            emergency.escalates(in: circle, turn.directory)
        else { return }
        guard var escalation = self[id, circle] else {
            return start(id, circle, &delivery, &turn)
        }
        // A delayed first tier stays delayed.
        guard
            escalation.deadline == nil || (escalation.recipients.isEmpty && escalation.nextTier > 0)
        else { return }
        escalation.nextTier = 0
        self[id, circle] = escalation
        advance(id, circle, &delivery, &turn)
        notifyExhaustion(id, &delivery, &turn)
    }

    /// Resumes escalations that stopped for a responder who has since left that circle.
    mutating func resumeUnanswered(
        _ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let emergency = book[id], emergency.state == .acknowledged, !emergency.isRecordOnly
        else { return }
        let own = turn.directory.seen(by: emergency).circles(of: emergency.person)
        let isAnyLeft = of(id).contains { escalation in
            escalation.deadline == nil && own.contains(escalation.circle)
                && emergency.escalates(in: escalation.circle, turn.directory)
        }
        guard isAnyLeft else { return }
        book.record(.resumed, emergency, &turn)
        restart(id, as: .unanswered, besides: running(id), &delivery, &turn)
    }

    /// Stops escalations.
    ///
    /// - Parameter circles: whose escalations stop; nil = all
    mutating func stop(_ id: EmergencyID, in circles: [CircleID]? = nil, _ turn: inout Turn) {
        for var escalation in of(id) where circles?.contains(escalation.circle) ?? true {
            book.deadlines.cancel(escalation.deadline, &turn)
            escalation.deadline = nil
            escalation.due = nil
            save(escalation, &turn)
        }
    }

    /// Continues the escalations of an emergency under another id.
    mutating func move(from old: EmergencyID, to emergency: Emergency, _ turn: inout Turn) {
        let running = of(old)
        stop(old, &turn)
        for var escalation in running {
            escalation.emergency = emergency.id
            if let due = escalation.due, escalation.deadline != nil {
                // The old id is part of the deadline's id: an emergency may return to an id that it
                // had before.
                let step = HashPart.parts(
                    .id(escalation.circle), .number(escalation.round), .number(escalation.nextTier),
                    .id(old))
                let deadline = Deadline(
                    id: DerivedID.deadline(.tier, emergency.id.raw, step), kind: .tier,
                    person: emergency.person, emergency: emergency.id, due: due)
                escalation.deadline = deadline.id
                book.deadlines.schedule(
                    deadline, for: .tier(emergency.id, escalation.circle), &turn)
            }
            escalations[emergency.id]?.removeAll { $0.circle == escalation.circle }
            escalations[emergency.id, default: []].append(escalation)
            turn.save(.escalation(escalation))
        }
    }

    /// Removes ended emergencies and old signals from memory.
    mutating func sweep(_ delivery: inout Delivery, _ turn: inout Turn) {
        for id in book.sweep(&delivery, &turn) { escalations[id] = nil }
    }

    // MARK: Outage hold

    /// Holds emergencies with a deadline during the outage at load time, before the timer reports
    /// the deadline. So they are listed at once and released with the others.
    private mutating func holdOverdue(at now: Timestamp, _ delivery: inout Delivery) {
        guard delivery.hold.isActive(at: now), let outage = delivery.hold.outage else { return }
        for var emergency in book.all where emergency.isHeld == nil && emergency.state.isActive {
            guard !waits(of: emergency, in: outage).isEmpty else { continue }
            emergency.isHeld = true
            book.keep(emergency, &delivery)
        }
    }

    /// Due times of an emergency's deadlines during the outage.
    private func waits(of emergency: Emergency, in outage: Outage) -> [Timestamp] {
        let tiers = of(emergency.id).compactMap { $0.deadline == nil ? nil : $0.due }
        let acknowledgements = emergency.acknowledgements.compactMap {
            $0.deadline == nil ? nil : $0.due
        }
        return (tiers + acknowledgements).filter(outage.covers)
    }

    /// Summary of a held emergency. It was due when its first held message or deadline was, or if
    /// neither is known, when it was raised.
    func heldSummary(of emergency: Emergency, _ delivery: Delivery) -> HeldSummary {
        let messages = delivery.book.about(emergency.id).filter { $0.isHeld == true }
            .map { $0.wasDue ?? $0.created }
        let waits = delivery.hold.outage.map { self.waits(of: emergency, in: $0) } ?? []
        return HeldSummary(
            item: .emergency(emergency.id), person: emergency.person,
            due: (waits + messages).min() ?? emergency.raised, reason: emergency.trigger.rawValue)
    }

    /// Releases an emergency: held messages are sent, and a tier whose messages were held gets its
    /// whole wait again.
    ///
    /// Items that would only be held later are not held any more. Deadlines that have expired stay
    /// held.
    ///
    /// - Returns: false if it is not held
    mutating func releaseMessages(
        of id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) -> Bool {
        guard var emergency = book[id],
            emergency.isHeld ?? (delivery.hold.isActive(at: turn.now) && emergency.state.isActive)
        else { return false }
        emergency.isHeld = false
        // Messages so far refer to the time of the outage. A call from now is notified separately.
        emergency.repeated = nil
        book.save(emergency, &delivery, &turn)
        let waiting = Set(
            delivery.book.about(id).filter { $0.isHeld == true }.map(\.id))
        for message in waiting.sorted() { delivery.release(message, &turn) }
        for escalation in of(id)
        where !waiting.isDisjoint(with: escalation.current)
            && emergency.escalates(in: escalation.circle, turn.directory)
        {
            restartWait(escalation, emergency, &turn)
        }
        return true
    }

    private mutating func restartWait(
        _ held: CircleEscalation, _ emergency: Emergency, _ turn: inout Turn
    ) {
        guard var escalation = self[held.emergency, held.circle], let id = held.deadline else {
            return
        }
        let tiers = turn.directory.circle(escalation.circle).map { Recipients.tiers(of: $0) } ?? []
        let tier = max(0, held.nextTier - 1)
        let wait =
            tiers.indices.contains(tier)
            ? Duration.seconds(tiers[tier].waitSeconds) : Limits.exhaustedRoundWait
        book.deadlines.cancel(id, &turn)
        let deadline = Deadline(
            id: DerivedID.deadline(.tier, id.raw, .text("held")), kind: .tier,
            person: emergency.person, emergency: emergency.id, due: turn.now + wait)
        escalation.deadline = deadline.id
        escalation.due = deadline.due
        save(escalation, &turn)
        book.deadlines.schedule(deadline, for: .tier(emergency.id, escalation.circle), &turn)
    }

    /// Releases an emergency that is acknowledged or over, and drops its held tiers.
    mutating func releaseAnswered(
        _ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        book.deadlines.removeHeld { $0.deadline.emergency == id }
        _ = releaseMessages(of: id, &delivery, &turn)
    }
}
