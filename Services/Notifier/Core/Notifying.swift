import Directory
import Hashing
import Model

// Creation of messages: recipients, contact points and text.
extension Notifier {
    /// Reminds the owner of a watch before it ends.
    mutating func watchChanged(_ watch: Watch, _ turn: inout Turn) {
        guard watch.state == .reminded else { return }
        turn.trace = watch.trace
        var plan = DeliveryPlan(
            reason: .watchReminder, severity: .safety, scope: DerivedID.reminder(watch))
        plan.person = watch.person
        plan.expires = watch.deadline + .seconds(watch.graceSeconds)
        _ = notify(
            watch.person, .watchReminder(deadline: watch.deadline, note: watch.note), plan, &turn)
    }

    /// Notifies a recipient of an emergency, with its position and battery.
    ///
    /// The text describes the last further call, or the first signal if there was none.
    ///
    /// - Parameters:
    ///   - circle: the circle on whose behalf; nil = any that both have joined
    ///   - channels: use the preferred contact points of these channels; nil = all contact points
    mutating func notifyAlarm(
        _ id: EmergencyID, to recipient: PersonID, _ repetition: Repetition, reason: NotifyReason,
        scope: EventID, circle: CircleID? = nil, channels: [Channel]? = Channel.allCases,
        _ turn: inout Turn
    ) -> DeliveryOutcome {
        guard let emergency = emergencies[id] else { return DeliveryOutcome(reason: .notOfCircle) }
        let common = turn.directory.circles(of: recipient).compactMap(turn.directory.circle)
            .filter { $0.member(emergency.person) != nil && (circle ?? $0.id) == $0.id }
        // People who left the circle are notified of the end, but of no further call.
        guard !common.isEmpty else { return DeliveryOutcome(reason: .notOfCircle) }
        let seeing = common.first {
            Recipients.seesPosition(
                of: emergency.person, calledThemselves: emergency.isOwnCall, in: $0, at: turn.now)
        }
        let further = repetition == .another ? emergency.latest : nil
        var alarm = Alarm(
            trigger: further?.trigger ?? emergency.trigger,
            raised: further?.raised ?? emergency.raised, isLate: emergency.isLate,
            battery: emergency.battery, note: emergency.note)
        if let fix = emergency.fix {
            if seeing != nil {
                alarm.place = Place(fix)
            } else {
                alarm.suppressed = suppressed(fix, of: emergency.person, from: common, turn)
            }
        }
        var plan = DeliveryPlan(reason: reason, severity: .safety, scope: scope)
        plan.emergency = emergency
        plan.circle = seeing ?? common.first
        plan.person = emergency.person
        plan.channels = channels
        plan.expires = turn.now + Limits.safetyAgeMax
        plan.raised = further?.raised
        plan.showsPlace = alarm.place != nil
        let outcome = notify(recipient, .alarm(alarm, repetition), plan, &turn)
        recordRecipient(recipient, of: id, outcome, &turn)
        return outcome
    }

    /// What to say instead of a position that the circles do not see.
    private func suppressed(
        _ fix: Fix, of person: PersonID, from circles: [Circle], _ turn: Turn
    ) -> SuppressedPlace {
        let names = circles.lazy.compactMap {
            Recipients.zoneName(at: fix, of: person, in: $0, turn.directory, at: turn.now)
        }
        return names.first.map { .zone($0, taken: fix.time) } ?? .notShared
    }

    /// Notifies a recipient of the progress of an emergency.
    ///
    /// - Parameter addresses: addresses to skip; they get a more important message
    mutating func notifyProgress(
        _ id: EmergencyID, to recipient: PersonID, _ content: NoticeContent,
        reason: NotifyReason,
        scope: EventID, onAllContacts: Bool = false, except addresses: Set<String> = [],
        _ turn: inout Turn
    ) -> NotifyDecision {
        guard let emergency = emergencies[id] else {
            return NotifyDecision(recipient: recipient, reason: .notOfCircle)
        }
        var plan = DeliveryPlan(reason: reason, severity: .safety, scope: scope)
        plan.emergency = emergency
        plan.person = emergency.person
        if onAllContacts { plan.channels = nil }
        plan.except = addresses
        plan.expires = turn.now + Limits.safetyAgeMax
        let outcome = notify(recipient, content, plan, &turn)
        return NotifyDecision(recipient: recipient, reason: outcome.reason)
    }

