import Gateways
import Hosting
import Model
import NotifierCore
import Parsing
import Runtime
import Web
import Wire

/// The thin layer around ``Notifier``: records, requests and ends of transfers become inputs,
/// effects become rows, records, answers and transfers.
final class NotifierService: Service {
    let outside: any Surroundings
    let store: NotifierStore
    let keptAnswers: KeptAnswers
    private(set) var outgoing: Outgoing
    let zones: TimeZoneFolder
    private(set) var map: String
    /// By which what membership wants sent is sealed.
    let messageKey: KeyFile
    /// Answers by SMS arrive here.
    private(set) var hasReplies: Bool
    /// Reads gateways from settings; nil where these never change.
    var makeOutgoing: ((Configuration) throws -> Outgoing)?
    /// Nil where nobody wants one.
    var heartbeat: Heartbeat?
    /// Guardians hear when a phone may fall silent.
    let tellsGuardiansOfBlindness: Bool
    var core: Notifier
    var accessRecords = AccessRecords()
    var counts = Counts()
    /// Attempts on their way, by the token of their transfer.
    private(set) var flights: [UInt64: Flight] = [:]
    /// Requests that may come again, until they are answered.
    var repeatable: [UInt64: KeptAnswers.Key] = [:]
    /// Tests that have no end yet, as they are shown.
    private var shownTests: [NotificationID: ShownTest] = [:]
    private var lastToken: UInt64 = 0
    private var nextPrune = Timestamp.zero
    /// What is kept long enough, and who is gone.
    private var pruning: Pruning
    private var erasures: Erasures

    struct Flight {
        var notification: NotificationID
        var attempt: Int
        var gateway: String
        var begun: Timestamp
    }

    init(
        outside: any Surroundings, store: NotifierStore, outgoing: Outgoing, zones: TimeZoneFolder,
        map: String, messageKey: KeyFile, hasReplies: Bool, emergencyDays: Int = 365,
        tellsGuardiansOfBlindness: Bool = true, heartbeat: Heartbeat? = nil
    ) {
        self.tellsGuardiansOfBlindness = tellsGuardiansOfBlindness
        self.outside = outside
        self.store = store
        pruning = Pruning(store: store, emergencyDays: emergencyDays)
        erasures = Erasures(store: store)
        keptAnswers = KeptAnswers(store.database)
        self.outgoing = outgoing
        self.zones = zones
        self.map = map
        self.messageKey = messageKey
        self.hasReplies = hasReplies
        self.heartbeat = heartbeat
        let empty = NotifierConfiguration(gateways: [], tokenSecret: [])
        core = Notifier(empty, from: NotifierRows(), at: .zero)
    }

    // MARK: Service

    func start() throws {
        try reload()
        try take(.started)
        for gateway in outgoing.gateways {
            let channels = gateway.channels.map(\.rawValue).sorted().joined(separator: ",")
            outside.log.info("gateway", ["name": gateway.name, "channels": channels])
        }
        warnOfSink()
    }

    private func warnOfSink() {
        guard let sentence = sinkSentence else { return }
        outside.log.warning(
            "nobody outside is reached",
            ["reason": sentence, "hint": "Set JAGA_SMS_GATEWAY or JAGA_MAIL_URL."])
    }

    func reload() throws {
        repeatable.removeAll()
        accessRecords.reset()
        shownTests.removeAll()
        forgetFlights()
        heartbeat?.giveUp()
        try pruning.load()
        try erasures.load()
        try readCore()
    }

    /// Takes gateways, map link and replies of the new settings. Messages that are being sent keep
    /// their gateway until it answers.
    func reconfigure(_ configuration: Configuration) throws {
        guard let makeOutgoing else { return }
        let before = (outgoing, map, hasReplies)
        let sentence = sinkSentence
        var new = try makeOutgoing(configuration)
        new.retired = outgoing.drivers.filter { new.driver($0.name) == nil }
        outgoing = new
        map = configuration.text("JAGA_MAP_URL")
        hasReplies = configuration.flag("JAGA_SMS_REPLIES")
        do { try readCore() } catch {
            (outgoing, map, hasReplies) = before
            throw error
        }
        try take(.started)
        if sinkSentence != sentence { warnOfSink() }
    }

