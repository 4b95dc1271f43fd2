import Directory
import Hashing
import Model
import NotifierCore

/// Simulated surroundings of the core: a directory, a timer, gateways and a store.
struct World {
    static let start = Timestamp("2026-11-20T02:20:00Z")!

    var now = World.start
    var directory = Replica()
    var notifier: Notifier
    /// Result of a delivery; nil = none.
    var gateway: (OutgoingMessage) -> AttemptResult? = { delivery in
        AttemptResult(
            notification: delivery.notification, number: delivery.attempt, outcome: .accepted,
            answer: "0: Accepted for delivery")
    }
    /// Whether the timer reports expired deadlines.
    var isTimerAlive = true

    private(set) var sent: [OutgoingMessage] = []
    private(set) var effects: [Effect] = []
    private(set) var answers: [UInt64: Answer] = [:]
    private(set) var pageAnswers: [UInt64: QuestionOutcome] = [:]
    private(set) var scheduledDeadlines: [DeadlineID: Deadline] = [:]
    private var rows = Rows()
    private var lastEvent: UInt64 = 0

    init(
        gateways: [Gateway] = [
            Gateway(name: "sms", channels: [.sms]), Gateway(name: "mail", channels: [.email]),
        ], notifiesGuardiansOfImpairment: Bool = true, hasReplies: Bool = false,
        publicURL: String? = nil
    ) {
        self.publicURL = publicURL
        let configuration = NotifierConfiguration(
            gateways: gateways, tokenSecret: [UInt8](repeating: 7, count: 32),
            hasReplies: hasReplies,
            notifiesGuardiansOfImpairment: notifiesGuardiansOfImpairment, publicURL: publicURL)
        notifier = Notifier(configuration, from: NotifierRows(), at: World.start)
        self.gateways = gateways
        for person in Town.people { directory.apply(.personChanged(person)) }
        directory.apply(.circleChanged(Town.family))
        for zone in [Town.school, Town.kiosk] { directory.apply(.zoneChanged(zone)) }
    }

    private let gateways: [Gateway]
    private let publicURL: String?

    /// Restarts the process from its rows; in-flight attempts are lost.
    ///
    /// - Parameters:
    ///   - outage: items that became due during it are held
    ///   - isStarted: false = the rows are loaded, but nothing has happened yet
    mutating func restart(after outage: Outage? = nil, isStarted: Bool = true) {
        let configuration = NotifierConfiguration(
            gateways: gateways, tokenSecret: [UInt8](repeating: 7, count: 32),
            publicURL: publicURL)
        notifier = Notifier(configuration, from: rows.activeRows(at: now), at: now, after: outage)
        if isStarted { handle(.started) }
    }

    /// Stops the process for a while and restarts it; nothing is received meanwhile.
    @discardableResult
    mutating func sleep(_ duration: Duration) -> Outage {
        let outage = Outage(
            from: now, until: now + duration, holdEnds: now + duration + .seconds(600))
        now = now + duration
        restart(after: outage)
        return outage
    }

    /// - Parameter happened: nil = now
    mutating func receive(_ body: EventBody, trace: String = "", happened: Timestamp? = nil) {
        lastEvent += 1
        let id = EventID(ID128(high: 77, low: lastEvent))
        handle(.event(Event(id: id, time: happened ?? now, trace: trace, body: body)))
    }

    /// Changes the directory and informs the notifier.
    mutating func change(_ body: EventBody) {
        directory.apply(body)
        handle(.directory(body))
    }

    mutating func handle(_ input: Input) {
        var turn = Turn<Effect>(now: now, directory: directory)
        notifier.handle(input, &turn)
        effects += turn.effects
        for effect in turn.effects { perform(effect) }
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .save(let row): rows.save(row)
        case .remove(let key): rows.remove(key)
        case .publish(let event): published(event)
        case .answer(let request, let answer): answers[request] = answer
        case .answerPage(let request, let outcome): pageAnswers[request] = outcome
        case .warn: break
        case .send(let delivery):
            sent.append(delivery)
            if let result = gateway(delivery) { handle(.attempted(result)) }
        }
    }

    private mutating func published(_ event: Event) {
        switch event.body {
        case .deadlineScheduled(let deadline): scheduledDeadlines[deadline.id] = deadline
        case .deadlineCancelled(let deadline): scheduledDeadlines[deadline.id] = nil
        default: break
        }
    }

    /// Advances time; deadlines expire in order.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while true {
            let deadline =
                isTimerAlive
                ? scheduledDeadlines.values.min { ($0.due, $0.id) < ($1.due, $1.id) } : nil
            let next = [deadline?.due, notifier.nextDeadline].compactMap { $0 }.min() ?? end
            guard next <= end else { break }
            now = max(now, next)
            if let deadline, deadline.due <= next {
                scheduledDeadlines[deadline.id] = nil
                receive(.deadlineExpired(ExpiredDeadline(deadline: deadline, expired: now)))
            } else {
                handle(.tick)
            }
        }
        now = end
    }

    mutating func clear() {
        sent = []
        effects = []
    }

    // Results.

    var published: [EventBody] {
        effects.compactMap { if case .publish(let event) = $0 { event.body } else { nil } }
    }

    var timeline: [TimelineRecord] {
        effects.compactMap { effect in
            if case .save(.timeline(let record)) = effect { record } else { nil }
        }
    }

    var warnings: [Warning] {
        effects.compactMap { if case .warn(let warning) = $0 { warning } else { nil } }
    }

    /// Addresses of everything sent, in order.
    var addresses: [String] { sent.map(\.address) }

    func notification(_ id: NotificationID) -> Notification? { rows.notifications[id] }
    var notifications: [Notification] { Array(rows.notifications.values) }
    var emergencies: [EmergencyID: Emergency] { rows.emergencies }
    var attempts: [Attempt] { Array(rows.attempts.values) }

    /// Ordered by number.
    var texts: [ZoneText] { rows.texts.values.sorted { ($0.number, $0.id) < ($1.number, $1.id) } }
    var numbers: [String: NumberState] { rows.numbers }
    var followedPositions: [FollowedPositionRow] { rows.followedPositions }
    var reporting: [DeviceID: DeviceReporting] { rows.reporting }
    var drills: [Drill] { rows.drills.values.sorted { $0.started < $1.started } }
    var drillSchedules: [CircleID: DrillSchedule] { rows.drillSchedules }
    var liveLinks: [LiveLinkID: LiveLink] { rows.liveLinks }

    /// The code in the messages to an address about Aisha's emergency.
    func code(at address: String, _ emergency: UInt64 = 1) -> String {
        notifications.first {
            $0.address == address && $0.emergency == Town.emergency(emergency)
                && !$0.reference.isEmpty
        }?.reference ?? "none"
    }

    func emergency(_ id: EmergencyID) -> Emergency? { rows.emergencies[id] }
}

