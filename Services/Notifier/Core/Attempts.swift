import Hashing
import Model

// Life of a message: queued, attempted, settled; retried where that is useful.
extension Notifier {
    /// Queues a message for its first attempt.
    mutating func enqueue(_ notification: Notification, _ turn: inout Turn) {
        var notification = notification
        notification.due = turn.now
        markOutage(of: &notification, turn)
        if notification.orderingKey != nil, notification.order == nil {
            notification.order = orderedDeliveries.nextOrder()
        }
        save(notification, isChange: true, &turn)
        if let emergency = notification.emergency {
            notificationsOf[emergency, default: []].append(notification.id)
        }
        if insertOrdered(notification) {
            deliveryQueue.append(
                notification.id, to: notification.lane, about: notification.person, isRetry: false)
        } else {
            expedite(before: notification, &turn)
        }
    }

    /// Starts as many attempts as the lanes allow, safety first.
    ///
    /// An attempt that cannot start may queue a message in a lane that was empty, so the loop runs
    /// until all lanes are idle.
    mutating func dispatch(_ turn: inout Turn) {
        deliveryQueue.wake(at: turn.now)
        var isIdle = false
        while !isIdle {
            isIdle = true
            for lane in Lane.all {
                while let id = deliveryQueue.next(in: lane) {
                    isIdle = false
                    startAttempt(id, &turn)
                }
            }
        }
    }

    private mutating func startAttempt(_ id: NotificationID, _ turn: inout Turn) {
        guard let notification = notifications[id], !notification.isInFlight,
            let due = notification.due, notification.deadline == nil
        else { return }
        if holdForOutage(notification, &turn) { return releaseNext(after: notification, turn) }
        guard isNext(notification) else { return }
        if notification.orderingKey != nil, turn.now < due {
            return deliveryQueue.append(
                id, to: notification.lane, about: notification.person, due: due)
        }
        guard turn.now < notification.expires else {
            return close(id, as: .expired, "too old", &turn)
        }
        guard isStillRecipient(notification, turn) else {
            close(id, as: .expired, "no common circle any more", &turn)
            return replaceInEscalation(notification, replacement: [], &turn)
        }
        // The number may have replied STOP while the message waited.
        if notification.orderingKey != nil, notification.channel == .sms,
            numbers[notification.address]?.stopped != nil
        {
            return close(id, as: .expired, "the number replied STOP", &turn)
        }
        switch chooseGateway(for: notification, at: turn.now) {
        case .use(let gateway): sendAttempt(notification, over: gateway, &turn)
        case .wait(let until):
            notifications[id]?.due = until
            deliveryQueue.append(id, to: notification.lane, about: notification.person, due: until)
        case .exhausted:
            reject(id, "every gateway rejects this address", &turn)
        case .none: close(id, as: .expired, "no gateway for this channel", &turn)
        }
    }

    /// Whether the recipient of a call for help still shares a circle with the person.
    private func isStillRecipient(_ notification: Notification, _ turn: Turn) -> Bool {
        guard notification.reason.isAlarm, let person = notification.person,
            let recipient = notification.recipient
        else { return true }
        let circles = Set(turn.directory.circles(of: recipient))
        return turn.directory.circles(of: person).contains(where: circles.contains)
    }

    private mutating func sendAttempt(
        _ notification: Notification, over gateway: String, _ turn: inout Turn
    ) {
        var notification = notification
        turn.trace = notification.trace
        addLateNotice(&notification, turn)
        notification.attempts += 1
        notification.isInFlight = true
        notification.attemptStarted = turn.now
        notification.due = nil
        notification.gateway = gateway
        notification.answer = ""
        let isChange = notification.move(to: .sending)
        save(notification, isChange: isChange, &turn)
        turn.save(
            .attempt(
                Attempt(
                    notification: notification.id, number: notification.attempts,
                    gateway: gateway, started: turn.now)))
        if gateways[gateway]?.isDown == true { gateways[gateway]?.probe(at: turn.now) }
        deliveryQueue.started(in: notification.lane, about: notification.person)
        if let key = notification.orderingKey { orderedDeliveries.started(in: key) }
        inFlightAttempts.insert(
            (notification.id, notification.attempts), due: turn.now + Limits.attemptTimeout)
        turn.effects.append(.send(delivery(of: notification)))
    }

