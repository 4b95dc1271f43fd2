import Model

// Escalations notify one tier after the other until somebody responds.
extension Notifier {
    func escalationIndex(_ emergency: EmergencyID, _ circle: CircleID) -> Int? {
        escalations[emergency]?.firstIndex { $0.circle == circle }
    }

    /// Starts the escalation of a circle, once per emergency.
    ///
    /// - Parameter wait: delay before the first tier
    mutating func startEscalation(
        _ id: EmergencyID, _ circle: CircleID, as opening: Repetition = .first,
        after wait: Duration = .zero, _ turn: inout Turn
    ) {
        guard escalationIndex(id, circle) == nil,
            emergencies[id]?.endedCircles.contains(circle) != true
        else { return }
        let round = escalations[id]?.map(\.round).max() ?? 0
        var escalation = Escalation(emergency: id, circle: circle, round: round)
        escalation.opening = opening
        if wait > .zero, let emergency = emergencies[id] {
            let deadline = Deadline(
                id: DerivedID.tier(of: escalation, tier: -1), rule: .tier, person: emergency.person,
                emergency: id, due: turn.now + wait)
            (escalation.deadline, escalation.due) = (deadline.id, deadline.due)
            escalations[id, default: []].append(escalation)
            turn.save(.escalation(escalation))
            return schedule(deadline, for: .tier(id, circle), &turn)
        }
        escalations[id, default: []].append(escalation)
        advance(id, circle, &turn)
    }

    /// Advances an escalation to its next step.
    mutating func advance(_ id: EmergencyID, _ circleID: CircleID, _ turn: inout Turn) {
        guard let emergency = emergencies[id],
            emergency.escalates(in: circleID, turn.directory),
            let index = escalationIndex(id, circleID), var escalation = escalations[id]?[index]
        else { return }
        turn.trace = emergency.trace
        cancelDeadline(escalation.deadline, &turn)
        escalation.deadline = nil
        escalation.due = nil
        escalation.current = []
        escalations[id]?[index] = escalation
        guard let circle = turn.directory.circle(circleID), circle.member(emergency.person) != nil
        else { return turn.save(.escalation(escalation)) }
        let directory = turn.directory
        let reachability = reachability
        let ways = Set(configuration.channels)
        let step = escalation.next(
            for: emergency.person, in: circle,
            canTry: { person, channels in
                guard let person = directory.person(person) else { return false }
                return !ContactSelector.all(of: person, on: ways.intersection(channels)).isEmpty
            },
            isReachable: { person, channels in
                // A gateway that is down is tried nevertheless, so the tier is waited for.
                directory.person(person).map {
                    reachability.obstacle(to: $0, on: channels, at: nil) == nil
                } ?? false
            })
        switch step {
        case .tier(let tier, let recipients, let channels, let wait):
            escalation.nextTier = tier + 1
            escalation.recipients = Set(escalation.recipients + recipients).sorted()
            let isWaitedFor = notifyTier(
                escalation, recipients, on: channels, kind: .tier, tier: tier, wait: wait, &turn)
            if !isWaitedFor { advance(id, circleID, &turn) }
        case .exhausted(let recipients, let wait):
            escalation.nextTier = Recipients.tiers(of: circle).count
            escalation.round += 1
            escalation.recipients = recipients
            _ = notifyTier(
                escalation, recipients, on: nil, kind: .exhausted, tier: escalation.nextTier - 1,
                wait: wait, &turn)
            if emergency.state == .open { notifyNobodyReached(id, &turn) }
        }
    }

    /// Notifies the recipients of a step and schedules its deadline.
    ///
    /// - Parameters:
    ///   - channels: nil = all contact points on all channels
    ///   - wait: nil = the next step follows at once
    /// - Returns: true if the escalation waits; false for a tier whose people were all notified
    ///   before through a shared number
    private mutating func notifyTier(
        _ escalation: Escalation, _ recipients: [PersonID], on channels: [Channel]?,
        kind: TimelineKind,
        tier: Int, wait: Duration?, _ turn: inout Turn
    ) -> Bool {
        guard let emergency = emergencies[escalation.emergency] else { return true }
        var escalation = escalation
        let id = escalation.emergency
        let isExhausted = kind == .exhausted
        let scope = DerivedID.pass(id, round: escalation.round)
        var decisions: [NotifyDecision] = []
        for recipient in recipients {
            let outcome = notifyAlarm(
                id, to: recipient, isExhausted ? .unanswered : escalation.opening,
                reason: isExhausted ? .exhausted : .tier, scope: scope, circle: escalation.circle,
                channels: channels, &turn)
            decisions.append(NotifyDecision(recipient: recipient, reason: outcome.reason))
            escalation.current += outcome.notifications
        }
        let isWaitedFor = isExhausted || escalation.current.contains { isFresh($0, turn) }
        let deadline = (isWaitedFor ? wait : nil).map { wait in
            Deadline(
                id: DerivedID.tier(of: escalation, tier: tier), rule: .tier,
                person: emergency.person,
                emergency: id, due: turn.now + wait)
        }
        escalation.deadline = deadline?.id
        escalation.due = deadline?.due
        replace(escalation, &turn)
        if let deadline { schedule(deadline, for: .tier(id, escalation.circle), &turn) }
        publishChange(
            escalation, emergency, kind: kind, tier: tier, recipients: recipients.count, &turn)
        record(
            kind, emergency, circle: escalation.circle, tier: tier, round: escalation.round,
            decisions: decisions, &turn)
        return deadline != nil
    }