    /// Goes on from what the store holds.
    private func readCore() throws {
        let secret = try store.secret("receipts") { SecureRandom.bytes(32) }
        let configuration = NotifierConfiguration(
            gateways: outgoing.gateways, tokenSecret: secret, map: map, hasReplies: hasReplies,
            tellsGuardiansOfBlindness: tellsGuardiansOfBlindness)
        core = Notifier(
            configuration, from: try store.atWork(at: outside.now), at: outside.now,
            after: outside.outage)
        for person in outside.replica.sortedPeople { learnZone(of: person) }
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        if case .messageRequested(let sealed) = event.body { return try open(sealed, of: event) }
        if stream == .directory { return try directoryChanged(event.body) }
        if case .clockUnwanted(let clock) = event.body, clock.rule == .canary {
            heartbeat?.heard(clock.id, at: outside.now)
            return beat()
        }
        try applyOnce(event)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        for event in events {
            if stream == .directory {
                try directoryChanged(event.body)
            } else {
                try applyOnce(event)
            }
        }
    }

    func restart(_ stream: StreamName) throws {
        switch stream {
        case .sos: try take(.ingestReplaced(nil))
        case .events(let partition): try take(.ingestReplaced(partition))
        default: break
        }
    }

    private func applyOnce(_ event: Event) throws {
        if case .retentionDue(let round) = event.body {
            // A clock that is far off forgets nothing, be it the timer's or ours.
            guard round.at <= outside.now + Limits.clocksApart else { return }
            try take(.publishReachability)
            try pruning.begin(round)
            return try erasures.beginRound(round)
        }
        guard event.concernsNotifier, try store.apply(event.id, at: outside.now) else { return }
        try take(.event(event))
    }

    func directoryWillChange(_ event: Event) throws {
        guard case .personRemoved(let removal) = event.body,
            let person = outside.replica.person(removal.person)
        else { return }
        try erasures.begin(person, at: outside.now)
    }

    private func directoryChanged(_ body: EventBody) throws {
        if case .personChanged(let person) = body { learnZone(of: person) }
        try take(.directory(body))
    }

    private func learnZone(of person: Person) {
        guard !core.knows(zone: person.timeZone), let rules = zones.rules(of: person.timeZone)
        else { return }
        core.learn(person.timeZone, rules)
    }

    func transferred(_ result: TransferResult) throws {
        if heartbeat?.take(result, at: outside.now, log: outside.log) == true { return beat() }
        guard let flight = flights[result.token],
            let driver = outgoing.answering(flight.gateway)
        else { return }
        if let test = shownTests[flight.notification] {
            shownTests[flight.notification]?.answer = driver.shown(
                result.outcome, to: test.message)
        }
        try ended(flight, driver.answer(to: result.outcome))
    }

    private func ended(_ flight: Flight, _ answer: GatewayAnswer) throws {
        counts.attempts[.init(gateway: flight.gateway, outcome: answer.verdict), default: 0] += 1
        try take(
            .attempted(
                AttemptResult(
                    notification: flight.notification, number: flight.attempt,
                    outcome: answer.verdict, answer: answer.words, gatewayMessage: answer.messageID,
                    retryAfter: answer.retryAfter, isOptOut: answer.isOptOut)))
    }

    /// Does what the heartbeat wants done now.
    private func beat() {
        for transfer in heartbeat?.departures() ?? [] { outside.start(transfer) }
    }

    func tick() throws {
        if let canary = heartbeat?.begin(at: outside.now, log: outside.log) {
            try outside.publish(canary, on: .deliveries)
            beat()
        }
        if let deadline = core.nextDeadline, deadline <= outside.now { try take(.tick) }
        if nextPrune <= outside.now {
            nextPrune = outside.now + Limits.pruneInterval
            forgetFlights()
            if try pruning.step(in: outside.replica) {
                nextPrune = outside.now + Limits.pruneAgain
            }
            try keptAnswers.forget(at: outside.now)
        }
        if erasures.isAtWork, try erasures.step(in: outside.replica) { try readCore() }
    }

    /// Those that ended stay for a while, as a turn that is taken back brings their ends again;
    /// so do those that went with such a turn and never begin. By then the core has given them up.
    private func forgetFlights() {
        flights = flights.filter { outside.now - $0.value.begun <= Limits.flightMax }
    }

    var nextDeadline: Timestamp? {
        if erasures.isAtWork { return outside.now }
        return [core.nextDeadline, heartbeat?.nextRound].compactMap(\.self).reduce(nextPrune, min)
    }

    // MARK: Inputs and effects

    /// Gives the core one input and does what it says.
    func take(_ input: Input) throws {
        var effects: [Effect] = []
        core.handle(input, at: outside.now, in: outside.replica, into: &effects)
        let last = lastOfEachMessage(effects)
        for (index, effect) in effects.enumerated() {
            if case .save(.notification(let row)) = effect, last[row.id] != index { continue }
            try perform(effect)
        }
    }