    func delivery(of notification: Notification) -> Delivery {
        let isMail = notification.channel == .email
        return Delivery(
            notification: notification.id, attempt: notification.attempts,
            gateway: notification.gateway, channel: notification.channel,
            address: notification.address, subject: notification.rendered.subject,
            text: isMail ? notification.rendered.long : notification.rendered.short,
            file: isMail ? notification.file : nil,
            messageID: notification.id.description,
            thread: notification.emergency?.description, token: notification.token,
            isSafety: notification.severity == .safety, isTest: notification.severity == .test,
            expires: notification.expires, trace: notification.trace)
    }

    /// Handles a process start: the outcome of interrupted attempts is unknown.
    mutating func start(_ turn: inout Turn) {
        publishReachability(&turn)
        let interrupted = notifications.values.filter(\.isInFlight).sorted { $0.id < $1.id }
        for notification in interrupted {
            let result = AttemptResult(
                notification: notification.id, number: notification.attempts, outcome: .unknown,
                answer: "interrupted by a restart")
            finish(result, isGatewaysFault: false, &turn)
        }
    }

    mutating func handle(_ result: AttemptResult, _ turn: inout Turn) {
        finish(result, isGatewaysFault: true, &turn)
    }

    /// Ends attempts without a result; their outcome is unknown.
    mutating func expireAttempts(_ turn: inout Turn) {
        while let (id, attempt) = inFlightAttempts.pop(due: turn.now) {
            let result = AttemptResult(
                notification: id, number: attempt, outcome: .unknown, answer: "no result")
            finish(result, isGatewaysFault: true, &turn)
        }
    }

