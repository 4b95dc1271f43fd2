import Collections
import Directory
import Hashing
import Model
import Timing

/// Delivers messages: queued, attempted through a gateway, settled; retried where that is useful.
///
/// Knows of emergencies only what ``EmergencyFacts`` says. What it leaves to its caller is in
/// ``popEvents()``.
package struct Delivery: Sendable {
    let configuration: NotifierConfiguration
    private(set) var book = NotificationBook()
    private(set) var gateways: GatewayPool
    var contacts: ContactReachability
    private(set) var queues = DeliveryQueues()
    var renderer: MessageRenderer
    /// Decides which messages wait for the operator after an outage.
    var hold: OutageHold<HeldItem>
    /// Deadlines of retries after a long wait.
    private var retries = Deadlines<NotificationID>()
    /// In-flight attempts by timeout; one without a result has an unknown outcome.
    private var inFlightAttempts = DeadlineQueue<(NotificationID, attempt: Int)>()
    /// Requests that wait for the result of their test message.
    private var tests: [NotificationID: UInt64] = [:]
    private var emergencies: [EmergencyID: EmergencyFacts] = [:]
    private var events: [DeliveryEvent] = []

    /// Attempts that were in flight stay so until ``start(_:)``.
    init(
        _ configuration: NotifierConfiguration, from rows: NotifierRows, at now: Timestamp,
        after outage: Outage?
    ) {
        self.configuration = configuration
        gateways = GatewayPool(configuration.gateways, rows.gateways)
        contacts = ContactReachability(rows.numbers, gateways: gateways.states)
        renderer = MessageRenderer(
            map: configuration.map, hasReplies: configuration.hasReplies,
            publicURL: configuration.publicURL)
        hold = OutageHold(after: outage)
        // In order, so that the first message of each queue is recognised.
        let inOrder = rows.notifications.sorted {
            ($0.order ?? 0, $0.created, $0.id) < ($1.order ?? 0, $1.created, $1.id)
        }
        for var notification in inOrder {
            // Items held in an earlier outage are released.
            if !hold.isActive(at: now) { notification.isHeld = nil }
            restore(notification, at: now)
        }
    }

    private mutating func restore(_ notification: Notification, at now: Timestamp) {
        book.keep(notification)
        queues.reserve(notification.order)
        let isNext = notification.isPending && queues.insert(notification, in: book)
        book.index(notification)
        if notification.isInFlight {
            queues.started(notification)
            inFlightAttempts.insert(
                (notification.id, notification.attempts), due: now + Limits.attemptTimeout)
        } else if let due = notification.due {
            guard let deadline = notification.deadline, let person = notification.person else {
                // A message behind others is queued after them. One to be held is queued now.
                guard isNext || due > now || hold.holds(notification.created, at: now) else {
                    return
                }
                return queues.append(notification, due: due)
            }
            retries.restore(
                Deadline(
                    id: deadline, kind: .retry, person: person, emergency: notification.emergency,
                    subject: notification.id.description, due: due),
                for: notification.id, earliest: now + Limits.fallbackWait)
        }
    }

    /// When ``runDueWork(_:)`` or the next attempt is due; nil = nothing waits.
    var nextDue: Timestamp? {
        [retries.nextDue, queues.nextDue, inFlightAttempts.nextDue].compactMap(\.self).min()
    }

    /// Removes and returns what happened to messages since the last call.
    mutating func popEvents() -> [DeliveryEvent] {
        defer { events.removeAll() }
        return events
    }

    /// Updates what is known of an emergency; nil = it is over, and forgotten.
    mutating func emergencyChanged(_ id: EmergencyID, _ facts: EmergencyFacts?) {
        emergencies[id] = facts
    }

    // MARK: New messages

    /// Creates the messages of one notice for one person, unless they exist.
    mutating func notify(
        _ recipient: PersonID, _ content: NoticeContent, _ plan: DeliveryPlan, _ turn: inout Turn
    ) -> DeliveryOutcome {
        guard let person = turn.directory.person(recipient) else {
            return DeliveryOutcome(reason: .unreachable)
        }
        let contacts = targets(of: person, plan)
        guard !contacts.isEmpty else {
            let isUnverified = !targets(of: person, plan, unverified: true).isEmpty
            return DeliveryOutcome(reason: isUnverified ? .notVerified : .unreachable)
        }
        let granted = contacts.filter { contact in
            plan.severity.needsNoAllowance || contact.channel != .sms
                || turn.directory.rights.allowsSMS(person.affiliation)
        }
        guard !granted.isEmpty else { return DeliveryOutcome(reason: .noSMSAllowance) }
        let willing = granted.filter { self.contacts.accepts(plan.severity, at: $0) }
        guard !willing.isEmpty else { return DeliveryOutcome(reason: .stopped) }
        let addressed = willing.filter { !plan.except.contains($0.address) }
        guard !addressed.isEmpty else { return DeliveryOutcome(reason: .sharedAddress) }
        guard plan.severity == .safety || hasRoom else {
            return DeliveryOutcome(reason: .queueFull)
        }
        let allowed = addressed.filter {
            !isHidden(plan, from: recipient, at: $0.address, turn.directory)
        }
        guard !allowed.isEmpty else {
            var outcome = DeliveryOutcome(reason: plan.reason)
            outcome.isWithheld = true
            outcome.isWaitedFor = addressed.contains {
                !self.contacts.isUnreachable($0.address)
            }
            return outcome
        }
        let reference = self.reference(of: plan, for: recipient)
        let rendered = renderer.render(content, for: person, plan, reference: reference, turn)
        var outcome = DeliveryOutcome(reason: .alreadyNotified)
        for contact in allowed {
            let id = DerivedID.notification(
                plan.scope, recipient: recipient, address: contact.address)
            if book[id] != nil {
                outcome.notifications.append(id)
            } else if let shared = sharedMessage(plan, contact.address) {
                outcome.notifications.append(shared)
                let isNew = share(shared, with: recipient, &turn)
                if isNew, !outcome.reason.sendsMessage { outcome.reason = .sharedAddress }
            } else if let waiting = waitingAlarm(plan, recipient, contact.address) {
                outcome.notifications.append(waiting)
                if outcome.reason == .alreadyNotified { outcome.reason = .alreadyQueued }
            } else {
                outcome.notifications.append(id)
                outcome.reason = plan.reason
                var message = notification(id, plan, recipient, contact, rendered, turn)
                if let disguise = plan.disguise {
                    let isOwn = disguise.ownAddresses.contains(contact.address)
                    guard let shown = disguise.shown else {
                        if isOwn { enqueue(message, &turn) } else { pretend(message, &turn) }
                        continue
                    }
                    let plain = renderer.render(
                        shown, for: person, plan, reference: reference, turn)
                    if isOwn { message.rendered = plain } else { message.shown = plain }
                }
                message.addresses = willing.map(\.address).filter {
                    !isHidden(plan, from: recipient, at: $0, turn.directory)
                }
                enqueue(message, &turn)
            }
        }
        return outcome
    }

    /// Whether the never-notify list of the person concerned excludes a recipient or an address.
    private func isHidden(
        _ plan: DeliveryPlan, from recipient: PersonID, at address: String, _ directory: Replica
    ) -> Bool {
        guard let person = plan.person, person != recipient else { return false }
        return isHidden(
            person, isEmergency: plan.emergency != nil, from: recipient, at: address, directory)
    }

    private func isHidden(
        _ person: PersonID, isEmergency: Bool, from recipient: PersonID?, at address: String,
        _ directory: Replica
    ) -> Bool {
        if let recipient {
            if directory.hides(person, from: recipient) { return true }
            if isEmergency, directory.hidesEmergencies(of: person, from: recipient) { return true }
        }
        return NeverNotifyRules(in: directory).hides(person, fromAddress: address)
    }

    /// The contact points that get a notice.
    ///
    /// - Parameter counts: whether unverified ones count; nil = for class safety
    private func targets(
        of person: Person, _ plan: DeliveryPlan, unverified counts: Bool? = nil
    ) -> [ContactPoint] {
        var person = person
        var chosen = plan.contacts
        if !(counts ?? (plan.severity == .safety)) {
            person.contacts.removeAll { $0.verified == nil }
            chosen?.removeAll { $0.verified == nil }
        }
        if let chosen { return chosen }
        let ways = configuration.channels.filter { plan.channels?.contains($0) ?? true }
        return plan.channels == nil
            ? ContactSelector.all(of: person, on: ways)
            : ContactSelector.preferred(of: person, on: ways, working: contacts.isWorking)
    }

    /// Whether a routine message may be queued.
    var hasRoom: Bool { queues.routineWaiting < Limits.routineQueuedMax }

    /// Whether a message about an account may be queued.
    var hasRoomForAccounts: Bool { queues.accountWaiting < Limits.accountQueuedMax }

    /// A message of the same round to another recipient with the same address. It suffices if it
    /// shows at least as much of the position.
    private func sharedMessage(_ plan: DeliveryPlan, _ address: String) -> NotificationID? {
        guard let emergency = plan.emergency else { return nil }
        return book.about(emergency.id).first { other in
            other.scope == plan.scope && other.reason == plan.reason
                && other.address == address && other.recipient != nil
                && (other.showsPlace == true || !plan.showsPlace)
                && [.queued, .sending, .accepted, .delivered].contains(other.state)
        }?.id
    }

    /// Adds a recipient to a message.
    ///
    /// - Returns: true if it did not count for them before
    private mutating func share(
        _ id: NotificationID, with recipient: PersonID, _ turn: inout Turn
    ) -> Bool {
        guard var message = book[id], message.recipient != recipient,
            message.alsoFor?.contains(recipient) != true
        else { return false }
        message.alsoFor = ((message.alsoFor ?? []) + [recipient]).sorted()
        book.save(message, isChange: false, &turn)
        if message.state != .queued { book.publishState(of: message, cause: .none, &turn) }
        return true
    }

    /// A queued alarm about the same emergency for the same address; one is enough.
    private func waitingAlarm(
        _ plan: DeliveryPlan, _ recipient: PersonID, _ address: String
    ) -> NotificationID? {
        guard let emergency = plan.emergency, plan.reason.isAlarm else { return nil }
        return book.about(emergency.id).first { other in
            other.isPending && other.reason.isAlarm && other.recipient == recipient
                && other.address == address
        }?.id
    }

    /// The code with which a recipient acknowledges an emergency; empty without one.
    func reference(of emergency: Emergency?, for recipient: PersonID) -> String {
        emergency.map {
            DerivedID.reference(of: $0.id, for: recipient, secret: configuration.tokenSecret)
        } ?? ""
    }

    private func reference(of plan: DeliveryPlan, for recipient: PersonID) -> String {
        guard let drill = plan.drill else { return reference(of: plan.emergency, for: recipient) }
        return DerivedID.reference(
            of: drill.id, for: recipient, secret: configuration.tokenSecret)
    }

    private func notification(
        _ id: NotificationID, _ plan: DeliveryPlan, _ recipient: PersonID, _ contact: ContactPoint,
        _ rendered: RenderedMessage, _ turn: Turn
    ) -> Notification {
        var notification = Notification(
            id: id, reason: plan.reason, severity: plan.severity, scope: plan.scope,
            emergency: plan.emergency?.id, circle: plan.circle?.id, person: plan.person,
            recipient: recipient, channel: contact.channel, address: contact.address,
            rendered: rendered, reference: reference(of: plan, for: recipient),
            token: DerivedID.token(id, secret: configuration.tokenSecret), created: turn.now,
            expires: plan.expires, trace: turn.trace)
        notification.wasDue = plan.raised
        notification.question = plan.question.map { EventID($0) }
        if plan.showsPlace { notification.showsPlace = true }
        notification.drill = plan.drill?.id
        return notification
    }

    /// Queues a message to an address, unless it exists.
    ///
    /// - Parameter person: whom it is about; nil = nobody
    @discardableResult
    mutating func enqueue(
        _ rendered: RenderedMessage, to address: String, on channel: Channel = .sms,
        as reason: NotifyReason, severity: Severity = .routine, scope: EventID,
        about person: PersonID? = nil,
        file: RequestedMessage.File? = nil, expires: Timestamp, _ turn: inout Turn
    ) -> NotificationID {
        let id = DerivedID.notification(scope, recipient: nil, address: address)
        guard book[id] == nil else { return id }
        var message = Notification(
            id: id, reason: reason, severity: severity, scope: scope, channel: channel,
            address: address, rendered: rendered, reference: "",
            token: DerivedID.token(id, secret: configuration.tokenSecret), created: turn.now,
            expires: expires, trace: turn.trace)
        message.person = person
        message.file = file
        enqueue(message, &turn)
        return id
    }

    /// Saves a message that is never sent, in the state of the last one to its address.
    private mutating func pretend(_ message: Notification, _ turn: inout Turn) {
        var message = message
        let sent = book.about(message.emergency ?? EmergencyID(.zero)).last {
            $0.address == message.address && [.accepted, .delivered, .sink].contains($0.state)
        }
        message.state = sent?.state ?? .accepted
        message.gateway = sent?.gateway ?? ""
        book.save(message, isChange: true, &turn)
        book.index(message)
    }

    /// Queues a message for its first attempt.
    private mutating func enqueue(_ notification: Notification, _ turn: inout Turn) {
        var notification = notification
        notification.due = turn.now
        hold.mark(&notification, facts(of: notification), cause: turn.cause, at: turn.now)
        queues.setOrder(of: &notification)
        book.save(notification, isChange: true, &turn)
        book.index(notification)
        if queues.insert(notification, in: book) {
            queues.append(notification, isRetry: false)
        } else if var waiting = queues.deferred(before: notification, in: book, at: turn.now) {
            // The newer message is due, and the first of its order precedes it.
            retries.cancel(waiting.deadline, &turn)
            waiting.deadline = nil
            waiting.due = turn.now
            book.save(waiting, isChange: false, &turn)
            queues.append(waiting, isRetry: true)
        }
    }

    private func facts(of notification: Notification) -> EmergencyFacts? {
        notification.emergency.flatMap { emergencies[$0] }
    }

    // MARK: Attempts

    /// Moves due retries to their lanes, before ``popNext(in:)``.
    mutating func wake(at now: Timestamp) { queues.wake(at: now) }

    /// Removes and returns the next message of a lane; nil if it is empty or at its limit.
    mutating func popNext(in lane: Lane) -> NotificationID? { queues.next(in: lane) }

    /// Starts the next attempt of a message whose turn has come.
    mutating func startAttempt(_ id: NotificationID, _ turn: inout Turn) {
        guard let notification = book[id], !notification.isInFlight,
            let due = notification.due, notification.deadline == nil
        else { return }
        if holdForOutage(notification, &turn) {
            return queues.releaseNext(after: notification, in: book, at: turn.now)
        }
        guard queues.isNext(notification, in: book) else { return }
        if notification.orderingKey != nil, turn.now < due {
            return queues.append(notification, due: due)
        }
        guard turn.now < notification.expires else {
            return close(id, as: .expired, "too old", &turn)
        }
        guard isStillRecipient(notification, turn) else {
            close(id, as: .expired, "no common circle any more", &turn)
            return events.append(.rejected(notification, replacements: []))
        }
        // The person may have edited their never-notify list while the message waited.
        if let person = notification.person, person != notification.recipient,
            isHidden(
                person, isEmergency: notification.emergency != nil, from: notification.recipient,
                at: notification.address, turn.directory)
        {
            close(id, as: .expired, "no common circle any more", &turn)
            return events.append(.rejected(notification, replacements: []))
        }
        // The number may have replied STOP while the message waited.
        if notification.orderingKey != nil, notification.channel.rules.acceptsReplies,
            contacts.hasOptedOut(notification.address)
        {
            return close(id, as: .expired, "the number replied STOP", &turn)
        }
        switch gateways.choose(for: notification, at: turn.now) {
        case .use(let gateway): sendAttempt(notification, over: gateway, &turn)
        case .wait(let until):
            var notification = notification
            notification.due = until
            book.keep(notification)
            queues.append(notification, due: until)
        case .exhausted: reject(id, "every gateway rejects this address", &turn)
        case .none: close(id, as: .expired, "no gateway for this channel", &turn)
        }
    }

    /// Whether the recipient of a call for help still shares a circle with the person.
    private func isStillRecipient(_ notification: Notification, _ turn: Turn) -> Bool {
        guard notification.reason.isAlarm, let person = notification.person,
            let recipient = notification.recipient
        else { return true }
        let circles = Set(turn.directory.circles(of: recipient))
        let kept = facts(of: notification)?.keptCircles ?? []
        return (turn.directory.circles(of: person) + kept).contains(where: circles.contains)
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
        book.save(notification, isChange: isChange, &turn)
        turn.save(
            .attempt(
                Attempt(
                    notification: notification.id, number: notification.attempts,
                    gateway: gateway, started: turn.now)))
        gateways.probe(gateway, at: turn.now)
        queues.started(notification)
        inFlightAttempts.insert(
            (notification.id, notification.attempts), due: turn.now + Limits.attemptTimeout)
        turn.emit(.send(OutgoingMessage(notification, secret: configuration.tokenSecret)))
    }

    /// Handles a process start: the outcome of interrupted attempts is unknown.
    mutating func start(_ turn: inout Turn) {
        contacts.publishAll(&turn)
        let interrupted = book.all.filter(\.isInFlight).sorted { $0.id < $1.id }
        for notification in interrupted {
            let result = AttemptResult(
                notification: notification.id, number: notification.attempts, outcome: .unknown,
                answer: "interrupted by a restart")
            finish(result, isGatewaysFault: false, &turn)
        }
    }

    /// Handles the result of an attempt.
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
        guard var notification = book[id], notification.isInFlight,
            notification.attempts == result.number
        else { return }
        turn.trace = notification.trace
        notification.isInFlight = false
        notification.answer = String(result.answer.prefix(Limits.answerCharactersMax))
        if let message = result.gatewayMessage { notification.gatewayMessage = message }
        book.keep(notification)
        queues.finished(notification)
        let jitter = DerivedID.jitter(id, result.number)
        if isGatewaysFault {
            let warning = gateways.record(notification, result, jitter: jitter, &turn)
            contacts.gatewaysChanged(gateways.states, &turn)
            if let warning { turn.emit(.warn(warning)) }
            contacts.update(from: result, about: notification, &turn)
        }
        turn.save(
            .attempt(
                Attempt(
                    notification: id, number: result.number, gateway: notification.gateway,
                    started: notification.attemptStarted ?? turn.now, finished: turn.now,
                    outcome: result.outcome, answer: notification.answer)))
        if notification.severity == .test { return finishTest(id, result, &turn) }
        handleOutcome(notification, result, jitter: jitter, &turn)
        queues.releaseNext(after: notification, in: book, at: turn.now)
    }

    private mutating func handleOutcome(
        _ ended: Notification, _ result: AttemptResult, jitter: UInt64, _ turn: inout Turn
    ) {
        var notification = ended
        let id = notification.id
        // A receipt may arrive before the attempt's result; then nothing is left to do.
        guard notification.state.rank < NotificationState.accepted.rank else {
            return book.save(notification, isChange: false, &turn)
        }
        switch result.outcome {
        case .accepted: settle(id, as: .accepted, &turn)
        case .sink: settle(id, as: .sink, &turn)
        case .rejected: reject(id, notification.answer, &turn)
        case .unroutable:
            notification.rejectingGateways.append(notification.gateway)
            retry(notification, after: .zero, &turn)
        case .later, .unreachable, .misconfigured:
            let backoff =
                notification.severity == .safety ? Limits.safetyBackoff : Limits.routineBackoff
            var wait = backoff.delay(after: result.number, jitter: jitter)
            if result.outcome != .later,
                gateways.hasOpenAlternative(to: notification, at: turn.now)
            {
                wait = .zero
            }
            if let asked = result.retryAfter {
                return backOff(notification, asked, backoff: wait, &turn)
            }
            retry(notification, after: wait, &turn)
        case .unknown:
            notification.unknownOutcomes += 1
            let isAgain =
                notification.severity == .safety
                && notification.unknownOutcomes <= Limits.unknownResendsMax
            let isChange = notification.move(to: .unknown)
            book.save(notification, isChange: isChange, &turn)
            if isAgain {
                let wait = Limits.safetyBackoff.delay(after: result.number, jitter: jitter)
                retry(notification, after: wait, &turn)
            }
        }
    }

    /// Handles a gateway's request to wait.
    ///
    /// Another gateway is tried at once. Without one, the message waits for the first gateway whose
    /// back-off ends; a message about an emergency waits at most ``Limits/safetyRetryAfterMax``.
    private mutating func backOff(
        _ ended: Notification, _ asked: Duration, backoff: Duration, _ turn: inout Turn
    ) {
        var notification = ended
        let now = turn.now
        // A gateway that names no time still gets a minimum back-off.
        let rest = min(max(asked, Limits.gatewayBackoffMin), Limits.retryAfterMax)
        var resting = (notification.gatewayBackoffs ?? [:]).filter { now < $0.value }
        resting[notification.gateway] = now + rest
        notification.gatewayBackoffs = resting
        if gateways.hasOpenAlternative(to: notification, at: now) {
            return retry(notification, after: .zero, &turn)
        }
        let usable = resting.filter {
            gateways.isUp($0.key) && !notification.rejectingGateways.contains($0.key)
        }
        let free = usable.values.min().map { $0 - now } ?? rest
        let most =
            notification.severity == .safety ? Limits.safetyRetryAfterMax : Limits.retryAfterMax
        retry(notification, after: max(backoff, min(free, most)), &turn)
    }

    /// Schedules a further attempt, or gives up if it would come too late.
    private mutating func retry(_ ended: Notification, after wait: Duration, _ turn: inout Turn) {
        var notification = ended
        let id = notification.id
        book.keep(notification)
        if isOver(notification) {
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
                kind: .retry, person: person, emergency: notification.emergency,
                subject: id.description, due: due)
            notification.deadline = deadline.id
            book.save(notification, isChange: false, &turn)
            return retries.schedule(deadline, for: id, &turn)
        }
        book.save(notification, isChange: false, &turn)
        if wait == .zero {
            queues.append(notification, isRetry: true)
        } else {
            queues.append(notification, due: due)
        }
    }

    /// Handles a deadline that the timer reported as expired.
    mutating func deadlineExpired(_ id: DeadlineID, at now: Timestamp) {
        guard let entry = retries.popExpired(id, at: now) else { return }
        makeDue(entry, at: now)
    }

    /// Expires deadlines that the timer should have reported.
    mutating func expireDeadlines(at now: Timestamp) {
        for (_, entry) in retries.popOverdue(at: now) { makeDue(entry, at: now) }
    }

    private mutating func makeDue(_ entry: Deadlines<NotificationID>.Entry, at now: Timestamp) {
        guard var notification = book[entry.purpose],
            notification.deadline == entry.deadline.id
        else { return }
        notification.deadline = nil
        notification.due = min(notification.due ?? now, now)
        book.keep(notification)
        queues.append(notification, isRetry: true)
    }

    // MARK: Ends

    /// Rejects an address for this message and tries the recipients' next contact points.
    private mutating func reject(_ id: NotificationID, _ answer: String, _ turn: inout Turn) {
        close(id, as: .rejected, answer, &turn)
        guard let notification = book[id], notification.state == .rejected else { return }
        let next = notification.recipients.compactMap { failOver(notification, for: $0, &turn) }
        events.append(.rejected(notification, replacements: next))
    }

    private mutating func failOver(
        _ notification: Notification, for recipient: PersonID, _ turn: inout Turn
    ) -> NotificationID? {
        guard turn.now < notification.expires, let person = turn.directory.person(recipient),
            !isOver(notification)
        else { return nil }
        let usedAddresses = notification.addresses ?? []
        for contact in ContactSelector.all(of: person, on: configuration.channels)
        where !usedAddresses.contains(contact.address)
            && contacts.accepts(notification.severity, at: contact)
        {
            let id = DerivedID.notification(
                notification.scope, recipient: recipient, address: contact.address)
            guard book[id] == nil else { continue }
            var moved = notification.moved(
                to: contact, id: id, secret: configuration.tokenSecret, at: turn.now)
            (moved.recipient, moved.alsoFor) = (recipient, nil)
            enqueue(moved, &turn)
            return id
        }
        return nil
    }

    /// Whether the emergency of a message has ended. Messages about its end are still sent.
    private func isOver(_ notification: Notification) -> Bool {
        guard let emergency = notification.emergency, notification.reason != .standDown,
            notification.reason != .ownEnded
        else { return false }
        return emergencies[emergency]?.isActive != true
    }

    /// Ends a message: no further attempts.
    mutating func close(
        _ id: NotificationID, as state: NotificationState, _ answer: String, _ turn: inout Turn
    ) {
        guard var notification = book[id] else { return }
        notification.answer = answer
        book.keep(notification)
        settle(id, as: state, &turn)
        if let request = tests.removeValue(forKey: id) {
            let tested = TestResult(notification: id, outcome: .later, answer: answer)
            turn.emit(.answer(request: request, .tested(tested)))
        }
    }

    private mutating func settle(
        _ id: NotificationID, as state: NotificationState, _ turn: inout Turn
    ) {
        guard var notification = book[id] else { return }
        retries.cancel(notification.deadline, &turn)
        notification.deadline = nil
        notification.due = nil
        let isChange = notification.move(to: state)
        if notification.isHeld == true, !notification.isPending { notification.isHeld = false }
        book.save(notification, isChange: isChange, &turn)
        if !notification.isPending {
            queues.releaseNext(after: notification, in: book, at: turn.now)
        }
    }

    /// Expires unsent messages about an emergency that has ended.
    ///
    /// - Parameter isOver: whether it has ended for a recipient; by default for all
    mutating func expireMessages(
        _ emergency: EmergencyID, _ turn: inout Turn,
        isOver: (PersonID) -> Bool = { _ in true }
    ) {
        for notification in book.about(emergency)
        where notification.due != nil && notification.recipients.allSatisfy(isOver) {
            close(notification.id, as: .expired, "ended before it was sent", &turn)
        }
    }

    /// Expires unsent questions to a person, because they answered on another channel.
    mutating func closeQuestions(
        to person: PersonID, as reason: NotifyReason, _ turn: inout Turn
    ) {
        let open = book.all.filter {
            $0.reason == reason && $0.recipient == person && $0.due != nil
        }
        for message in open.sorted(by: { $0.id < $1.id }) {
            close(message.id, as: .expired, "answered", &turn)
        }
    }

    /// Cancels unsent messages about the end of an emergency that continues.
    mutating func cancelEndNotices(of emergency: EmergencyID, _ turn: inout Turn) {
        for notification in book.about(emergency)
        where notification.due != nil
            && (notification.reason == .standDown || notification.reason == .ownEnded)
        {
            close(notification.id, as: .expired, "called for help again", &turn)
        }
    }

    /// Continues the messages of an emergency under another id.
    mutating func moveMessages(of old: EmergencyID, to new: EmergencyID, _ turn: inout Turn) {
        book.move(from: old, to: new, &turn)
    }

    /// Removes settled messages and empty states of addresses from memory.
    mutating func sweep(_ turn: inout Turn) {
        book.sweep(at: turn.now) { emergencies[$0]?.isActive == true }
        contacts.sweep(&turn)
    }

    // MARK: Receipts

    /// Whether a message is in memory. Receipts for other messages bring the stored row.
    package func isInMemory(_ id: NotificationID) -> Bool { book[id] != nil }

    /// Handles a delivery receipt. Receipts come in any order and may be repeated.
    mutating func handle(_ receipt: Receipt, _ turn: inout Turn) {
        let id = receipt.notification
        let isTransient = book[id] == nil
        if isTransient, let stored = receipt.stored { book.keep(stored) }
        guard var notification = book[id] else { return }
        defer { if isTransient { book.remove(id) } }
        turn.trace = notification.trace
        guard notification.isAddressed(to: receipt.address) else {
            return turn.emit(.warn(.receiptForAnother(id)))
        }
        let answer = String(receipt.answer.prefix(Limits.answerCharactersMax))
        contacts.update(from: receipt, about: notification, &turn)
        switch receipt.kind {
        case .delivered:
            contacts.recordProof(by: notification, isCovert: isCovert(notification), &turn)
            close(id, as: .delivered, answer, &turn)
        case .failed:
            if notification.state.rank < NotificationState.rejected.rank {
                reject(id, answer, &turn)
            }
        case .accepted:
            // The gateway has the message, whatever the result of the attempt was.
            if notification.state.rank < NotificationState.accepted.rank {
                close(id, as: .accepted, answer, &turn)
            }
        case .buffered:
            notification.answer = answer
            book.save(notification, isChange: false, &turn)
        }
    }

    /// Whether the person concerned must not learn of a message: it is about an emergency under
    /// duress, or about one that is not known any more.
    private func isCovert(_ message: Notification) -> Bool {
        message.emergency != nil && facts(of: message)?.isCovert != false
    }

    // MARK: Gateway tests

    /// Starts a gateway test by the operator.
    mutating func startTest(_ test: GatewayTest, _ turn: inout Turn) {
        let (request, name, to) = (test.request, test.gateway, test.to)
        guard let gateway = configuration.gateways.first(where: { $0.name == name }) else {
            return turn.emit(.answer(request: request, .unknownGateway))
        }
        guard let channel = Channel(address: to), gateway.channels.contains(channel) else {
            return turn.emit(.answer(request: request, .wrongAddress))
        }
        turn.trace = test.trace
        let reader = Reader(language: .english, who: "", now: turn.now, map: configuration.map)
        let notification = NotificationID(test.id)
        var message = Notification(
            id: notification, reason: .test, severity: .test, scope: EventID(test.id),
            channel: channel, address: to, rendered: renderer.render(.test(gateway: name), reader),
            reference: "",
            token: DerivedID.token(notification, secret: configuration.tokenSecret),
            created: turn.now, expires: turn.now + Limits.testAgeMax, trace: test.trace)
        message.requiredGateway = name
        if test.isDry {
            message.gateway = name
            message.attempts = 1
            let sent = OutgoingMessage(message, secret: configuration.tokenSecret)
            return turn.emit(.answer(request: request, .wouldSend(sent)))
        }
        tests[notification] = request
        enqueue(message, &turn)
    }

    /// Answers a test with the result of its only attempt.
    private mutating func finishTest(
        _ id: NotificationID, _ result: AttemptResult, _ turn: inout Turn
    ) {
        let answer = book[id]?.answer ?? ""
        if let request = tests.removeValue(forKey: id) {
            let tested = TestResult(notification: id, outcome: result.outcome, answer: answer)
            turn.emit(.answer(request: request, .tested(tested)))
        }
        let state: NotificationState =
            switch result.outcome {
            case .accepted: .accepted
            case .sink: .sink
            case .rejected, .unroutable: .rejected
            case .unknown: .unknown
            case .later, .misconfigured, .unreachable: .expired
            }
        close(id, as: state, answer, &turn)
    }

    // MARK: Outage hold

    /// Holds a message before its first attempt, if it is to wait for the operator.
    private mutating func holdForOutage(_ message: Notification, _ turn: inout Turn) -> Bool {
        let emergency = facts(of: message)
        guard hold.holds(message, emergency, at: turn.now) else { return false }
        var message = message
        message.isHeld = true
        if message.wasDue == nil, hold.isUntriedSince(message) { message.wasDue = message.created }
        book.save(message, isChange: false, &turn)
        if let id = message.emergency, let emergency, emergency.isHeld == nil, emergency.isActive {
            events.append(.held(id))
        }
        return true
    }

    /// Queues a held message.
    mutating func release(_ id: NotificationID, _ turn: inout Turn) {
        guard var message = book[id], message.isHeld == true else { return }
        message.isHeld = false
        guard message.due != nil else { return book.keep(message) }
        message.due = turn.now
        book.save(message, isChange: false, &turn)
        if queues.insert(message, in: book) {
            queues.append(message, isRetry: message.attempts > 0)
        }
    }

    /// Drops a held message for the operator.
    mutating func drop(_ id: NotificationID, _ turn: inout Turn) {
        guard book[id]?.isHeld == true else { return }
        close(id, as: .expired, "dropped by the operator", &turn)
    }

    var holdsAnything: Bool { book.all.contains { $0.isHeld == true } }

    /// Held messages that are not part of a held emergency.
    var heldSummaries: [HeldSummary] {
        book.all.filter { $0.isHeld == true && facts(of: $0)?.isHeld != true }.map { message in
            HeldSummary(
                item: .message(message.id), person: message.person,
                emergency: message.emergency, recipient: message.recipient,
                channel: message.channel, due: message.wasDue ?? message.created,
                reason: message.reason.rawValue)
        }
    }

    /// Adds a notice to a late message at its first attempt, whether it was held or not.
    private func addLateNotice(_ message: inout Notification, _ turn: Turn) {
        guard let due = message.wasDue, let outage = hold.outage else { return }
        message.wasDue = nil
        guard message.attempts == 0 else { return }
        message.rendered = renderer.late(
            message.rendered, for: message.recipient.flatMap { turn.directory.person($0) },
            due: due, until: outage.until, at: turn.now)
    }

    // MARK: Overview

    /// Load of every lane, safety first.
    package var load: [LaneLoad] { queues.load }

    /// Messages that wait in memory for a retry.
    package var waitingForRetry: Int { queues.retrying }

    /// The day of the last proven delivery to an address; nil = none is known.
    package func lastProof(_ address: String) -> Timestamp? { contacts[address].proven }

    /// Reachability as last published.
    package var reachability: Reachability { contacts.published }

    /// Health of each gateway, in configuration order.
    package var health: [GatewayHealth] { gateways.all }

    /// One line per gateway that is down; empty = none.
    package var healthProblems: [String] { gateways.healthProblems }

    /// The token that a gateway's callbacks for incoming SMS must carry.
    package func replyToken(of gateway: String) -> String {
        DerivedID.token(ofRepliesOver: gateway, secret: configuration.tokenSecret)
    }
}

