import Hashing
import Model

// The life of a message: queued, attempted, answered; tried again or not.
extension Notifier {
    /// A message begins to wait for its first attempt.
    mutating func queue(_ notification: Notification, _ turn: inout Turn) {
        var notification = notification
        notification.due = turn.now
        noteOutage(of: &notification, turn)
        if notification.line != nil, notification.order == nil {
            notification.order = queues.nextOrder()
        }
        keep(notification, isChange: true, &turn)
        if let emergency = notification.emergency {
            notificationsOf[emergency, default: []].append(notification.id)
        }
        if lineUp(notification) {
            lanes.append(
                notification.id, to: notification.lane, about: notification.person, isRetry: false)
        } else {
            hasten(before: notification, &turn)
        }
    }

    /// Starts as many attempts as the lanes allow, safety first. One that cannot be started may
    /// lead to a message in a lane that was empty: so long all are looked at again.
    mutating func dispatch(_ turn: inout Turn) {
        lanes.wake(at: turn.now)
        var isIdle = false
        while !isIdle {
            isIdle = true
            for lane in Lane.all {
                while let id = lanes.next(in: lane) {
                    isIdle = false
                    attempt(id, &turn)
                }
            }
        }
    }

    private mutating func attempt(_ id: NotificationID, _ turn: inout Turn) {
        guard let notification = notifications[id], !notification.isInFlight,
            let due = notification.due, notification.clock == nil
        else { return }
        if hold(notification, &turn) { return advance(notification, turn) }
        guard isNext(notification) else { return }
        if notification.line != nil, turn.now < due {
            return lanes.append(id, to: notification.lane, about: notification.person, due: due)
        }
        guard turn.now < notification.expires else {
            return close(id, as: .expired, "too old", &turn)
        }
        guard isStillDue(notification, turn) else {
            close(id, as: .expired, "not of a circle with them any more", &turn)
            return ladderLost(notification, replacement: [], &turn)
        }
        // Also of what waited when it came.
        if notification.line != nil, notification.channel == .sms,
            numbers[notification.address]?.stopped != nil
        {
            return close(id, as: .expired, "the number said STOP", &turn)
        }
        switch choose(for: notification, at: turn.now) {
        case .use(let gateway): begin(notification, over: gateway, &turn)
        case .wait(let until):
            notifications[id]?.due = until
            lanes.append(id, to: notification.lane, about: notification.person, due: until)
        case .exhausted:
            refuse(id, "no gateway has a way to this address", &turn)
        case .none: close(id, as: .expired, "no gateway for this channel", &turn)
        }
    }

    /// A call for help is for those only who share a circle with the person as it leaves.
    private func isStillDue(_ notification: Notification, _ turn: Turn) -> Bool {
        guard notification.reason.isAlarm, let person = notification.person,
            let recipient = notification.recipient
        else { return true }
        let circles = Set(turn.directory.circles(of: recipient))
        return turn.directory.circles(of: person).contains(where: circles.contains)
    }

    private mutating func begin(
        _ notification: Notification, over gateway: String, _ turn: inout Turn
    ) {
        var notification = notification
        turn.trace = notification.trace
        sayLate(&notification, turn)
        notification.attempts += 1
        notification.isInFlight = true
        notification.attemptStarted = turn.now
        notification.due = nil
        notification.gateway = gateway
        notification.answer = ""
        let isChange = notification.move(to: .sending)
        keep(notification, isChange: isChange, &turn)
        turn.save(
            .attempt(
                Attempt(
                    notification: notification.id, number: notification.attempts,
                    gateway: gateway, started: turn.now)))
        if gateways[gateway]?.isDown == true { gateways[gateway]?.probe(at: turn.now) }
        lanes.started(in: notification.lane, about: notification.person)
        if let line = notification.line { queues.started(in: line) }
        flights.insert(
            (notification.id, notification.attempts), due: turn.now + Limits.flightMax)
        turn.effects.append(.send(delivery(of: notification)))
    }

    func delivery(of notification: Notification) -> Delivery {
        let isMail = notification.channel == .email
        return Delivery(
            notification: notification.id, attempt: notification.attempts,
            gateway: notification.gateway, channel: notification.channel,
            address: notification.address, subject: notification.words.subject,
            text: isMail ? notification.words.long : notification.words.short,
            file: isMail ? notification.file : nil,
            messageID: notification.id.description,
            thread: notification.emergency?.description, token: notification.token,
            isSafety: notification.severity == .safety, isTest: notification.severity == .test,
            expires: notification.expires, trace: notification.trace)
    }

    /// The process has begun: what was on its way may have arrived or not.
    mutating func start(_ turn: inout Turn) {
        publishReachability(&turn)
        let interrupted = notifications.values.filter(\.isInFlight).sorted { $0.id < $1.id }
        for notification in interrupted {
            let result = AttemptResult(
                notification: notification.id, number: notification.attempts, outcome: .unknown,
                answer: "the notifier stopped in the middle")
            finish(result, isGatewaysFault: false, &turn)
        }
    }

