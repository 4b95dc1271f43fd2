import Directory
import Model

// Lost contact. The person is asked to check in, then their guardians are notified. For a person on
// a watch, the emergency is raised here if no evaluator does it.
extension Notifier {
    /// Asks a person on all channels to check in, unless they have an active emergency.
    mutating func contactOverdue(_ change: ContactChange, _ event: Event, _ turn: inout Turn) {
        guard turn.now - change.at <= Limits.routineAgeMax,
            activeOf[change.person, default: []].isEmpty
        else { return }
        var plan = DeliveryPlan(reason: .checkInRequested, severity: .safety, scope: event.id)
        plan.person = change.person
        plan.channels = nil
        plan.expires = change.at + Limits.routineAgeMax
        let alarmAt = change.isWatched ? change.at + Limits.checkInAnswerWait : nil
        _ = notify(
            change.person, .contact(.asked(since: change.since, alarmAt: alarmAt)), plan, &turn)
    }

    /// Records an OK as a check-in if exactly one person was asked at this number. With two, it is
    /// not known which of them replied.
    mutating func recordCheckIn(_ reply: Reply, _ turn: inout Turn) -> Bool {
        let asked = notifications.values.filter {
            $0.reason == .checkInRequested && $0.address == reply.sender && $0.attempts > 0
        }
        let people = Set(asked.compactMap(\.recipient))
        guard people.count == 1, let person = people.first else { return false }
        turn.publish(
            DerivedID.event(.checkInReceived, person, .id(reply.id)),
            .checkInReceived(
                Contact(person: person, kind: .checkIn, at: turn.now, trace: reply.trace)))
        return true
    }

    /// Notifies guardians that contact is lost. On a watch, the emergency does that instead.
    mutating func contactLost(_ change: ContactChange, _ event: Event, _ turn: inout Turn) {
        guard !change.isWatched else { return }
        notifyCircles(of: change, event, .contactLost, .contactLost, nil, &turn)
    }

    /// Notifies everyone who was notified of the contact loss. Ends no emergency.
    mutating func contactOK(_ change: ContactChange, _ event: Event, _ turn: inout Turn) {
        guard change.state == .lost, change.end != .changed else { return }
        let emergency = activeOf[change.person, default: []].last
        notifyCircles(of: change, event, .contactRestored, .contactRestored, emergency, &turn)
    }

    /// Notifies the guardians in each circle of the person.
    ///
    /// - Parameter emergency: the active emergency, if any; its recipients need no other message
    private mutating func notifyCircles(
        of change: ContactChange, _ event: Event, _ kind: TimelineKind, _ reason: NotifyReason,
        _ emergency: EmergencyID?, _ turn: inout Turn
    ) {
        for circle in turn.directory.circles(of: change.person).compactMap(turn.directory.circle) {
            guard let subject = circle.member(change.person) else { continue }
            var decisions: [NotifyDecision] = []
            if emergency == nil {
                decisions = Recipients.decide(
                    on: reason, about: subject, of: change.at, in: circle, at: turn.now)
            }
            let place = subject.precision == .exact ? change.fix.map(Place.init) : nil
            let content: ContactContent =
                kind == .contactLost ? .lost(since: change.since, place: place) : .restored
            for index in decisions.indices where decisions[index].reason.sendsMessage {
                var plan = DeliveryPlan(reason: reason, severity: .routine, scope: event.id)
                plan.circle = circle
                plan.person = change.person
                plan.expires = change.at + Limits.routineAgeMax
                decisions[index].reason =
                    notify(decisions[index].recipient, .contact(content), plan, &turn).reason
            }
            record(
                kind, of: subject, in: circle, emergency: emergency, decisions: decisions, &turn)
        }
    }

    /// Warns the person of a low battery, on their phones or their preferred channel. Circles see
    /// it in their timeline.
    mutating func batteryLow(_ change: BatteryChange, _ event: Event, _ turn: inout Turn) {
        guard turn.now - event.time <= Limits.routineAgeMax,
            let person = turn.directory.person(change.person)
        else { return }
        let ways = configuration.channels
        let phones = ContactSelector.all(of: person, on: ways.filter { $0 == .push })
        var plan = DeliveryPlan(reason: .ownBattery, severity: .routine, scope: event.id)
        plan.person = change.person
        plan.contacts =
            phones.isEmpty
            ? Array(ContactSelector.preferred(of: person, on: ways).prefix(1)) : phones
        plan.expires = event.time + Limits.routineAgeMax
        let outcome = notify(change.person, .contact(.battery(change.battery)), plan, &turn)
        for circle in turn.directory.circles(of: change.person).compactMap(turn.directory.circle) {
            guard let subject = circle.member(change.person) else { continue }
            record(
                .batteryLow, of: subject, in: circle, emergency: nil,
                decisions: [NotifyDecision(recipient: change.person, reason: outcome.reason)],
                &turn)
        }
    }