extension OutgoingMessage {
    /// The attempt of a message that starts now. Only here its text contains its link.
    init(_ notification: Notification, secret: [UInt8]) {
        let rules = notification.channel.rules
        var text = notification.text
        if let emergency = notification.emergency, let recipient = notification.recipient {
            let token = DerivedID.linkToken(of: emergency, for: recipient, secret: secret)
            text = text.replacing(Links.placeholder, with: token.text)
        } else if let question = notification.question, let recipient = notification.recipient {
            let token = DerivedID.questionToken(about: question.raw, to: recipient, secret: secret)
            text = text.replacing(Links.placeholder, with: token.text)
        }
        if let drill = notification.drill, let recipient = notification.recipient {
            let token = DerivedID.linkToken(of: drill, for: recipient, secret: secret)
            text = text.replacing(Links.placeholder, with: token.text)
        }
        self.init(
            notification: notification.id, attempt: notification.attempts,
            gateway: notification.gateway, channel: notification.channel,
            address: notification.address, subject: notification.rendered.subject,
            text: text,
            file: rules.carriesFiles ? notification.file : nil,
            messageID: notification.id.description,
            thread: notification.emergency?.description, token: notification.token,
            isSafety: notification.severity == .safety, isTest: notification.severity == .test,
            expires: notification.expires, trace: notification.trace)
    }
}