    /// Handles the end of an attempt. An attempt that has already ended is ignored.
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
        deliveryQueue.finished(in: notification.lane, about: notification.person)
        if let key = notification.orderingKey { orderedDeliveries.finished(in: key) }
        let jitter = DerivedID.jitter(id, result.number)
        if isGatewaysFault {
            recordGatewayResult(notification, result, jitter: jitter, &turn)
            updateReachability(from: result, about: notification, &turn)
        }
        turn.save(
            .attempt(
                Attempt(
                    notification: id, number: result.number, gateway: notification.gateway,
                    started: notification.attemptStarted ?? turn.now, finished: turn.now,
                    outcome: result.outcome,
                    answer: notification.answer)))
        if notification.severity == .test { return finishTest(id, result, &turn) }
        handleOutcome(id, result, jitter: jitter, &turn)
        releaseNext(after: notification, turn)
    }

    private mutating func handleOutcome(
        _ id: NotificationID, _ result: AttemptResult, jitter: UInt64, _ turn: inout Turn
    ) {
        guard var notification = notifications[id] else { return }
        // A receipt may arrive before the attempt's result; then nothing is left to do.
        guard notification.state.rank < NotificationState.accepted.rank else {
            return save(notification, isChange: false, &turn)
        }
        switch result.outcome {
        case .accepted: settle(id, as: .accepted, &turn)
        case .sink: settle(id, as: .sink, &turn)
        case .refused: reject(id, notification.answer, &turn)
        case .unroutable:
            notification.rejectingGateways.append(notification.gateway)
            notifications[id] = notification
            retry(id, after: .zero, &turn)
        case .later, .unreachable, .misconfigured:
            let backoff =
                notification.severity == .safety ? Limits.safetyBackoff : Limits.routineBackoff
            var wait = backoff.delay(after: result.number, jitter: jitter)
            if result.outcome != .later, hasOpenAlternative(to: notification, at: turn.now) {
                wait = .zero
            }
            if let asked = result.retryAfter {
                return failOver(id, asked, backoff: wait, &turn)
            }
            retry(id, after: wait, &turn)
        case .unknown:
            notification.unknownOutcomes += 1
            let isAgain =
                notification.severity == .safety
                && notification.unknownOutcomes <= Limits.unknownResendsMax
            let isChange = notification.move(to: .unknown)
            save(notification, isChange: isChange, &turn)
            if isAgain {
                let wait = Limits.safetyBackoff.delay(after: result.number, jitter: jitter)
                retry(id, after: wait, &turn)
            }
        }
    }

    /// Handles a gateway's request to wait.
    ///
    /// Another gateway is tried at once. Without one, the message waits for the first gateway whose
    /// back-off ends; a message about an emergency waits at most ``Limits/safetyRetryAfterMax``.
    private mutating func failOver(
        _ id: NotificationID, _ asked: Duration, backoff: Duration, _ turn: inout Turn
    ) {
        guard var notification = notifications[id] else { return }
        let now = turn.now
        // A gateway that names no time still gets a minimum back-off.
        let rest = min(max(asked, Limits.gatewayBackoffMin), Limits.retryAfterMax)
        var resting = (notification.gatewayBackoffs ?? [:]).filter { now < $0.value }
        resting[notification.gateway] = now + rest
        notification.gatewayBackoffs = resting
        notifications[id] = notification
        if hasOpenAlternative(to: notification, at: now) {
            return retry(id, after: .zero, &turn)
        }
        let usable = resting.filter {
            isUp($0.key) && !notification.rejectingGateways.contains($0.key)
        }
        let free = usable.values.min().map { $0 - now } ?? rest
        let most =
            notification.severity == .safety ? Limits.safetyRetryAfterMax : Limits.retryAfterMax
        retry(id, after: max(backoff, min(free, most)), &turn)
    }

    /// Schedules a further attempt, or gives up if it would come too late.
    private mutating func retry(_ id: NotificationID, after wait: Duration, _ turn: inout Turn) {
        guard var notification = notifications[id] else { return }
        if let emergency = notification.emergency, isOver(emergency, for: notification) {
            return close(id, as: .expired, "ended before it was sent", &turn)
        }
        let due = turn.now + wait
        guard due < notification.expires else {
            return close(id, as: .expired, notification.answer, &turn)
        }
        notification.due = due
        if wait > Limits.inMemoryWaitMax, let person = notification.person {
            let deadline = Deadline(
                id: DerivedID.deadline(.retry, id.raw, .number(notification.attempts)),
                rule: .retry,
                person: person, emergency: notification.emergency, subject: id.description,
                due: due)
            notification.deadline = deadline.id
            save(notification, isChange: false, &turn)
            return schedule(deadline, for: .retry(id), &turn)
        }
        save(notification, isChange: false, &turn)
        if wait == .zero {
            deliveryQueue.append(
                id, to: notification.lane, about: notification.person, isRetry: true)
        } else {
            deliveryQueue.append(id, to: notification.lane, about: notification.person, due: due)
        }
    }

    /// Rejects an address for this message and tries the recipient's next contact point.
    mutating func reject(_ id: NotificationID, _ answer: String, _ turn: inout Turn) {
        close(id, as: .refused, answer, &turn)
        guard let notification = notifications[id], notification.state == .refused else { return }
        let next = notification.recipients.compactMap { failOver(notification, for: $0, &turn) }
        replaceInEscalation(notification, replacement: next, &turn)
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
        let usedAddresses = notification.addresses ?? []
        for contact in ContactSelector.all(of: person, on: configuration.channels)
        where !usedAddresses.contains(contact.address)
            && accepts(notification.severity, at: contact)
        {
            let id = DerivedID.notification(
                notification.scope, recipient: recipient, address: contact.address)
            guard notifications[id] == nil else { continue }
            var moved = notification.moved(to: contact, id: id, configuration, at: turn.now)
            (moved.recipient, moved.alsoFor) = (recipient, nil)
            enqueue(moved, &turn)
            return id
        }
        return nil
    }

    /// Ends a message: no further attempts.
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
        cancelDeadline(notification.deadline, &turn)
        notification.deadline = nil
        notification.due = nil
        let isChange = notification.move(to: state)
        if notification.isHeld == true, !notification.isPending { notification.isHeld = false }
        save(notification, isChange: isChange, &turn)
        if !notification.isPending { releaseNext(after: notification, turn) }
    }

    /// Expires unsent messages about an emergency that has ended.
    ///
    /// - Parameter isOver: whether it has ended for a recipient; by default for all
    mutating func expireMessages(
        _ emergency: EmergencyID, _ turn: inout Turn, isOver: (PersonID) -> Bool = { _ in true }
    ) {
        for id in notificationsOf[emergency, default: []] {
            guard let notification = notifications[id], notification.due != nil,
                notification.recipients.allSatisfy(isOver)
            else { continue }
            close(id, as: .expired, "ended before it was sent", &turn)
        }
    }

    /// Whether the emergency of a message has ended. Messages about its end are still sent.
    private func isOver(_ emergency: EmergencyID, for notification: Notification) -> Bool {
        guard notification.reason != .standDown, notification.reason != .ownEnded else {
            return false
        }
        return !(emergencies[emergency]?.state.isActive ?? false)
    }

    /// Saves a message. A change of its state is also recorded and published.
    mutating func save(_ notification: Notification, isChange: Bool, _ turn: inout Turn) {
        var notification = notification
        notification.eraseSecrets()
        notifications[notification.id] = notification
        turn.save(.notification(notification))
        guard isChange else { return }
        turn.save(
            .change(
                NotificationChange(
                    notification: notification.id, at: turn.now, state: notification.state,
                    gateway: notification.gateway, answer: notification.answer)))
        publishState(notification, cause: .none, &turn)
    }
}
