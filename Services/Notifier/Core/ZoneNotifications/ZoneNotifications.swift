import Directory
import Model

/// Zone notifications to guardians, and zone alarms to the person themselves.
struct ZoneNotifications: Sendable {
    /// Notifies each circle to which the zone belongs.
    func zoneChanged(_ event: Event, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard let change = ZoneChange(event) else { return }
        for circle in Recipients.circles(of: change, in: turn.directory) {
            notify(circle, of: change, event.id, &delivery, &turn)
        }
    }

    private func notify(
        _ circle: Circle, of change: ZoneChange, _ event: EventID, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard let subject = circle.member(change.person) else { return }
        var decisions = Recipients.decide(on: change, in: circle, turn.directory, at: turn.now)
        for index in decisions.indices where decisions[index].reason.sendsMessage {
            var plan = DeliveryPlan(
                reason: change.reason, severity: .routine, scope: change.scope(of: event))
            plan.circle = circle
            plan.person = change.person
            plan.expires = change.ageFrom + Limits.routineAgeMax
            let recipient = decisions[index].recipient
            let access = PositionAccess(
                of: .person(recipient), in: circle, turn.directory, at: turn.now)
            let outcome = delivery.notify(
                recipient, change.content(showsPlace: access.detail(of: subject) == .exact), plan,
                &turn)
            decisions[index] = NotifyDecision(recipient, outcome)
        }
        var record = TimelineRecord(
            circle: circle.id, at: turn.now, kind: change.timelineKind, person: change.person,
            decisions: decisions, trace: turn.trace)
        record.zone = change.zone
        record.zoneName = change.zoneName
        let suppressed = Recipients.suppressed(
            change, from: circle, in: turn.directory, at: turn.now)
        record.isShared = suppressed.map { $0 == .transitionOff || $0 == .tooOld } ?? true
        turn.save(.timeline(record))
    }

    /// Notifies the person of their own alarm, whatever they share.
    ///
    /// Their devices ring with each repetition. Without a device that rings, the first alarm goes
    /// to their preferred contact point.
    func alarmRang(
        _ change: AlarmChange, _ event: Event, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        let time = event.time
        guard change.isAudible, turn.now - time <= Limits.routineAgeMax,
            let person = turn.directory.person(change.person)
        else { return }
        let ways = delivery.configuration.channels
        let phones = ContactSelector.all(of: person, on: ways.filter(\.rules.rings))
        var plan = DeliveryPlan(reason: .ownAlarm, severity: .safety, scope: event.id)
        plan.person = change.person
        if phones.isEmpty {
            guard change.rings == 1,
                let first = ContactSelector.preferred(of: person, on: ways).first
            else {
                return
            }
            plan.contacts = [first]
            plan.expires = time + Limits.routineAgeMax
        } else {
            plan.contacts = phones
            plan.expires = time + Limits.ringAgeMax
        }
        _ = delivery.notify(
            change.person,
            .ownAlarm(zone: change.zoneName, near: change.presence == .near, at: time),
            plan, &turn)
    }
}
