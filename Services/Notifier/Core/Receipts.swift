import Model

// Delivery receipts, in any order and possibly repeated.
extension Notifier {
    /// Whether a message is in memory. Receipts for other messages bring the stored row.
    public func isInMemory(_ id: NotificationID) -> Bool { notifications[id] != nil }

    mutating func handle(_ receipt: Receipt, _ turn: inout Turn) {
        let id = receipt.notification
        let isTransient = notifications[id] == nil
        if isTransient, let stored = receipt.stored { notifications[id] = stored }
        guard var notification = notifications[id] else { return }
        turn.trace = notification.trace
        guard isRecipient(receipt.address, of: notification) else {
            if isTransient { notifications[id] = nil }
            return turn.effects.append(.warn(.receiptForAnother(id)))
        }
        let answer = String(receipt.answer.prefix(Limits.answerCharactersMax))
        updateReachability(from: receipt, about: notification, &turn)
        switch receipt.kind {
        case .delivered: close(id, as: .delivered, answer, &turn)
        case .failed:
            if notification.state.rank < NotificationState.refused.rank {
                reject(id, answer, &turn)
            }
        case .accepted:
            // The gateway has the message, whatever the result of the attempt was.
            if notification.state.rank < NotificationState.accepted.rank {
                close(id, as: .accepted, answer, &turn)
            }
        case .buffered:
            notification.answer = answer
            save(notification, isChange: false, &turn)
        }
        if isTransient { notifications[id] = nil }
    }

    /// Compares numbers by digits: gateways drop the plus or replace it by a space.
    private func isRecipient(_ address: String?, of notification: Notification) -> Bool {
        guard let address, notification.channel == .sms else { return true }
        return address.filter(\.isNumber) == notification.address.filter(\.isNumber)
    }
}