/// The store, as far as the notifier reads it.
private struct Rows {
    struct AttemptKey: Hashable {
        var notification: NotificationID
        var number: Int
    }
    struct EscalationKey: Hashable {
        var emergency: EmergencyID
        var circle: CircleID
    }

    var emergencies: [EmergencyID: Emergency] = [:]
    var escalations: [EscalationKey: CircleEscalation] = [:]
    var signals: [EmergencyID: SignalWait] = [:]
    var notifications: [NotificationID: Notification] = [:]
    var attempts: [AttemptKey: Attempt] = [:]
    var gateways: [String: GatewayHealth] = [:]
    var texts: [DraftID: ZoneText] = [:]
    var numbers: [String: NumberState] = [:]
    var links: [LinkHash: PersonalLink] = [:]
    var watches: [PersonID: OwnWatch] = [:]
    var questions: [LinkHash: OwnQuestion] = [:]
    /// As they were saved.
    var followedPositions: [FollowedPositionRow] = []
    var liveLinks: [LiveLinkID: LiveLink] = [:]
    var reporting: [DeviceID: DeviceReporting] = [:]
    var positionQueries: [String: PositionQueryRow] = [:]
    var drills: [DrillID: Drill] = [:]
    var drillSchedules: [CircleID: DrillSchedule] = [:]

    mutating func save(_ row: NotifierRow) {
        switch row {
        case .emergency(let row): emergencies[row.id] = row
        case .escalation(let row):
            escalations[EscalationKey(emergency: row.emergency, circle: row.circle)] = row
        case .signal(let row): signals[row.id] = row
        case .notification(let row): notifications[row.id] = row
        case .attempt(let row):
            attempts[AttemptKey(notification: row.notification, number: row.number)] = row
        case .gateway(let row): gateways[row.name] = row
        case .text(let row): texts[row.id] = row
        case .number(let row): numbers[row.number] = row
        case .link(let row): links[row.hash] = row
        case .watch(let row): watches[row.watch.person] = row
        case .question(let row): questions[row.hash] = row
        case .followedPosition(let row): followedPositions.append(row)
        case .reporting(let row): reporting[row.device] = row
        case .positionQuery(let row): positionQueries[row.number] = row
        case .drill(let row): drills[row.id] = row
        case .drillSchedule(let row): drillSchedules[row.circle] = row
        case .liveLink(let row): liveLinks[row.id] = row
        case .change, .timeline: break
        }
    }

    mutating func remove(_ key: NotifierKey) {
        switch key {
        case .signal(let id): signals[id] = nil
        case .number(let number): numbers[number] = nil
        case .watch(let person): watches[person] = nil
        case .question(let hash): questions[hash] = nil
        case .reporting(let device): reporting[device] = nil
        case .positionQuery(let number): positionQueries[number] = nil
        case .drill(let id): drills[id] = nil
        case .drillSchedule(let circle): drillSchedules[circle] = nil
        }
    }

    /// What the store returns at a start.
    func activeRows(at now: Timestamp) -> NotifierRows {
        var rows = NotifierRows()
        rows.emergencies = Array(emergencies.values)
        rows.escalations = Array(escalations.values)
        rows.signals = Array(signals.values)
        rows.gateways = Array(gateways.values)
        rows.numbers = Array(numbers.values)
        rows.links = Array(links.values)
        rows.liveLinks = liveLinks.values.filter { $0.ended == nil }
        rows.watches = Array(watches.values)
        rows.questions = Array(questions.values)
        rows.positionQueries = Array(positionQueries.values)
        rows.drills = Array(drills.values)
        rows.drillSchedules = Array(drillSchedules.values)
        rows.notifications = notifications.values.filter { notification in
            notification.isPending
                || now - notification.created < Limits.settledNotificationsKept
                || notification.emergency.map { emergencies[$0]?.ended == nil } ?? false
        }
        return rows
    }
}