    /// Notifies guardians, or admins if there are none, once of a signal that came too late for an
    /// escalation.
    mutating func notifyOnce(_ id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id] else { return }
        let scope = DerivedID.update(id, .lateRecord, cause: id.raw)
        for circle in turn.directory.circles(of: emergency.person)
            .compactMap(turn.directory.circle)
        {
            let helpers = Recipients.helpers(of: emergency.person, in: circle)
            let guardians = helpers.filter { $0.role == .guardian }
            let chosen = guardians.isEmpty ? helpers.filter { $0.role == .admin } : guardians
            for member in chosen {
                _ = notifyAlarm(
                    id, to: member.person, .record, reason: .lateRecord, scope: scope,
                    circle: circle.id, &turn)
            }
        }
    }

    /// Informs the person in danger once that nobody has responded, and which number to call.
    mutating func notifyNobodyReached(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], !emergency.nobodyReachedNotified else { return }
        emergency.nobodyReachedNotified = true
        save(emergency, &turn)
        if !emergency.recipients.contains(where: { hasUsableContact($0, turn.directory) }) {
            turn.effects.append(.warn(.nobodyReachable(id)))
        }
        let phone = turn.directory.person(emergency.person)?.contacts
            .first { $0.channel == .sms }?.address
        let number = EmergencyNumber.number(forPhone: phone ?? "")
        // A reopened emergency informs them again.
        let cause = emergency.endings.map { Hash.id("ending", .number($0)) } ?? id.raw
        _ = notifyProgress(
            id, to: emergency.person, .ownNobodyReached(number: number), reason: .ownNobodyReached,
            scope: DerivedID.update(id, .ownNobodyReached, cause: cause), &turn)
    }

    /// Whether a person has a contact point that is neither opted out nor dead.
    private func hasUsableContact(_ person: PersonID, _ directory: Replica) -> Bool {
        guard let person = directory.person(person) else { return false }
        return ContactSelector.all(of: person, on: configuration.channels).contains {
            reachability.problems[$0.key] == nil
        }
    }

    private mutating func recordRecipient(
        _ recipient: PersonID, of id: EmergencyID, _ outcome: DeliveryOutcome, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], !outcome.notifications.isEmpty,
            !emergency.recipients.contains(recipient)
        else { return }
        emergency.recipients = (emergency.recipients + [recipient]).sorted()
        save(emergency, &turn)
    }

    /// Creates the messages of one notice for one person, unless they exist.
    mutating func notify(
        _ recipient: PersonID, _ content: NoticeContent, _ plan: DeliveryPlan, _ turn: inout Turn
    ) -> DeliveryOutcome {
        guard let person = turn.directory.person(recipient) else {
            return DeliveryOutcome(reason: .unreachable)
        }
        let ways = configuration.channels.filter { plan.channels?.contains($0) ?? true }
        let contacts =
            plan.contacts
            ?? (plan.channels == nil
                ? ContactSelector.all(of: person, on: ways)
                : ContactSelector.preferred(of: person, on: ways) {
                    reachability.problems[$0.key] == nil
                })
        guard !contacts.isEmpty else { return DeliveryOutcome(reason: .unreachable) }
        let willing = contacts.filter { accepts(plan.severity, at: $0) }
        guard !willing.isEmpty else { return DeliveryOutcome(reason: .stopped) }
        let addressed = willing.filter { !plan.except.contains($0.address) }
        guard !addressed.isEmpty else { return DeliveryOutcome(reason: .sharedAddress) }
        guard plan.severity == .safety || routineWaiting < Limits.routineQueuedMax else {
            return DeliveryOutcome(reason: .queueFull)
        }
        let rendered = render(content, for: person, plan, turn)
        var outcome = DeliveryOutcome(reason: .alreadyNotified)
        for contact in addressed {
            let id = DerivedID.notification(
                plan.scope, recipient: recipient, address: contact.address)
            if notifications[id] != nil {
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
                message.addresses = willing.map(\.address)
                enqueue(message, &turn)
            }
        }
        return outcome
    }

    /// A message of the same round to another recipient with the same address. It suffices if it
    /// shows at least as much of the position.
    private func sharedMessage(_ plan: DeliveryPlan, _ address: String) -> NotificationID? {
        guard let emergency = plan.emergency else { return nil }
        return notificationsOf[emergency.id]?.first { id in
            guard let other = notifications[id] else { return false }
            return other.scope == plan.scope && other.reason == plan.reason
                && other.address == address && other.recipient != nil
                && (other.showsPlace == true || !plan.showsPlace)
                && [.queued, .sending, .accepted, .delivered].contains(other.state)
        }
    }

    /// Adds a recipient to a message.
    ///
    /// - Returns: true if it did not count for them before
    private mutating func share(
        _ id: NotificationID, with recipient: PersonID, _ turn: inout Turn
    ) -> Bool {
        guard var message = notifications[id], message.recipient != recipient,
            message.alsoFor?.contains(recipient) != true
        else { return false }
        message.alsoFor = ((message.alsoFor ?? []) + [recipient]).sorted()
        save(message, isChange: false, &turn)
        if message.state != .queued { publishState(message, cause: .none, &turn) }
        return true
    }

    /// Whether a contact point accepts a severity. After STOP, a number gets emergencies only.
    func accepts(_ severity: Severity, at contact: ContactPoint) -> Bool {
        severity != .routine || contact.channel != .sms
            || numbers[contact.address]?.stopped == nil
    }

    /// A queued alarm about the same emergency for the same address; one is enough.
    private func waitingAlarm(
        _ plan: DeliveryPlan, _ recipient: PersonID, _ address: String
    ) -> NotificationID? {
        guard let emergency = plan.emergency, plan.reason.isAlarm else { return nil }
        return notificationsOf[emergency.id]?.first { id in
            guard let other = notifications[id], other.isPending, other.reason.isAlarm else {
                return false
            }
            return other.recipient == recipient && other.address == address
        }
    }

    private func render(
        _ content: NoticeContent, for person: Person, _ plan: DeliveryPlan, _ turn: Turn
    ) -> RenderedMessage {
        let reader = Reader(
            language: Language(locale: person.locale),
            who: plan.person.flatMap { turn.directory.person($0)?.name } ?? "?",
            circle: plan.circle?.name ?? "", reference: plan.emergency?.reference ?? "",
            now: turn.now,
            offsetSeconds: zones[person.timeZone]?.offsetSeconds(at: turn.now),
            map: configuration.map, hasReplies: configuration.hasReplies)
        let composer = Composer(reader)
        let mail = composer.render(content, on: .email)
        return RenderedMessage(
            short: composer.render(content, on: .sms).text, subject: mail.subject,
            long: mail.text)
    }

    private func notification(
        _ id: NotificationID, _ plan: DeliveryPlan, _ recipient: PersonID, _ contact: ContactPoint,
        _ rendered: RenderedMessage, _ turn: Turn
    ) -> Notification {
        var notification = Notification(
            id: id, reason: plan.reason, severity: plan.severity, scope: plan.scope,
            emergency: plan.emergency?.id, circle: plan.circle?.id, person: plan.person,
            recipient: recipient, channel: contact.channel, address: contact.address,
            rendered: rendered, reference: plan.emergency?.reference ?? "",
            token: DerivedID.token(id, secret: configuration.tokenSecret), created: turn.now,
            expires: plan.expires, trace: turn.trace)
        notification.wasDue = plan.raised
        if plan.showsPlace { notification.showsPlace = true }
        return notification
    }
}

