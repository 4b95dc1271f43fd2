import Hashing
import Model

// Release of emergencies that were acknowledged or have ended. Their end must be notified before
// any later call for help.
extension Notifier {
    /// Releases an emergency that is acknowledged or over, and drops its postponed tiers.
    mutating func endOutageHold(ofTaken id: EmergencyID, _ turn: inout Turn) {
        postponed = postponed.filter { _, waiting in
            if case .fallback = waiting.purpose { return true }
            return waiting.deadline.emergency != id
        }
        endOutageHold(of: id, &turn)
    }

    /// Releases the ended emergencies of a person before a new call for help. Otherwise their end
    /// could be mistaken for the end of the new one.
    mutating func endOutageHold(ofEndsOf person: PersonID, _ turn: inout Turn) {
        guard let outageHold, turn.now < outageHold.holdEnds else { return }
        let over = emergencies.values.filter { $0.person == person && !$0.state.isActive }
            .map(\.id).sorted()
        for id in over {
            endOutageHold(of: id, &turn)
            for message in notificationsOf[id, default: []] { releaseMessage(message, &turn) }
        }
    }

    /// Cancels unsent messages about the end of an emergency that continues.
    mutating func cancelEndNotices(of id: EmergencyID, _ turn: inout Turn) {
        for message in notificationsOf[id, default: []] {
            guard let notification = notifications[message], notification.due != nil,
                notification.reason == .standDown || notification.reason == .ownEnded
            else { continue }
            close(message, as: .expired, "called for help again", &turn)
        }
    }

    /// Ends an emergency silently for unreached recipients if it was opened and ended long ago
    /// during the outage. A recent end is notified.
    ///
    /// - Returns: true if it was held and ended long ago
    mutating func dropOldEnd(_ id: EmergencyID, _ turn: inout Turn) -> Bool {
        guard let outage, let cause = turn.cause,
            outage.until - cause > Limits.endNotificationAgeMax,
            emergencies[id]?.isHeld == true
        else { return false }
        removeUnreachedRecipients(id, &turn)
        emergencies[id]?.isHeld = nil
        return true
    }

    /// Removes recipients of a held emergency to whom no message was ever attempted, under any of
    /// its ids. Older emergencies keep all recipients, because their sent messages are not in
    /// memory.
    private mutating func removeUnreachedRecipients(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], emergency.isHeld == true,
            let opened = emergency.signals.compactMap({ emergencies[$0]?.opened }).min(),
            turn.now - opened < Limits.settledNotificationsKept
        else { return }
        let messages = emergency.signals.flatMap { notificationsOf[$0, default: []] }
            .compactMap { notifications[$0] }
        emergency.recipients = emergency.recipients.filter { person in
            let own = messages.filter { $0.recipients.contains(person) }
            return own.isEmpty || own.contains { $0.attempts > 0 }
        }
        save(emergency, &turn)
    }

    /// Drops held messages, and ends held emergencies silently for unreached recipients.
    mutating func drop(_ items: [HeldItem], _ turn: inout Turn) {
        for item in items.sorted() {
            switch item {
            case .message(let id):
                guard notifications[id]?.isHeld == true else { continue }
                close(id, as: .expired, "dropped by the operator", &turn)
            case .emergency(let id):
                if !popPostponed(fallback: id).isEmpty { dropSignal(id, &turn) }
                dropEmergency(id, &turn)
            }
        }
    }

    private mutating func dropEmergency(_ id: EmergencyID, _ turn: inout Turn) {
        removeUnreachedRecipients(id, &turn)
        guard var emergency = emergencies[id], emergency.isHeld == true else { return }
        turn.trace = emergency.trace
        for message in notificationsOf[id, default: []]
        where notifications[message]?.isHeld == true {
            close(message, as: .expired, "dropped by the operator", &turn)
        }
        emergency.isHeld = false
        save(emergency, &turn)
        postponed = postponed.filter { $0.value.deadline.emergency != id }
        guard emergency.state.isActive else { return }
        end(id, as: .resolved, by: nil, isDropped: true, &turn)
        let answer = EmergencyAnswer(
            emergency: id, person: emergency.person, by: nil, at: turn.now,
            trace: emergency.trace, signals: emergency.signals)
        let event = DerivedID.event(
            .resolutionCommitted, emergency.person, .id(id), .number(emergencies[id]?.endings ?? 0))
        turn.publish(event, .resolutionCommitted(answer))
    }
}
