import Model

/// Stored state that the notifier loads at its start.
public struct NotifierRows: Sendable {
    /// Active and recently ended ones.
    public var emergencies: [Emergency] = []
    public var escalations: [Escalation] = []
    public var signals: [SignalWait] = []
    /// Pending ones, and those of active or recent emergencies.
    public var notifications: [Notification] = []
    public var gateways: [GatewayHealth] = []
    public var numbers: [NumberState] = []

    public init() {}
}

extension Notifier {
    mutating func load(_ rows: NotifierRows, at now: Timestamp) {
        let earliest = now + Limits.fallbackWait
        // Items held in an earlier outage are released.
        let isOutageHoldActive = outage.map { now < $0.holdEnds } ?? false
        for var emergency in rows.emergencies.sorted(by: { $0.raised < $1.raised }) {
            if !isOutageHoldActive { emergency.isHeld = nil }
            emergencies[emergency.id] = emergency
            if emergency.state.isActive {
                activeOf[emergency.person, default: []].append(emergency.id)
            }
            restoreDeadline(of: emergency, earliest)
        }
        for escalation in rows.escalations.sorted(by: { $0.circle < $1.circle }) {
            escalations[escalation.emergency, default: []].append(escalation)
            restoreDeadline(of: escalation, earliest)
        }
        for signal in rows.signals {
            signals[signal.id] = signal
            restoreDeadline(of: signal, earliest)
        }
        for health in rows.gateways where gateways[health.name] != nil {
            gateways[health.name] = health
        }
        for state in rows.numbers { numbers[state.number] = state }
        // In order, so that the first message of each queue is recognised.
        let inOrder = rows.notifications.sorted {
            ($0.order ?? 0, $0.created, $0.id) < ($1.order ?? 0, $1.created, $1.id)
        }
        for var notification in inOrder {
            if !isOutageHoldActive { notification.isHeld = nil }
            restore(notification, at: now, earliest)
        }
        holdOverdue(at: now)
    }

    private mutating func restoreDeadline(of emergency: Emergency, _ earliest: Timestamp) {
        for acknowledgement in emergency.acknowledgements {
            guard let deadline = acknowledgement.deadline, let due = acknowledgement.due else {
                continue
            }
            let wanted = Deadline(
                id: deadline, rule: .acknowledgementHold, person: emergency.person,
                emergency: emergency.id, due: due)
            deadlines.restore(wanted, .acknowledgement(emergency.id), earliest: earliest)
        }
    }

    private mutating func restoreDeadline(of escalation: Escalation, _ earliest: Timestamp) {
        guard let deadline = escalation.deadline, let due = escalation.due,
            let emergency = emergencies[escalation.emergency]
        else { return }
        let wanted = Deadline(
            id: deadline, rule: .tier, person: emergency.person, emergency: emergency.id, due: due)
        deadlines.restore(wanted, .tier(emergency.id, escalation.circle), earliest: earliest)
    }

    private mutating func restoreDeadline(of wait: SignalWait, _ earliest: Timestamp) {
        guard wait.state == .waiting, let deadline = wait.deadline, let due = wait.due,
            let signal = wait.signal
        else { return }
        let wanted = Deadline(
            id: deadline, rule: .fallback, person: signal.person, emergency: signal.id, due: due)
        deadlines.restore(wanted, .fallback(wait.id), earliest: earliest)
    }

    private mutating func restore(
        _ notification: Notification, at now: Timestamp, _ earliest: Timestamp
    ) {
        notifications[notification.id] = notification
        orderedDeliveries.reserve(notification.order)
        let isNext = notification.isPending && insertOrdered(notification)
        if let emergency = notification.emergency {
            notificationsOf[emergency, default: []].append(notification.id)
        }
        if notification.isInFlight {
            deliveryQueue.started(in: notification.lane, about: notification.person)
            if let key = notification.orderingKey { orderedDeliveries.started(in: key) }
            let end = now + Limits.attemptTimeout
            inFlightAttempts.insert((notification.id, notification.attempts), due: end)
        } else if let due = notification.due {
            guard let deadline = notification.deadline, let person = notification.person else {
                // A message behind others is queued after them. One to be held is queued now.
                let isOld = outageHold?.holds(notification.created, at: now) ?? false
                guard isNext || due > now || isOld else { return }
                return deliveryQueue.append(
                    notification.id, to: notification.lane, about: notification.person, due: due)
            }
            let wanted = Deadline(
                id: deadline, rule: .retry, person: person, emergency: notification.emergency,
                subject: notification.id.description, due: due)
            deadlines.restore(wanted, .retry(notification.id), earliest: earliest)
        }
    }
}
