import Directory
import Hashing
import Model

// Making messages: for whom, over which contact points, in which words.
extension Notifier {
    /// The owner of a watch is asked before it runs out.
    mutating func watchChanged(_ watch: Watch, _ turn: inout Turn) {
        guard watch.state == .reminded else { return }
        turn.trace = watch.trace
        var draft = Draft(reason: .watchReminder, severity: .safety, scope: Meaning.reminder(watch))
        draft.person = watch.person
        draft.expires = watch.deadline + .seconds(watch.graceSeconds)
        _ = tell(
            watch.person, .watchReminder(deadline: watch.deadline, note: watch.note), draft, &turn)
    }

    /// Tells somebody of an emergency with everything that helps.
    ///
    /// What is told of is what the emergency began with, or what else called for help last.
    ///
    /// - Parameters:
    ///   - circle: because of which they are told; nil = any that both have joined.
    ///   - channels: preferred contact points on these; nil = all contact points.
    mutating func tellAlarm(
        _ id: EmergencyID, to recipient: PersonID, _ repetition: Repetition, reason: NotifyReason,
        scope: EventID, circle: CircleID? = nil, channels: [Channel]? = Channel.allCases,
        _ turn: inout Turn
    ) -> Telling {
        guard let emergency = emergencies[id] else { return Telling(reason: .notOfCircle) }
        let common = turn.directory.circles(of: recipient).compactMap(turn.directory.circle)
            .filter { $0.member(emergency.person) != nil && (circle ?? $0.id) == $0.id }
        // Who has left hears how it ended, but no further cry.
        guard !common.isEmpty else { return Telling(reason: .notOfCircle) }
        let seeing = common.first {
            Audience.seesPosition(
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
                alarm.withheld = withheld(fix, of: emergency.person, from: common, turn)
            }
        }
        var draft = Draft(reason: reason, severity: .safety, scope: scope)
        draft.emergency = emergency
        draft.circle = seeing ?? common.first
        draft.person = emergency.person
        draft.channels = channels
        draft.expires = turn.now + Limits.safetyAgeMax
        draft.raised = further?.raised
        draft.showsPlace = alarm.place != nil
        let telling = tell(recipient, .alarm(alarm, repetition), draft, &turn)
        noteTold(recipient, of: id, telling, &turn)
        return telling
    }

    /// What circles that do not see a position are told instead.
    private func withheld(
        _ fix: Fix, of person: PersonID, from circles: [Circle], _ turn: Turn
    ) -> WithheldPlace {
        let names = circles.lazy.compactMap {
            Audience.zoneName(at: fix, of: person, in: $0, turn.directory, at: turn.now)
        }
        return names.first.map { .zone($0, taken: fix.time) } ?? .notShared
    }

    /// Tells somebody how an emergency goes on.
    ///
    /// - Parameter addresses: get no message: another one that went there counts for more
    mutating func tellNews(
        _ id: EmergencyID, to recipient: PersonID, _ saying: Saying, reason: NotifyReason,
        scope: EventID, onAllContacts: Bool = false, except addresses: Set<String> = [],
        _ turn: inout Turn
    ) -> NotifyDecision {
        guard let emergency = emergencies[id] else {
            return NotifyDecision(recipient: recipient, reason: .notOfCircle)
        }
        var draft = Draft(reason: reason, severity: .safety, scope: scope)
        draft.emergency = emergency
        draft.person = emergency.person
        if onAllContacts { draft.channels = nil }
        draft.except = addresses
        draft.expires = turn.now + Limits.safetyAgeMax
        let telling = tell(recipient, saying, draft, &turn)
        return NotifyDecision(recipient: recipient, reason: telling.reason)
    }

