import Hashing
import Model

extension Notifier {
    /// Publishes the state of a message for each of its recipients, once per state and cause.
    func publishState(_ notification: Notification, cause: HashPart, _ turn: inout Turn) {
        guard let person = notification.person else { return }
        for recipient in notification.recipients {
            let change = NotificationChanged(
                notification: notification.id, emergency: notification.emergency, person: person,
                recipient: recipient, channel: notification.channel, state: notification.state,
                gateway: notification.gateway, answer: notification.answer)
            let other = recipient == notification.recipient ? HashPart.none : .id(recipient)
            let id = DerivedID.event(
                .notificationChanged, person, .id(notification.id), .text(change.state.rawValue),
                cause, other)
            turn.publish(id, .notificationChanged(change))
        }
    }
}

extension Notification {
    /// Everyone for whom this message counts: usually one person, several with a shared number,
    /// none for a bare address.
    var recipients: [PersonID] {
        [recipient].compactMap(\.self) + (alsoFor ?? [])
    }

    /// A copy for another contact point of the same recipient.
    func moved(
        to contact: ContactPoint, id: NotificationID, _ configuration: NotifierConfiguration,
        at now: Timestamp
    ) -> Notification {
        var moved = Notification(
            id: id, reason: reason, severity: severity, scope: scope, emergency: emergency,
            circle: circle, person: person, recipient: recipient, channel: contact.channel,
            address: contact.address, addresses: (addresses ?? [address]) + [contact.address],
            rendered: rendered, reference: reference,
            token: DerivedID.token(id, secret: configuration.tokenSecret), created: now,
            expires: expires, trace: trace)
        moved.order = order
        moved.showsPlace = showsPlace
        return moved
    }
}
