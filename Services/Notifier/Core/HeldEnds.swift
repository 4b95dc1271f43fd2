import Hashing
import Model

// What is held of an emergency that is taken, or over: how it ended is the one thing that is left
// to tell of it, and never after a call for help that came later.
extension Notifier {
    /// What is taken or over climbs no more: of tiers whose time came meanwhile nobody is told.
    mutating func endHold(ofTaken id: EmergencyID, _ turn: inout Turn) {
        postponed = postponed.filter { _, waiting in
            if case .fallback = waiting.purpose { return true }
            return waiting.clock.emergency != id
        }
        endHold(of: id, &turn)
    }

    /// How emergencies of somebody ended is told before they call for help anew: after it, it would
    /// be taken for the end of that.
    mutating func endHold(ofEndsOf person: PersonID, _ turn: inout Turn) {
        guard let holding, turn.now < holding.holdEnds else { return }
        let over = emergencies.values.filter { $0.person == person && !$0.state.isActive }
            .map(\.id).sorted()
        for id in over {
            endHold(of: id, &turn)
            for message in notificationsOf[id, default: []] { lift(message, &turn) }
        }
    }

    /// An emergency goes on: that it is over is not told any more, if that had not left yet.
    mutating func withdrawEnds(of id: EmergencyID, _ turn: inout Turn) {
        for message in notificationsOf[id, default: []] {
            guard let notification = notifications[message], notification.due != nil,
                notification.reason == .standDown || notification.reason == .ownEnded
            else { continue }
            close(message, as: .expired, "called for help again", &turn)
        }
    }

    /// What was opened in the outage and ended so long ago in it that nobody needs to hear of it is
    /// over without a word to those whom nothing reached from here. A newer end is held, and told.
    ///
    /// - Returns: whether it was held, and its end is an old one
    mutating func dropEndedMeanwhile(_ id: EmergencyID, _ turn: inout Turn) -> Bool {
        guard let outage, let cause = turn.cause, outage.until - cause > Limits.endTold,
            emergencies[id]?.isHeld == true
        else { return false }
        forgetUntold(id, &turn)
        emergencies[id]?.isHeld = nil
        return true
    }

    /// Those of whose messages about a held emergency none was ever tried have not heard of it,
    /// under none of the names that it had. Of one that was opened longer ago the messages that
    /// left are not known any more.
    private mutating func forgetUntold(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], emergency.isHeld == true,
            let opened = emergency.signals.compactMap({ emergencies[$0]?.opened }).min(),
            turn.now - opened < Limits.settledNotificationKept
        else { return }
        let messages = emergency.signals.flatMap { notificationsOf[$0, default: []] }
            .compactMap { notifications[$0] }
        emergency.told = emergency.told.filter { person in
            let own = messages.filter { $0.recipients.contains(person) }
            return own.isEmpty || own.contains { $0.attempts > 0 }
        }
        keep(emergency, &turn)
    }

    /// Messages are not sent; an emergency ends without a word to those who have not heard of it.
    mutating func drop(_ items: [Held], _ turn: inout Turn) {
        for item in items.sorted() {
            switch item {
            case .message(let id):
                guard notifications[id]?.isHeld == true else { continue }
                close(id, as: .expired, "dropped by the operator", &turn)
            case .emergency(let id):
                if !takePostponed(fallback: id).isEmpty { giveUp(id, &turn) }
                dropEmergency(id, &turn)
            }
        }
    }

    private mutating func dropEmergency(_ id: EmergencyID, _ turn: inout Turn) {
        forgetUntold(id, &turn)
        guard var emergency = emergencies[id], emergency.isHeld == true else { return }
        turn.trace = emergency.trace
        for message in notificationsOf[id, default: []]
        where notifications[message]?.isHeld == true {
            close(message, as: .expired, "dropped by the operator", &turn)
        }
        emergency.isHeld = false
        keep(emergency, &turn)
        postponed = postponed.filter { $0.value.clock.emergency != id }
        guard emergency.state.isActive else { return }
        end(id, as: .resolved, by: nil, isDropped: true, &turn)
        let answer = EmergencyAnswer(
            emergency: id, person: emergency.person, by: nil, at: turn.now,
            trace: emergency.trace, signals: emergency.signals)
        let event = Meaning.event(
            .resolutionGiven, emergency.person, .id(id), .number(emergencies[id]?.endings ?? 0))
        turn.publish(event, .resolutionGiven(answer))
    }
}