    /// Notifies the person, and their guardians if the setting is on and the person shares, that
    /// something keeps a phone from reporting.
    mutating func deviceImpaired(_ change: ReportingImpairment, _ event: Event, _ turn: inout Turn)
    {
        guard turn.now - event.time <= Limits.routineAgeMax,
            let cause = change.impairments.first(where: \.preventsReporting)
        else { return }
        var plan = DeliveryPlan(reason: .ownImpairment, severity: .routine, scope: event.id)
        plan.person = change.person
        plan.expires = event.time + Limits.routineAgeMax
        let own = notify(change.person, .contact(.ownImpairment(cause)), plan, &turn)
        for circle in turn.directory.circles(of: change.person).compactMap(turn.directory.circle) {
            guard let subject = circle.member(change.person) else { continue }
            var decisions = [NotifyDecision(recipient: change.person, reason: own.reason)]
            if configuration.notifiesGuardiansOfImpairment {
                decisions += notifyHelpers(
                    Recipients.decide(
                        on: .deviceImpaired, about: subject, of: event.time, in: circle,
                        at: turn.now
                    ).filter { $0.recipient != change.person }, plan, circle, cause, &turn)
            }
            record(
                .deviceImpaired, of: subject, in: circle, emergency: nil, decisions: decisions,
                &turn)
        }
    }

    private mutating func notifyHelpers(
        _ decisions: [NotifyDecision], _ plan: DeliveryPlan, _ circle: Circle, _ cause: Impairment,
        _ turn: inout Turn
    ) -> [NotifyDecision] {
        var plan = plan
        plan.reason = .deviceImpaired
        plan.circle = circle
        return decisions.map { decision in
            guard decision.reason.sendsMessage else { return decision }
            let outcome = notify(decision.recipient, .contact(.impairment(cause)), plan, &turn)
            return NotifyDecision(recipient: decision.recipient, reason: outcome.reason)
        }
    }

    private mutating func record(
        _ kind: TimelineKind, of subject: Membership, in circle: Circle, emergency: EmergencyID?,
        decisions: [NotifyDecision], _ turn: inout Turn
    ) {
        turn.save(
            .timeline(
                TimelineRecord(
                    circle: circle.id, at: turn.now, kind: kind, person: subject.person,
                    emergency: emergency, decisions: decisions,
                    isShared: Recipients.notSharingReason(of: subject, at: turn.now) == nil,
                    trace: turn.trace)))
    }

    /// Raises the emergency of a person on a watch who did not check in.
    ///
    /// An evaluator may answer it; otherwise the fallback opens the escalation. A late deadline
    /// means that the suite was down, and that time does not count.
    mutating func contactDeadlineExpired(_ expired: ExpiredDeadline, _ turn: inout Turn) {
        guard !expired.late, let signal = expired.deadline.emergency else { return }
        receiveSignal(
            EmergencySignal(
                id: signal, person: expired.deadline.person, trigger: .lostContact,
                raised: expired.deadline.due, received: expired.deadline.due,
                countdownEnds: expired.deadline.due, trace: turn.trace), &turn)
    }

    /// Handles a cancelled contact deadline: the person was seen in time, or an intake outage is
    /// suspected.
    mutating func contactDeadlineCancelled(_ deadline: Deadline, _ turn: inout Turn) {
        guard deadline.rule == .contact, let signal = deadline.emergency else { return }
        markAnswered(signal, &turn)
    }
}

extension Recipients {
    /// Decides about a contact notification for each member of a circle, ids ascending. Guardians
    /// and admins are notified if the person shares with the circle.
    static func decide(
        on reason: NotifyReason, about subject: Membership, of time: Timestamp, in circle: Circle,
        at now: Timestamp
    ) -> [NotifyDecision] {
        let forAll =
            notSharingReason(of: subject, at: now)
            ?? (now - time > Limits.routineAgeMax ? .tooOld : nil)
        return circle.members.sorted { $0.person < $1.person }.map { member in
            let own: NotifyReason =
                if member.person == subject.person {
                    .themselves
                } else if member.joined == nil {
                    .notJoined
                } else {
                    ZoneAudience.standard.roles.contains(member.role) ? reason : .role
                }
            return NotifyDecision(recipient: member.person, reason: forAll ?? own)
        }
    }
}
