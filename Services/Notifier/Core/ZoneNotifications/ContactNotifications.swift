import Directory
import Model

/// Notifications about contact with a person's phone, its battery and impairments.
///
/// A person out of contact is asked to check in, then their guardians are notified.
struct ContactNotifications: Sendable {
    /// Whether guardians and admins, not only the person, are notified when a phone may stop
    /// reporting.
    let notifiesGuardiansOfImpairment: Bool

    /// Asks a person on all channels to check in, unless they have an active emergency.
    func contactOverdue(
        _ change: ContactChange, _ event: Event, emergency: EmergencyID?,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard turn.now - change.at <= Limits.routineAgeMax, emergency == nil else { return }
        var plan = DeliveryPlan(reason: .checkInRequested, severity: .safety, scope: event.id)
        plan.person = change.person
        plan.channels = nil
        plan.expires = change.at + Limits.routineAgeMax
        let alarmAt = change.isWatched ? change.at + Limits.checkInAnswerWait : nil
        _ = delivery.notify(
            change.person, .contact(.asked(since: change.since, alarmAt: alarmAt)), plan, &turn)
    }

    /// Notifies guardians that contact is lost. On a watch, the emergency does that instead.
    func contactLost(
        _ change: ContactChange, _ event: Event, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard !change.isWatched else { return }
        notifyCircles(of: change, event, .contactLost, .contactLost, nil, &delivery, &turn)
    }

    /// Notifies everyone who was notified of the contact loss. Ends no emergency.
    ///
    /// - Parameter emergency: the newest active emergency; its recipients need no other message
    func contactOK(
        _ change: ContactChange, _ event: Event, emergency: EmergencyID?,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard change.state == .lost, change.end != .changed else { return }
        notifyCircles(
            of: change, event, .contactRestored, .contactRestored, emergency, &delivery, &turn)
    }

    /// Notifies the guardians in each circle of the person.
    ///
    /// - Parameter emergency: the active emergency, if any; its recipients need no other message
    private func notifyCircles(
        of change: ContactChange, _ event: Event, _ kind: TimelineKind, _ reason: NotifyReason,
        _ emergency: EmergencyID?, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        for circle in turn.directory.circles(of: change.person).compactMap(turn.directory.circle) {
            guard let subject = circle.member(change.person) else { continue }
            var decisions: [NotifyDecision] = []
            if emergency == nil {
                decisions = Recipients.decide(
                    on: reason, about: subject, of: change.at, in: circle, at: turn.now)
            }
            for index in decisions.indices where decisions[index].reason.sendsMessage {
                var plan = DeliveryPlan(reason: reason, severity: .routine, scope: event.id)
                plan.circle = circle
                plan.person = change.person
                plan.expires = change.at + Limits.routineAgeMax
                let recipient = decisions[index].recipient
                let access = PositionAccess(
                    of: .person(recipient), in: circle, turn.directory, at: turn.now)
                let place =
                    access.detail(of: subject) == .exact ? change.fix.map(Place.init) : nil
                let content: ContactContent =
                    kind == .contactLost ? .lost(since: change.since, place: place) : .restored
                decisions[index] = NotifyDecision(
                    recipient, delivery.notify(recipient, .contact(content), plan, &turn))
            }
            record(
                kind, of: subject, in: circle, emergency: emergency, decisions: decisions, &turn)
        }
    }

    /// Warns the person of a low battery, on their phones or their preferred channel. Circles see
    /// it in their timeline.
    func batteryLow(
        _ change: BatteryChange, _ event: Event, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard turn.now - event.time <= Limits.routineAgeMax,
            let person = turn.directory.person(change.person)
        else { return }
        let ways = delivery.configuration.channels
        let phones = ContactSelector.all(of: person, on: ways.filter(\.rules.rings))
        var plan = DeliveryPlan(reason: .ownBattery, severity: .routine, scope: event.id)
        plan.person = change.person
        plan.contacts =
            phones.isEmpty
            ? Array(ContactSelector.preferred(of: person, on: ways).prefix(1)) : phones
        plan.expires = event.time + Limits.routineAgeMax
        let outcome = delivery.notify(
            change.person, .contact(.battery(change.battery)), plan, &turn)
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
    func deviceImpaired(
        _ change: ReportingImpairment, _ event: Event, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard turn.now - event.time <= Limits.routineAgeMax,
            let cause = change.impairments.first(where: \.preventsReporting)
        else { return }
        var plan = DeliveryPlan(reason: .ownImpairment, severity: .routine, scope: event.id)
        plan.person = change.person
        plan.expires = event.time + Limits.routineAgeMax
        let own = delivery.notify(change.person, .contact(.ownImpairment(cause)), plan, &turn)
        for circle in turn.directory.circles(of: change.person).compactMap(turn.directory.circle) {
            guard let subject = circle.member(change.person) else { continue }
            var decisions = [NotifyDecision(recipient: change.person, reason: own.reason)]
            if notifiesGuardiansOfImpairment {
                decisions += notifyHelpers(
                    Recipients.decide(
                        on: .deviceImpaired, about: subject, of: event.time, in: circle,
                        at: turn.now
                    ).filter { $0.recipient != change.person }, plan, circle, cause, &delivery,
                    &turn)
            }
            record(
                .deviceImpaired, of: subject, in: circle, emergency: nil, decisions: decisions,
                &turn)
        }
    }

    private func notifyHelpers(
        _ decisions: [NotifyDecision], _ plan: DeliveryPlan, _ circle: Circle, _ cause: Impairment,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) -> [NotifyDecision] {
        var plan = plan
        plan.reason = .deviceImpaired
        plan.circle = circle
        return decisions.map { decision in
            guard decision.reason.sendsMessage else { return decision }
            let outcome = delivery.notify(
                decision.recipient, .contact(.impairment(cause)), plan, &turn)
            return NotifyDecision(decision.recipient, outcome)
        }
    }

    private func record(
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
                    ZoneAudience.standard.roles.contains(circle.role(of: member, over: subject))
                        ? reason : .role
                }
            return NotifyDecision(recipient: member.person, reason: forAll ?? own)
        }
    }
}