    /// A message changes several times in a turn; only its last row is worth writing.
    private func lastOfEachMessage(_ effects: [Effect]) -> [NotificationID: Int] {
        var last: [NotificationID: Int] = [:]
        for (index, effect) in effects.enumerated() {
            if case .save(.notification(let row)) = effect { last[row.id] = index }
        }
        return last
    }

    private func perform(_ effect: Effect) throws {
        switch effect {
        case .save(let row): try store.save(row)
        case .remove(let key): try store.remove(key)
        case .publish(let event): try outside.publish(event, on: .deliveries)
        case .send(let delivery): try send(delivery)
        case .answer(let request, let answer):
            let response = Documents.response(
                to: answer, in: outside.replica, at: outside.now, shown: shown(for: answer))
            if let key = repeatable.removeValue(forKey: request) {
                try keptAnswers.keep(response, to: key, at: outside.now)
            }
            outside.answer(request, response)
        case .warn(let warning): warn(warning)
        }
    }

    /// What went over the wire in a test, or would have, for whoever wanted it.
    private func shown(for answer: Answer) -> ShownTest? {
        switch answer {
        case .tested(let result): shownTests.removeValue(forKey: result.notification)
        case .wouldSend(let delivery):
            outgoing.driver(delivery.gateway).map {
                ShownTest(Outgoing.message(delivery, at: outside.now), by: $0)
            }
        default: nil
        }
    }

    /// Messages for the built-in sink are kept in the same transaction as their outcome.
    private func send(_ delivery: Delivery) throws {
        guard let driver = outgoing.driver(delivery.gateway) else { return }
        let flight = Flight(
            notification: delivery.notification, attempt: delivery.attempt,
            gateway: delivery.gateway, begun: outside.now)
        lastToken += 1
        let message = Outgoing.message(delivery, at: outside.now)
        if delivery.isTest {
            shownTests[delivery.notification] = ShownTest(message, by: driver)
        }
        let lane: Web.Lane = delivery.isSafety ? .safety : .ordinary
        switch driver.sending(message, token: lastToken, lane: lane) {
        case .transfer(let transfer):
            flights[lastToken] = flight
            outside.start(transfer)
        case .ended(let answer):
            if driver.isSink { try store.putIntoSink(delivery, at: outside.now) }
            try ended(flight, answer)
        }
    }

    private func warn(_ warning: Warning) {
        let log = outside.log
        switch warning {
        case .gatewayDown(let name, let outcome, let answer):
            log.warning(
                "gateway is down",
                [
                    "gateway": name, "outcome": outcome.rawValue, "answer": answer,
                    "hint": outcome.hint,
                ])
        case .gatewayUp(let name): log.info("gateway is up again", ["gateway": name])
        case .requestWithheld(let reason):
            log.info("a message that was asked for is not sent", ["reason": reason.rawValue])
        case .receiptForAnother(let id):
            log.warning("a receipt names another recipient", ["notification": id])
        case .nobodyReachable(let id):
            log.error("nobody can be told of an emergency", ["emergency": id])
        case .adopted(let id):
            counts.adopted += 1
            log.warning(
                "no evaluator answered in time: the ladder was opened here",
                ["emergency": id, "hint": "check that jaga-evaluator runs"])
        }
    }
}

extension AttemptOutcome {
    /// What an operator may do about it.
    fileprivate var hint: String {
        switch self {
        case .misconfigured: "check the gateway's user, password and sender"
        case .unreachable: "check that the gateway runs and its address is right"
        default: "look at GET /v1/gateways"
        }
    }
}

extension Event {
    /// Whether the notifier does anything about this kind of event.
    fileprivate var concernsNotifier: Bool {
        if case .clockUnwanted(let clock) = body { return clock.rule == .contact }
        return switch kind {
        case .zoneEntered, .zoneExited, .zoneApproached, .zoneDwelled, .zoneAbsent,
            .alarmStarted, .alarmRepeated, .alarmEnded, .messagesDue, .silenceOverdue,
            .silenceLost, .silenceEnded, .batteryLow, .phoneBlind, .emergencyCountdown,
            .emergencyOpened,
            .emergencyJoined,
            .emergencyCancelled, .emergencyAcknowledged, .emergencyResolved, .sosRaised,
            .sosCancelled, .sosLocated, .clockFired, .watchChanged, .watchExpired:
            true
        default: false
        }
    }
}
