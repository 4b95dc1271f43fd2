import Directory
import Hashing
import Model

/// Notifications in memory, by id and by emergency.
struct NotificationBook: Sendable {
    private var notifications: [NotificationID: Notification] = [:]
    private var ofEmergency: [EmergencyID: [NotificationID]] = [:]

    subscript(id: NotificationID) -> Notification? { notifications[id] }

    var all: some Collection<Notification> { notifications.values }

    /// Ids of the messages about an emergency, oldest first.
    func ids(of emergency: EmergencyID) -> [NotificationID] { ofEmergency[emergency] ?? [] }

    /// Messages about an emergency, oldest first.
    func about(_ emergency: EmergencyID) -> [Notification] {
        ids(of: emergency).compactMap { notifications[$0] }
    }

    /// Keeps a message in memory without a row.
    mutating func keep(_ notification: Notification) {
        notifications[notification.id] = notification
    }

    /// Lists a message among those of its emergency.
    mutating func index(_ notification: Notification) {
        guard let emergency = notification.emergency else { return }
        ofEmergency[emergency, default: []].append(notification.id)
    }

    mutating func remove(_ id: NotificationID) { notifications[id] = nil }

    /// Saves a message. A change of its state is also recorded and published.
    mutating func save(_ notification: Notification, isChange: Bool, _ turn: inout Turn) {
        var notification = notification
        notification.eraseSecrets()
        keep(notification)
        turn.save(.notification(notification))
        guard isChange else { return }
        turn.save(
            .change(
                NotificationChange(
                    notification: notification.id, at: turn.now, state: notification.state,
                    gateway: notification.gateway, answer: notification.answer)))
        publishState(of: notification, cause: .none, &turn)
    }

    /// Publishes the state of a message for each of its recipients, once per state and cause.
    func publishState(of notification: Notification, cause: HashPart, _ turn: inout Turn) {
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

    /// Moves messages to another id of their emergency and publishes their states under it.
    mutating func move(from old: EmergencyID, to new: EmergencyID, _ turn: inout Turn) {
        for id in ofEmergency.removeValue(forKey: old) ?? [] {
            guard var notification = notifications[id] else { continue }
            notification.emergency = new
            save(notification, isChange: false, &turn)
            publishState(of: notification, cause: .id(new), &turn)
            ofEmergency[new, default: []].append(id)
        }
    }

    /// Removes settled messages from memory; the store keeps them.
    ///
    /// - Parameter isActive: messages about an active emergency are kept, as they prevent
    ///   duplicates
    mutating func sweep(at now: Timestamp, isActive: (EmergencyID) -> Bool) {
        notifications = notifications.filter { _, notification in
            notification.isPending
                || now - notification.created <= Limits.settledNotificationsKept
                || notification.emergency.map(isActive) ?? false
        }
        for (id, messages) in ofEmergency {
            let kept = messages.filter { notifications[$0] != nil }
            ofEmergency[id] = kept.isEmpty ? nil : kept
        }
    }
}
