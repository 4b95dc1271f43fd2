import Model

/// What the store holds of the notifier's state, as far as it is still at work.
public struct NotifierRows: Sendable {
    /// Those that are not over, and those that ended lately.
    public var emergencies: [Emergency] = []
    public var ladders: [Ladder] = []
    public var signals: [SignalWait] = []
    /// Those that are pending, and those of emergencies that were made lately.
    public var notifications: [Notification] = []
    public var gateways: [GatewayHealth] = []
    public var numbers: [NumberState] = []

    public init() {}
}

extension Notifier {
    mutating func load(_ rows: NotifierRows, at now: Timestamp) {
        let earliest = now + Limits.fallbackWait
        // What was held in an outage of before is not any longer.
        let isHolding = outage.map { now < $0.holdEnds } ?? false
        for var emergency in rows.emergencies.sorted(by: { $0.raised < $1.raised }) {
            if !isHolding { emergency.isHeld = nil }
            emergencies[emergency.id] = emergency
            if emergency.state.isActive {
                activeOf[emergency.person, default: []].append(emergency.id)
            }
            restoreClock(of: emergency, earliest)
        }
        for ladder in rows.ladders.sorted(by: { $0.circle < $1.circle }) {
            ladders[ladder.emergency, default: []].append(ladder)
            restoreClock(of: ladder, earliest)
        }
        for signal in rows.signals {
            signals[signal.id] = signal
            restoreClock(of: signal, earliest)
        }
        for health in rows.gateways where gateways[health.name] != nil {
            gateways[health.name] = health
        }
        for state in rows.numbers { numbers[state.number] = state }
        // In the order of their lines, so that one is the next of its line only if it stays so.
        let inOrder = rows.notifications.sorted {
            ($0.order ?? 0, $0.created, $0.id) < ($1.order ?? 0, $1.created, $1.id)
        }
        for var notification in inOrder {
            if !isHolding { notification.isHeld = nil }
            restore(notification, at: now, earliest)
        }
        holdOverdue(at: now)
    }

    private mutating func restoreClock(of emergency: Emergency, _ earliest: Timestamp) {
        for taken in emergency.acknowledgements {
            guard let clock = taken.clock, let due = taken.due else { continue }
            let wanted = WantedClock(
                id: clock, rule: .acknowledgementHold, person: emergency.person,
                emergency: emergency.id, due: due)
            clocks.restore(wanted, .hold(emergency.id), earliest: earliest)
        }
    }

    private mutating func restoreClock(of ladder: Ladder, _ earliest: Timestamp) {
        guard let clock = ladder.clock, let due = ladder.due,
            let emergency = emergencies[ladder.emergency]
        else { return }
        let wanted = WantedClock(
            id: clock, rule: .tier, person: emergency.person, emergency: emergency.id, due: due)
        clocks.restore(wanted, .tier(emergency.id, ladder.circle), earliest: earliest)
    }

    private mutating func restoreClock(of wait: SignalWait, _ earliest: Timestamp) {
        guard wait.state == .waiting, let clock = wait.clock, let due = wait.due,
            let signal = wait.signal
        else { return }
        let wanted = WantedClock(
            id: clock, rule: .fallback, person: signal.person, emergency: signal.id, due: due)
        clocks.restore(wanted, .fallback(wait.id), earliest: earliest)
    }

    private mutating func restore(
        _ notification: Notification, at now: Timestamp, _ earliest: Timestamp
    ) {
        notifications[notification.id] = notification
        queues.learn(notification.order)
        let isNext = notification.isPending && lineUp(notification)
        if let emergency = notification.emergency {
            notificationsOf[emergency, default: []].append(notification.id)
        }
        if notification.isInFlight {
            lanes.started(in: notification.lane, about: notification.person)
            if let line = notification.line { queues.started(in: line) }
            let end = now + Limits.flightMax
            flights.insert((notification.id, notification.attempts), due: end)
        } else if let due = notification.due {
            guard let clock = notification.clock, let person = notification.person else {
                // One behind others comes to its lane after them; one to be held at once.
                let isOld = holding?.holds(notification.created, at: now) ?? false
                guard isNext || due > now || isOld else { return }
                return lanes.append(
                    notification.id, to: notification.lane, about: notification.person, due: due)
            }
            let wanted = WantedClock(
                id: clock, rule: .retry, person: person, emergency: notification.emergency,
                subject: notification.id.description, due: due)
            clocks.restore(wanted, .retry(notification.id), earliest: earliest)
        }
    }
}