    /// Guardians – admins where there are none – hear once of what came too late for a ladder.
    mutating func tellOnce(_ id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id] else { return }
        let scope = Meaning.news(id, .lateRecord, cause: id.raw)
        for circle in turn.directory.circles(of: emergency.person)
            .compactMap(turn.directory.circle)
        {
            let helpers = Audience.helpers(of: emergency.person, in: circle)
            let guardians = helpers.filter { $0.role == .guardian }
            let chosen = guardians.isEmpty ? helpers.filter { $0.role == .admin } : guardians
            for member in chosen {
                _ = tellAlarm(
                    id, to: member.person, .record, reason: .lateRecord, scope: scope,
                    circle: circle.id, &turn)
            }
        }
    }

    /// The person in danger hears once that nobody has answered, and what to call.
    mutating func tellNobodyYet(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], !emergency.nobodyTold else { return }
        emergency.nobodyTold = true
        keep(emergency, &turn)
        if !emergency.told.contains(where: { hasUsableContact($0, turn.directory) }) {
            turn.effects.append(.warn(.nobodyReachable(id)))
        }
        let phone = turn.directory.person(emergency.person)?.contacts
            .first { $0.channel == .sms }?.address
        let number = EmergencyNumber.number(forPhone: phone ?? "")
        // One that begins again tells it again.
        let cause = emergency.endings.map { Hash.id("ending", .number($0)) } ?? id.raw
        _ = tellNews(
            id, to: emergency.person, .ownNobodyYet(number: number), reason: .ownNobodyYet,
            scope: Meaning.news(id, .ownNobodyYet, cause: cause), &turn)
    }

    /// Whether somebody has a contact point that is neither opted out nor dead.
    private func hasUsableContact(_ person: PersonID, _ directory: Replica) -> Bool {
        guard let person = directory.person(person) else { return false }
        return Reach.all(of: person, on: configuration.channels).contains {
            reachability.problems[$0.key] == nil
        }
    }

    private mutating func noteTold(
        _ recipient: PersonID, of id: EmergencyID, _ telling: Telling, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], !telling.notifications.isEmpty,
            !emergency.told.contains(recipient)
        else { return }
        emergency.told = (emergency.told + [recipient]).sorted()
        keep(emergency, &turn)
    }

    /// Makes the messages of one saying for one person, unless they are there already.
    mutating func tell(
        _ recipient: PersonID, _ saying: Saying, _ draft: Draft, _ turn: inout Turn
    ) -> Telling {
        guard let person = turn.directory.person(recipient) else {
            return Telling(reason: .unreachable)
        }
        let ways = configuration.channels.filter { draft.channels?.contains($0) ?? true }
        let contacts =
            draft.contacts
            ?? (draft.channels == nil
                ? Reach.all(of: person, on: ways)
                : Reach.preferred(of: person, on: ways) { reachability.problems[$0.key] == nil })
        guard !contacts.isEmpty else { return Telling(reason: .unreachable) }
        let willing = contacts.filter { wants(draft.severity, at: $0) }
        guard !willing.isEmpty else { return Telling(reason: .stopped) }
        let addressed = willing.filter { !draft.except.contains($0.address) }
        guard !addressed.isEmpty else { return Telling(reason: .sharedAddress) }
        guard draft.severity == .safety || newsWaiting < Limits.newsQueuedMax else {
            return Telling(reason: .queueFull)
        }
        let words = words(saying, for: person, draft, turn)
        var telling = Telling(reason: .alreadyTold)
        for contact in addressed {
            let id = Meaning.notification(
                draft.scope, recipient: recipient, address: contact.address)
            if notifications[id] != nil {
                telling.notifications.append(id)
            } else if let shared = sharedMessage(draft, contact.address) {
                telling.notifications.append(shared)
                let isNew = share(shared, with: recipient, &turn)
                if isNew, !telling.reason.isTold { telling.reason = .sharedAddress }
            } else if let waiting = waitingAlarm(draft, recipient, contact.address) {
                telling.notifications.append(waiting)
                if telling.reason == .alreadyTold { telling.reason = .alreadyQueued }
            } else {
                telling.notifications.append(id)
                telling.reason = draft.reason
                var message = notification(id, draft, recipient, contact, words, turn)
                message.addresses = willing.map(\.address)
                queue(message, &turn)
            }
        }
        return telling
    }

    /// A message about the same emergency in the same round that goes to another recipient with the
    /// same address. One is enough, if it says at least as much of the position.
    private func sharedMessage(_ draft: Draft, _ address: String) -> NotificationID? {
        guard let emergency = draft.emergency else { return nil }
        return notificationsOf[emergency.id]?.first { id in
            guard let other = notifications[id] else { return false }
            return other.scope == draft.scope && other.reason == draft.reason
                && other.address == address && other.recipient != nil
                && (other.showsPlace == true || !draft.showsPlace)
                && [.queued, .sending, .accepted, .delivered].contains(other.state)
        }
    }

    /// Counts a message for one more recipient.
    ///
    /// - Returns: whether it did not count for them before
    private mutating func share(
        _ id: NotificationID, with recipient: PersonID, _ turn: inout Turn
    ) -> Bool {
        guard var message = notifications[id], message.recipient != recipient,
            message.alsoFor?.contains(recipient) != true
        else { return false }
        message.alsoFor = ((message.alsoFor ?? []) + [recipient]).sorted()
        keep(message, isChange: false, &turn)
        if message.state != .queued { announce(message, cause: .none, &turn) }
        return true
    }

    /// Whether a contact point may be used: a number that said STOP hears of emergencies only.
    func wants(_ severity: Severity, at contact: ContactPoint) -> Bool {
        severity != .news || contact.channel != .sms
            || numbers[contact.address]?.stopped == nil
    }

    /// An alarm about the same emergency that still waits for its gateway: one is enough.
    private func waitingAlarm(
        _ draft: Draft, _ recipient: PersonID, _ address: String
    ) -> NotificationID? {
        guard let emergency = draft.emergency, draft.reason.isAlarm else { return nil }
        return notificationsOf[emergency.id]?.first { id in
            guard let other = notifications[id], other.isPending, other.reason.isAlarm else {
                return false
            }
            return other.recipient == recipient && other.address == address
        }
    }

    private func words(
        _ saying: Saying, for person: Person, _ draft: Draft, _ turn: Turn
    ) -> Words {
        let reader = Reader(
            language: Language(locale: person.locale),
            who: draft.person.flatMap { turn.directory.person($0)?.name } ?? "?",
            circle: draft.circle?.name ?? "", reference: draft.emergency?.reference ?? "",
            now: turn.now,
            offsetSeconds: zones[person.timeZone]?.offsetSeconds(at: turn.now),
            map: configuration.map, hasReplies: configuration.hasReplies)
        let composer = Composer(reader)
        let mail = composer.words(for: saying, on: .email)
        return Words(
            short: composer.words(for: saying, on: .sms).text, subject: mail.subject,
            long: mail.text)
    }

    private func notification(
        _ id: NotificationID, _ draft: Draft, _ recipient: PersonID, _ contact: ContactPoint,
        _ words: Words, _ turn: Turn
    ) -> Notification {
        var notification = Notification(
            id: id, reason: draft.reason, severity: draft.severity, scope: draft.scope,
            emergency: draft.emergency?.id, circle: draft.circle?.id, person: draft.person,
            recipient: recipient, channel: contact.channel, address: contact.address,
            words: words, reference: draft.emergency?.reference ?? "",
            token: Meaning.token(id, secret: configuration.tokenSecret), created: turn.now,
            expires: draft.expires, trace: turn.trace)
        notification.wasDue = draft.raised
        if draft.showsPlace { notification.showsPlace = true }
        return notification
    }
}

/// What the messages of one saying have in common.
struct Draft {
    var reason: NotifyReason
    var severity: Severity
    var scope: EventID
    var emergency: Emergency?
    var circle: Circle?
    var person: PersonID?
    /// Preferred contact points on these channels; nil = all contact points.
    var channels: [Channel]? = Channel.allCases
    /// Addresses that get no message.
    var except: Set<String> = []
    /// Just these, whatever the channels; nil = by the channels.
    var contacts: [ContactPoint]?
    var expires = Timestamp.distantFuture
    /// It says where the person is.
    var showsPlace = false
    /// Of what calls for help, where that is not what the emergency began with.
    var raised: Timestamp?

    init(reason: NotifyReason, severity: Severity, scope: EventID) {
        self.reason = reason
        self.severity = severity
        self.scope = scope
    }
}

/// What came of telling one person one thing.
struct Telling {
    var reason: NotifyReason
    /// The messages that tell it, new or not.
    var notifications: [NotificationID] = []

    init(reason: NotifyReason) { self.reason = reason }
}

extension NotifyReason {
    /// A call for help, as opposed to how it went on.
    var isAlarm: Bool {
        switch self {
        case .tier, .exhausted, .pressedAgain, .lateRecord: true
        default: false
        }
    }
}
