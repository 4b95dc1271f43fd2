import Hashing
import Model

extension Notifier {
    /// Publishes the state of a message for each of its recipients; once for each state and cause.
    func announce(_ notification: Notification, cause: HashPart, _ turn: inout Turn) {
        guard let person = notification.person else { return }
        for recipient in notification.recipients {
            let news = NotificationNews(
                notification: notification.id, emergency: notification.emergency, person: person,
                recipient: recipient, channel: notification.channel, state: notification.state,
                gateway: notification.gateway, answer: notification.answer)
            let other = recipient == notification.recipient ? HashPart.none : .id(recipient)
            let id = Meaning.event(
                .notificationChanged, person, .id(notification.id), .text(news.state.rawValue),
                cause, other)
            turn.publish(id, .notificationChanged(news))
        }
    }
}

extension Notification {
    /// Everybody for whom this message counts: usually one person, more where they have the same
    /// number, nobody where it goes to an address alone.
    var recipients: [PersonID] {
        [recipient].compactMap(\.self) + (alsoFor ?? [])
    }

    /// The same message for another contact point of the same person.
    func moved(
        to contact: ContactPoint, id: NotificationID, _ configuration: NotifierConfiguration,
        at now: Timestamp
    ) -> Notification {
        var moved = Notification(
            id: id, reason: reason, severity: severity, scope: scope, emergency: emergency,
            circle: circle, person: person, recipient: recipient, channel: contact.channel,
            address: contact.address, addresses: (addresses ?? [address]) + [contact.address],
            words: words, reference: reference,
            token: Meaning.token(id, secret: configuration.tokenSecret), created: now,
            expires: expires, trace: trace)
        moved.order = order
        moved.showsPlace = showsPlace
        return moved
    }
}
