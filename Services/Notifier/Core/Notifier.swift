import Directory
import Model
import Timing

/// Core of the notifier: decides whom to notify, when, and through which gateway.
///
/// A pure function of its inputs: time, the directory and results of attempts come in; rows, events
/// and attempts come out. It routes inputs to its machines. ``Escalation`` uses ``Delivery``, which
/// knows nothing of it.
///
///     var turn = Turn<Effect>(now: now, directory: directory)
///     notifier.handle(.event(event), &turn)
package struct Notifier: Sendable {
    package private(set) var delivery: Delivery
    package private(set) var escalation: Escalation
    package private(set) var links: Links
    package private(set) var questions: OwnQuestions
    package private(set) var liveLinks: LiveLinks
    private var codes = ReferenceCodes()
    private let replies = Replies()
    private let zoneNotifications = ZoneNotifications()
    private let zoneMessages = ZoneMessages()
    private let requestedMessages = RequestedMessages()
    private let contactNotifications: ContactNotifications
    private var ownWatches: OwnWatches
    private var positionQueries: PositionQueries
    private let followedPositions = FollowedPositions()
    private let countdownQuestions = CountdownQuestions()
    package private(set) var drills: Drills
    private var dueWork = DueWork()

    /// Creates a notifier from its stored state.
    ///
    /// Attempts that were in flight stay so until ``Input/started``.
    ///
    /// - Parameter outage: items that became due during it are held
    package init(
        _ configuration: NotifierConfiguration, from rows: NotifierRows, at now: Timestamp,
        after outage: Outage? = nil
    ) {
        delivery = Delivery(configuration, from: rows, at: now, after: outage)
        escalation = Escalation(from: rows, at: now, &delivery)
        links = Links(rows.links, secret: configuration.tokenSecret)
        liveLinks = LiveLinks(rows.liveLinks)
        ownWatches = OwnWatches(rows.watches)
        questions = OwnQuestions(rows.questions, secret: configuration.tokenSecret)
        positionQueries = PositionQueries(rows.positionQueries)
        drills = Drills(rows, at: now, secret: configuration.tokenSecret)
        contactNotifications = ContactNotifications(
            notifiesGuardiansOfImpairment: configuration.notifiesGuardiansOfImpairment)
    }

    /// Handles one input and appends its effects.
    package mutating func handle(_ input: Input, _ turn: inout Directory.Turn<Effect>) {
        switch input {
        case .started: delivery.start(&turn)
        case .event(let event):
            turn.trace = event.trace
            turn.cause = event.time
            escalation.endHold(for: event, &delivery, &turn)
            apply(event, &turn)
            turn.cause = nil
        case .directory(let body):
            escalation.directoryChanged(body, &delivery, &turn)
            followedPositions.directoryChanged(body, &turn)
            drills.directoryChanged(body, &delivery, &turn)
            liveLinks.directoryChanged(body, escalation, &turn)
        case .acknowledge(let command): escalation.acknowledge(command, &delivery, &turn)
        case .withdraw(let command): escalation.withdraw(command, &delivery, &turn)
        case .acknowledgeByReference(let command):
            codes.acknowledge(command, &escalation, &delivery, &turn)
        case .resolve(let command): escalation.resolve(command, &delivery, &turn)
        case .confirmEnd(let command): escalation.confirmEnd(command, &delivery, &turn)
        case .answerQuestion(let command): questions.answer(command, &turn)
        case .look(let link): links.look(link, &turn)
        case .makeLiveLink(let request):
            let watch = ownWatches.running(of: request.person)
            liveLinks.make(request, escalation, watch: watch, &turn)
        case .revokeLiveLink(let revocation): liveLinks.revoke(revocation, escalation, &turn)
        case .liveLook(let link): liveLinks.look(link, &turn)
        case .reopen(let command): escalation.reopen(command, &delivery, &turn)
        case .test(let test): delivery.startTest(test, &turn)
        case .send(let command): zoneMessages.send(command, &delivery, &turn)
        case .setOptOut(let request, let number, let isOptedOut):
            replies.setOptOut(request, number, isOptedOut: isOptedOut, &delivery, &turn)
        case .requested(let request, let event, let expires, let trace):
            turn.trace = trace
            requestedMessages.enqueue(request, by: event, expires: expires, &delivery, &turn)
        case .attempted(let result):
            delivery.handle(result, &turn)
            escalation.handleEvents(of: &delivery, &turn)
        case .receipt(let receipt):
            delivery.handle(receipt, &turn)
            escalation.handleEvents(of: &delivery, &turn)
        case .reply(let reply):
            if drills.handle(reply, escalation, &delivery, &turn) { break }
            replies.handle(
                reply, &escalation, &ownWatches, &questions, &positionQueries, &delivery, &turn)
        case .drill(let command): drills.handle(command, escalation, &delivery, &turn)
        case .ingestReplaced(let partition):
            escalation.publishSnapshots(of: partition, &delivery, &turn)
        case .release(let items): escalation.release(items, &delivery, &turn)
        case .drop(let items): escalation.drop(items, &delivery, &turn)
        case .publishReachability: delivery.contacts.publishAll(&turn)
        case .tick: break
        }
        dueWork.run(
            &escalation, &links, &codes, &questions, &positionQueries, &drills, &liveLinks,
            &delivery, &turn)
        links.follow(&turn)
        drills.follow(&turn)
        liveLinks.follow(&turn)
    }

    private mutating func apply(_ event: Event, _ turn: inout Turn) {
        switch event.body {
        case .zoneEntered(let crossing):
            ownWatches.entered(crossing, escalation, &delivery, &turn)
            zoneNotifications.zoneChanged(event, &delivery, &turn)
        case .zoneExited, .zoneApproached, .zoneDwelled, .zoneAbsent, .alarmEnded:
            zoneNotifications.zoneChanged(event, &delivery, &turn)
        case .alarmStarted(let change):
            zoneNotifications.alarmRang(change, event, &delivery, &turn)
            zoneNotifications.zoneChanged(event, &delivery, &turn)
        case .alarmRepeated(let change):
            zoneNotifications.alarmRang(change, event, &delivery, &turn)
        case .messagesDue(let due): zoneMessages.messagesDue(due, event, &delivery, &turn)
        case .contactOverdue(let change):
            let emergency = escalation.book.active(of: change.person).last
            contactNotifications.contactOverdue(
                change, event, emergency: emergency, &delivery, &turn)
        case .contactLost(let change):
            contactNotifications.contactLost(change, event, &delivery, &turn)
        case .contactOK(let change):
            let emergency = escalation.book.active(of: change.person).last
            contactNotifications.contactOK(change, event, emergency: emergency, &delivery, &turn)
        case .batteryLow(let change):
            contactNotifications.batteryLow(change, event, &delivery, &turn)
        case .deviceImpaired(let change):
            contactNotifications.deviceImpaired(change, event, &delivery, &turn)
        case .watchChanged(let watch):
            questions.apply(watch, &turn)
            ownWatches.apply(watch, &delivery, &turn)
            liveLinks.apply(watch, &turn)
        case .checkInChanged(let checkIn): questions.apply(checkIn, &delivery, &turn)
        case .timerExpired(let timer): questions.apply(timer, &delivery, &turn)
        case .sosRaised(let signal), .watchExpired(let signal):
            escalation.receive(signal, &delivery, &turn)
            countdownQuestions.ask(about: signal, escalation, &delivery, &turn)
        case .sosCancelled(let cancel): escalation.applyCancellation(cancel, &delivery, &turn)
        case .sosLocated(let place): escalation.applyPosition(place, &delivery, &turn)
        case .sosPosition(let position):
            followedPositions.store(position, &turn)
            liveLinks.apply(position, at: event.time, &turn)
            escalation.applyPosition(position, &delivery, &turn)
        case .positionsAnswered(let positions):
            positionQueries.apply(positions, &delivery, &turn)
        case .deviceReporting(let reporting): followedPositions.store(reporting, &turn)
        case .emergencyCountdown(let change):
            escalation.applyCountdown(change, &delivery, &turn)
            countdownQuestions.ask(
                about: EmergencySignal(change, received: event.time, trace: event.trace),
                escalation, &delivery, &turn)
        case .emergencyOpened(let change): escalation.applyOpened(change, &delivery, &turn)
        case .emergencyJoined(let change): escalation.applyJoined(change, &delivery, &turn)
        case .emergencyCancelled(let change), .emergencyResolved(let change):
            escalation.applyEnded(change, &delivery, &turn)
        case .emergencyAcknowledged(let change):
            escalation.applyAcknowledged(change, &delivery, &turn)
        case .deadlineExpired(let expired) where expired.deadline.kind == .contact:
            escalation.contactExpired(expired, &turn)
        case .deadlineExpired(let expired):
            delivery.deadlineExpired(expired.deadline.id, at: turn.now)
            drills.deadlineExpired(expired.deadline.id, escalation, &delivery, &turn)
            escalation.deadlineExpired(expired.deadline.id, &delivery, &turn)
        case .deadlineCancelled(let deadline): escalation.contactCancelled(deadline, &turn)
        default: break
        }
    }

    /// When the next ``Input/tick`` is needed.
    package var nextDeadline: Timestamp? {
        [
            escalation.nextDue, delivery.nextDue, drills.nextDue, liveLinks.nextDue,
            dueWork.nextSweep, delivery.hold.active?.holdEnds,
        ]
        .compactMap(\.self).min()
    }

    /// Sets the offsets of a time zone, by its IANA name.
    package mutating func setTimeZone(_ name: String, _ rules: TimeZoneRules) {
        delivery.renderer.zones[name] = rules
    }

    /// Whether a time zone's offsets are set.
    package func hasTimeZone(_ name: String) -> Bool { delivery.renderer.zones[name] != nil }

    /// Summaries of held items, the earliest due first.
    package var heldSummaries: [HeldSummary] { escalation.heldSummaries(delivery) }

    /// When the hold ends; nil if nothing is held.
    package var holdEnds: Timestamp? { escalation.holdEnds(delivery) }
}