    /// Whether a message may still lead to an acknowledgement: it is new or unsent, and its address
    /// is not known to be unreachable.
    private func isFresh(_ id: NotificationID, _ turn: Turn) -> Bool {
        guard let message = notifications[id],
            message.created == turn.now || message.isPending
        else { return false }
        return numbers[message.address]?.problem == nil
    }

    private func publishChange(
        _ escalation: Escalation, _ emergency: Emergency, kind: TimelineKind, tier: Int,
        recipients: Int,
        _ turn: inout Turn
    ) {
        let change = EscalationChange(
            emergency: emergency.id, person: emergency.person, circle: escalation.circle,
            tier: tier,
            round: escalation.round, recipients: recipients)
        let body: EventBody =
            kind == .tier ? .escalationTierStarted(change) : .escalationExhausted(change)
        let cause = DerivedID.event(
            body.kind, emergency.person, .id(emergency.id), .id(escalation.circle), .number(tier),
            .number(escalation.round))
        turn.publish(cause, body)
    }

    /// Replaces a rejected message in its escalation. A tier without remaining messages is not
    /// waited for.
    mutating func replaceInEscalation(
        _ notification: Notification, replacement: [NotificationID], _ turn: inout Turn
    ) {
        guard let id = notification.emergency else { return }
        for var escalation in escalations[id, default: []]
        where escalation.current.contains(notification.id) {
            escalation.current.removeAll { $0 == notification.id }
            escalation.current += replacement
            replace(escalation, &turn)
            if escalation.current.isEmpty, escalation.deadline != nil,
                escalation.nextTier < turn.directory.circle(escalation.circle)
                    .map({ Recipients.tiers(of: $0).count }) ?? 0
            {
                advance(id, escalation.circle, &turn)
                notifyExhaustion(id, &turn)
            }
        }
    }

    /// Stops escalations.
    ///
    /// - Parameter circles: whose escalations stop; nil = all
    mutating func stopEscalations(
        _ id: EmergencyID, in circles: [CircleID]? = nil, _ turn: inout Turn
    ) {
        for var escalation in escalations[id, default: []]
        where circles?.contains(escalation.circle) ?? true {
            cancelDeadline(escalation.deadline, &turn)
            escalation.deadline = nil
            escalation.due = nil
            replace(escalation, &turn)
        }
    }

    private mutating func replace(_ escalation: Escalation, _ turn: inout Turn) {
        guard let index = escalationIndex(escalation.emergency, escalation.circle) else { return }
        escalations[escalation.emergency]?[index] = escalation
        turn.save(.escalation(escalation))
    }

    /// Handles a directory change that adds, removes or makes reachable people of a circle with an
    /// active emergency.
    mutating func directoryChanged(_ body: EventBody, _ turn: inout Turn) {
        switch body {
        case .circleChanged, .circleRemoved, .personRemoved: circlesChanged(&turn)
        default: break
        }
        let circles: [Circle]
        switch body {
        case .circleChanged(let circle): circles = [circle]
        case .personChanged(let person):
            circles = turn.directory.circles(of: person.id).compactMap(turn.directory.circle)
        default: return
        }
        for circle in circles {
            for member in circle.members where member.joined != nil {
                for id in activeOf[member.person, default: []] {
                    extendEscalation(id, circle.id, &turn)
                }
            }
        }
    }

    /// Starts the escalation of a circle that has none. Restarts one that found nobody or stopped
    /// because the person had left.
    private mutating func extendEscalation(
        _ id: EmergencyID, _ circle: CircleID, _ turn: inout Turn
    ) {
        guard let emergency = emergencies[id], !emergency.isRecordOnly,
            emergency.escalates(in: circle, turn.directory)
        else { return }
        guard let index = escalationIndex(id, circle), let escalation = escalations[id]?[index]
        else {
            return startEscalation(id, circle, &turn)
        }
        // A delayed first tier stays delayed.
        guard
            escalation.deadline == nil || (escalation.recipients.isEmpty && escalation.nextTier > 0)
        else { return }
        escalations[id]?[index].nextTier = 0
        advance(id, circle, &turn)
        notifyExhaustion(id, &turn)
    }

    /// Informs the person in danger when no escalation of an open emergency is running.
    mutating func notifyExhaustion(_ id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], emergency.state == .open, !emergency.isRecordOnly,
            escalations[id, default: []].allSatisfy({ $0.deadline == nil })
        else { return }
        notifyNobodyReached(id, &turn)
    }
}
