import Model

// What gateways call back about, in any order and as often as they like.
extension Notifier {
    /// Whether a message is in memory: for others a receipt brings the row along.
    public func holds(_ id: NotificationID) -> Bool { notifications[id] != nil }

    mutating func received(_ receipt: Receipt, _ turn: inout Turn) {
        let id = receipt.notification
        let isVisitor = notifications[id] == nil
        if isVisitor, let stored = receipt.stored { notifications[id] = stored }
        guard var notification = notifications[id] else { return }
        turn.trace = notification.trace
        guard isRecipient(receipt.address, of: notification) else {
            if isVisitor { notifications[id] = nil }
            return turn.effects.append(.warn(.receiptForAnother(id)))
        }
        let answer = String(receipt.answer.prefix(Limits.answerCharactersMax))
        learn(from: receipt, about: notification, &turn)
        switch receipt.kind {
        case .delivered: close(id, as: .delivered, answer, &turn)
        case .failed:
            if notification.state.rank < NotificationState.refused.rank {
                refuse(id, answer, &turn)
            }
        case .accepted:
            // The gateway has it, whatever became of the attempt's own answer.
            if notification.state.rank < NotificationState.accepted.rank {
                close(id, as: .accepted, answer, &turn)
            }
        case .buffered:
            notification.answer = answer
            keep(notification, isChange: false, &turn)
        }
        if isVisitor { notifications[id] = nil }
    }

    /// Numbers are compared by their digits: gateways drop the plus, or put a blank in its place.
    private func isRecipient(_ address: String?, of notification: Notification) -> Bool {
        guard let address, notification.channel == .sms else { return true }
        return address.filter(\.isNumber) == notification.address.filter(\.isNumber)
    }
}