    mutating func attempted(_ result: AttemptResult, _ turn: inout Turn) {
        finish(result, isGatewaysFault: true, &turn)
    }

    /// Attempts of which nothing was heard for longer than any driver waits.
    mutating func loseFlights(_ turn: inout Turn) {
        while let (id, attempt) = flights.pop(due: turn.now) {
            let result = AttemptResult(
                notification: id, number: attempt, outcome: .unknown, answer: "no end was heard")
            finish(result, isGatewaysFault: true, &turn)
        }
    }

    /// The end of an attempt; one that has ended already changes nothing.
    private mutating func finish(
        _ result: AttemptResult, isGatewaysFault: Bool, _ turn: inout Turn
    ) {
        let id = result.notification
        guard var notification = notifications[id], notification.isInFlight,
            notification.attempts == result.number
        else { return }
        turn.trace = notification.trace
        notification.isInFlight = false
        notification.answer = String(result.answer.prefix(Limits.answerCharactersMax))
        if let message = result.gatewayMessage { notification.gatewayMessage = message }
        notifications[id] = notification
        lanes.finished(in: notification.lane, about: notification.person)
        if let line = notification.line { queues.finished(in: line) }
        let jitter = Meaning.jitter(id, result.number)
        if isGatewaysFault {
            heard(notification, result, jitter: jitter, &turn)
            learn(from: result, about: notification, &turn)
        }
        turn.save(
            .attempt(
                Attempt(
                    notification: id, number: result.number, gateway: notification.gateway,
                    started: notification.attemptStarted ?? turn.now, finished: turn.now,
                    outcome: result.outcome,
                    answer: notification.answer)))
        if notification.severity == .test { return finishTest(id, result, &turn) }
        conclude(id, result, jitter: jitter, &turn)
        advance(notification, turn)
    }

    private mutating func conclude(
        _ id: NotificationID, _ result: AttemptResult, jitter: UInt64, _ turn: inout Turn
    ) {
        guard var notification = notifications[id] else { return }
        // A receipt may have overtaken the end of the attempt: then nothing is left to do.
        guard notification.state.rank < NotificationState.accepted.rank else {
            return keep(notification, isChange: false, &turn)
        }
        switch result.outcome {
        case .accepted: settle(id, as: .accepted, &turn)
        case .sink: settle(id, as: .sink, &turn)
        case .refused: refuse(id, notification.answer, &turn)
        case .unroutable:
            notification.gatewaysRefusing.append(notification.gateway)
            notifications[id] = notification
            retry(id, after: .zero, &turn)
        case .later, .unreachable, .misconfigured:
            let backoff =
                notification.severity == .safety ? Limits.safetyBackoff : Limits.newsBackoff
            var wait = backoff.delay(after: result.number, jitter: jitter)
            if result.outcome != .later, hasOpenAlternative(to: notification, at: turn.now) {
                wait = .zero
            }
            if let asked = result.retryAfter {
                return evade(id, asked, backoff: wait, &turn)
            }
            retry(id, after: wait, &turn)
        case .unknown:
            notification.doubts += 1
            let isAgain =
                notification.severity == .safety
                && notification.doubts <= Limits.unknownResendsMax
            let isChange = notification.move(to: .unknown)
            keep(notification, isChange: isChange, &turn)
            if isAgain {
                let wait = Limits.safetyBackoff.delay(after: result.number, jitter: jitter)
                retry(id, after: wait, &turn)
            }
        }
    }

    /// A gateway asks a message to wait: another one is tried at once, else it waits for the first
    /// that is free again; an emergency only a little.
    private mutating func evade(
        _ id: NotificationID, _ asked: Duration, backoff: Duration, _ turn: inout Turn
    ) {
        guard var notification = notifications[id] else { return }
        let now = turn.now
        // One that asks for no time is not asked again at once either.
        let rest = min(max(asked, Limits.restMin), Limits.retryAfterMax)
        var resting = (notification.gatewaysResting ?? [:]).filter { now < $0.value }
        resting[notification.gateway] = now + rest
        notification.gatewaysResting = resting
        notifications[id] = notification
        if hasOpenAlternative(to: notification, at: now) {
            return retry(id, after: .zero, &turn)
        }
        let usable = resting.filter {
            isUp($0.key) && !notification.gatewaysRefusing.contains($0.key)
        }
        let free = usable.values.min().map { $0 - now } ?? rest
        let most =
            notification.severity == .safety ? Limits.safetyRetryAfterMax : Limits.retryAfterMax
        retry(id, after: max(backoff, min(free, most)), &turn)
    }