/// What the messages of one notice have in common.
struct DeliveryPlan {
    var reason: NotifyReason
    var severity: Severity
    var scope: EventID
    var emergency: Emergency?
    var circle: Circle?
    var person: PersonID?
    /// Preferred contact points of these channels; nil = all contact points.
    var channels: [Channel]? = Channel.allCases
    /// Addresses that get no message.
    var except: Set<String> = []
    /// Exactly these contact points; nil = by the channels.
    var contacts: [ContactPoint]?
    var expires = Timestamp.distantFuture
    /// Whether the text shows the person's position.
    var showsPlace = false
    /// Time of the call that the text describes, if it is not the first signal.
    var raised: Timestamp?

    init(reason: NotifyReason, severity: Severity, scope: EventID) {
        self.reason = reason
        self.severity = severity
        self.scope = scope
    }
}

/// Result of notifying one person.
struct DeliveryOutcome {
    var reason: NotifyReason
    /// The messages that carry the notice, new or existing.
    var notifications: [NotificationID] = []

    init(reason: NotifyReason) { self.reason = reason }
}

extension NotifyReason {
    /// Whether it calls for help, as opposed to reporting progress.
    var isAlarm: Bool {
        switch self {
        case .tier, .exhausted, .pressedAgain, .lateRecord: true
        default: false
        }
    }
}