    /// Waits for a further attempt, or gives up if that would come too late.
    private mutating func retry(_ id: NotificationID, after wait: Duration, _ turn: inout Turn) {
        guard var notification = notifications[id] else { return }
        if let emergency = notification.emergency, isOver(emergency, for: notification) {
            return close(id, as: .expired, "over before it was sent", &turn)
        }
        let due = turn.now + wait
        guard due < notification.expires else {
            return close(id, as: .expired, notification.answer, &turn)
        }
        notification.due = due
        if wait > Limits.ownWaitMax, let person = notification.person {
            let clock = WantedClock(
                id: Meaning.clock(.retry, id.raw, .number(notification.attempts)), rule: .retry,
                person: person, emergency: notification.emergency, subject: id.description,
                due: due)
            notification.clock = clock.id
            keep(notification, isChange: false, &turn)
            return want(clock, for: .retry(id), &turn)
        }
        keep(notification, isChange: false, &turn)
        if wait == .zero {
            lanes.append(id, to: notification.lane, about: notification.person, isRetry: true)
        } else {
            lanes.append(id, to: notification.lane, about: notification.person, due: due)
        }
    }

    /// This address will not do: the person's next contact point is tried.
    mutating func refuse(_ id: NotificationID, _ answer: String, _ turn: inout Turn) {
        close(id, as: .refused, answer, &turn)
        guard let notification = notifications[id], notification.state == .refused else { return }
        let next = notification.recipients.compactMap { failOver(notification, for: $0, &turn) }
        ladderLost(notification, replacement: next, &turn)
    }

    private mutating func failOver(
        _ notification: Notification, for recipient: PersonID, _ turn: inout Turn
    ) -> NotificationID? {
        guard turn.now < notification.expires,
            let person = turn.directory.person(recipient)
        else { return nil }
        if let emergency = notification.emergency, isOver(emergency, for: notification) {
            return nil
        }
        let told = notification.addresses ?? []
        for contact in Reach.all(of: person, on: configuration.channels)
        where !told.contains(contact.address) && wants(notification.severity, at: contact) {
            let id = Meaning.notification(
                notification.scope, recipient: recipient, address: contact.address)
            guard notifications[id] == nil else { continue }
            var moved = notification.moved(to: contact, id: id, configuration, at: turn.now)
            (moved.recipient, moved.alsoFor) = (recipient, nil)
            queue(moved, &turn)
            return id
        }
        return nil
    }

    /// Nothing more is tried.
    mutating func close(
        _ id: NotificationID, as state: NotificationState, _ answer: String, _ turn: inout Turn
    ) {
        guard var notification = notifications[id] else { return }
        notification.answer = answer
        notifications[id] = notification
        settle(id, as: state, &turn)
        if let request = tests.removeValue(forKey: id) {
            let tested = TestResult(notification: id, outcome: .later, answer: answer)
            turn.effects.append(.answer(request: request, .tested(tested)))
        }
    }

    private mutating func settle(
        _ id: NotificationID, as state: NotificationState, _ turn: inout Turn
    ) {
        guard var notification = notifications[id] else { return }
        unwant(notification.clock, &turn)
        notification.clock = nil
        notification.due = nil
        let isChange = notification.move(to: state)
        if notification.isHeld == true, !notification.isPending { notification.isHeld = false }
        keep(notification, isChange: isChange, &turn)
        if !notification.isPending { advance(notification, turn) }
    }

    /// Messages about an emergency that is over and that have not left are not sent any more.
    ///
    /// - Parameter isOver: for which recipients it is over; for all if nobody says
    mutating func supersede(
        _ emergency: EmergencyID, _ turn: inout Turn, isOver: (PersonID) -> Bool = { _ in true }
    ) {
        for id in notificationsOf[emergency, default: []] {
            guard let notification = notifications[id], notification.due != nil,
                notification.recipients.allSatisfy(isOver)
            else { continue }
            close(id, as: .expired, "over before it was sent", &turn)
        }
    }

    /// Whether a message has been overtaken by the end of its emergency.
    private func isOver(_ emergency: EmergencyID, for notification: Notification) -> Bool {
        guard notification.reason != .standDown, notification.reason != .ownEnded else {
            return false
        }
        return !(emergencies[emergency]?.state.isActive ?? false)
    }

    /// Keeps a message; a change of its state is kept for good and told to the other services.
    mutating func keep(_ notification: Notification, isChange: Bool, _ turn: inout Turn) {
        var notification = notification
        notification.forgetSecrets()
        notifications[notification.id] = notification
        turn.save(.notification(notification))
        guard isChange else { return }
        turn.save(
            .change(
                NotificationChange(
                    notification: notification.id, at: turn.now, state: notification.state,
                    gateway: notification.gateway, answer: notification.answer)))
        announce(notification, cause: .none, &turn)
    }
}
