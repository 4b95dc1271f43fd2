import Gateways
import Hosting
import Model
import NotifierCore
import Parsing
import Runtime
import Web
import Wire

/// Shell around ``Notifier``: turns records, requests and transfer results into inputs, and effects
/// into rows, records, responses and transfers.
final class NotifierService: Service {
    let host: any NotifierHost
    let store: NotifierStore
    let idempotencyStore: IdempotencyStore
    private(set) var registry: GatewayRegistry
    let zones: TimeZoneFolder
    private(set) var map: String
    /// Key for messages that membership sealed.
    let messageKey: KeyFile
    /// Whether replies by SMS are received.
    private(set) var hasReplies: Bool
    /// Builds the registry from settings; nil in tests without reconfiguration.
    var makeGatewayRegistry: ((Configuration) throws -> GatewayRegistry)?
    /// Nil if not configured.
    var heartbeat: Heartbeat?
    /// Whether guardians are notified when a phone may stop reporting.
    let notifiesGuardiansOfImpairment: Bool
    var core: Notifier
    var accessRecords = AccessRecords()
    var counts = Counts()
    /// In-flight attempts, by transfer token.
    private(set) var inFlightAttempts: [UInt64: InFlightAttempt] = [:]
    /// Idempotency keys of requests that are not answered yet.
    var idempotencyKeys: [UInt64: IdempotencyStore.Key] = [:]
    /// Gateway tests without a result.
    private var testExchanges: [NotificationID: TestExchange] = [:]
    private var lastToken: UInt64 = 0
    private var nextPrune = Timestamp.zero
    /// Pruning of old rows.
    private var pruning: Pruning
    private var erasures: Erasures

    struct InFlightAttempt {
        var notification: NotificationID
        var attempt: Int
        var gateway: String
        var begun: Timestamp
    }

    init(
        host: any NotifierHost, store: NotifierStore, registry: GatewayRegistry,
        zones: TimeZoneFolder,
        map: String, messageKey: KeyFile, hasReplies: Bool, emergencyDays: Int = 365,
        notifiesGuardiansOfImpairment: Bool = true, heartbeat: Heartbeat? = nil
    ) {
        self.notifiesGuardiansOfImpairment = notifiesGuardiansOfImpairment
        self.host = host
        self.store = store
        pruning = Pruning(store: store, emergencyDays: emergencyDays)
        erasures = Erasures(store: store)
        idempotencyStore = IdempotencyStore(store.database)
        self.registry = registry
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
        try submit(.started)
        for gateway in registry.gateways {
            let channels = gateway.channels.map(\.rawValue).sorted().joined(separator: ",")
            host.log.info("gateway configured", ["name": gateway.name, "channels": channels])
        }
        warnAboutSink()
    }

    private func warnAboutSink() {
        guard let sentence = sinkNotice else { return }
        host.log.warning(
            "nobody outside is reached",
            ["reason": sentence, "hint": "Set JAGA_SMS_GATEWAY or JAGA_MAIL_URL."])
    }

    func reload() throws {
        idempotencyKeys.removeAll()
        accessRecords.reset()
        testExchanges.removeAll()
        pruneInFlightAttempts()
        heartbeat?.abandonRound()
        try pruning.load()
        try erasures.load()
        try reloadCore()
    }

    /// Applies gateways, map link and replies of new settings. In-flight messages keep their
    /// gateway.
    func reconfigure(_ configuration: Configuration) throws {
        guard let makeGatewayRegistry else { return }
        let before = (registry, map, hasReplies)
        let sentence = sinkNotice
        var new = try makeGatewayRegistry(configuration)
        new.retired = registry.drivers.filter { new.driver($0.name) == nil }
        registry = new
        map = configuration.text("JAGA_MAP_URL")
        hasReplies = configuration.flag("JAGA_SMS_REPLIES")
        do { try reloadCore() } catch {
            (registry, map, hasReplies) = before
            throw error
        }
        try submit(.started)
        if sinkNotice != sentence { warnAboutSink() }
    }

    /// Rebuilds the core from the store.
    private func reloadCore() throws {
        let secret = try store.secret("receipts") { SecureRandom.bytes(32) }
        let configuration = NotifierConfiguration(
            gateways: registry.gateways, tokenSecret: secret, map: map, hasReplies: hasReplies,
            notifiesGuardiansOfImpairment: notifiesGuardiansOfImpairment)
        core = Notifier(
            configuration, from: try store.activeRows(at: host.now), at: host.now,
            after: host.outage)
        for person in host.replica.sortedPeople { loadTimeZone(of: person) }
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        if case .messageRequested(let sealed) = event.body { return try open(sealed, of: event) }
        if stream == .directory { return try directoryChanged(event.body) }
        if case .deadlineCancelled(let deadline) = event.body, deadline.rule == .canary {
            heartbeat?.canaryReturned(deadline.id, at: host.now)
            return startHeartbeatTransfers()
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
        case .sos: try submit(.ingestReplaced(nil))
        case .events(let partition): try submit(.ingestReplaced(partition))
        default: break
        }
    }

    private func applyOnce(_ event: Event) throws {
        if case .retentionDue(let round) = event.body {
            // With such a difference, the timer's clock or ours is wrong.
            guard round.at <= host.now + Limits.clockSkewMax else { return }
            try submit(.publishReachability)
            try pruning.begin(round)
            return try erasures.beginRound(round)
        }
        guard event.concernsNotifier, try store.apply(event.id, at: host.now) else { return }
        try submit(.event(event))
    }

    func directoryWillChange(_ event: Event) throws {
        guard case .personRemoved(let removal) = event.body,
            let person = host.replica.person(removal.person)
        else { return }
        try erasures.begin(person, at: host.now)
    }

    private func directoryChanged(_ body: EventBody) throws {
        if case .personChanged(let person) = body { loadTimeZone(of: person) }
        try submit(.directory(body))
    }

    private func loadTimeZone(of person: Person) {
        guard !core.hasTimeZone(person.timeZone), let rules = zones.rules(of: person.timeZone)
        else { return }
        core.setTimeZone(person.timeZone, rules)
    }

    func transferCompleted(_ result: TransferResult) throws {
        if heartbeat?.handle(result, at: host.now, log: host.log) == true {
            return startHeartbeatTransfers()
        }
        guard let attempt = inFlightAttempts[result.token],
            let driver = registry.answering(attempt.gateway)
        else { return }
        if let test = testExchanges[attempt.notification] {
            testExchanges[attempt.notification]?.answer = driver.maskedAnswer(
                result.outcome, to: test.message)
        }
        try finish(attempt, driver.answer(to: result.outcome))
    }

    private func finish(_ attempt: InFlightAttempt, _ answer: GatewayAnswer) throws {
        counts.attempts[.init(gateway: attempt.gateway, outcome: answer.verdict), default: 0] += 1
        try submit(
            .attempted(
                AttemptResult(
                    notification: attempt.notification, number: attempt.attempt,
                    outcome: answer.verdict, answer: answer.detail,
                    gatewayMessage: answer.messageID,
                    retryAfter: answer.retryAfter, isOptOut: answer.isOptOut)))
    }

    /// Starts the heartbeat's pending transfers.
    private func startHeartbeatTransfers() {
        for transfer in heartbeat?.popTransfers() ?? [] { host.start(transfer) }
    }

    func tick() throws {
        if let canary = heartbeat?.beginRound(at: host.now, log: host.log) {
            try host.publish(canary, on: .deliveries)
            startHeartbeatTransfers()
        }
        if let deadline = core.nextDeadline, deadline <= host.now { try submit(.tick) }
        if nextPrune <= host.now {
            nextPrune = host.now + Limits.pruneInterval
            pruneInFlightAttempts()
            if try pruning.step(in: host.replica) {
                nextPrune = host.now + Limits.pruneRepeatInterval
            }
            try idempotencyStore.prune(at: host.now)
        }
        if erasures.isActive, try erasures.step(in: host.replica) { try reloadCore() }
    }

    /// Removes old in-flight attempts. Ended ones are kept for a while, because a rolled-back turn
    /// delivers their results again.
    private func pruneInFlightAttempts() {
        inFlightAttempts = inFlightAttempts.filter {
            host.now - $0.value.begun <= Limits.attemptTimeout
        }
    }

    var nextDeadline: Timestamp? {
        if erasures.isActive { return host.now }
        return [core.nextDeadline, heartbeat?.nextRound].compactMap(\.self).reduce(nextPrune, min)
    }

    // MARK: Inputs and effects

    /// Submits one input to the core and performs its effects.
    func submit(_ input: Input) throws {
        var effects: [Effect] = []
        core.handle(input, at: host.now, in: host.replica, into: &effects)
        let last = lastOfEachMessage(effects)
        for (index, effect) in effects.enumerated() {
            if case .save(.notification(let row)) = effect, last[row.id] != index { continue }
            try perform(effect)
        }
    }

    /// Only the last of several changes of a message in a turn is written.
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
        case .publish(let event): try host.publish(event, on: .deliveries)
        case .send(let delivery): try send(delivery)
        case .answer(let request, let answer):
            let response = Documents.response(
                to: answer, in: host.replica, at: host.now, shown: shown(for: answer))
            if let key = idempotencyKeys.removeValue(forKey: request) {
                try idempotencyStore.store(response, to: key, at: host.now)
            }
            host.answer(request, response)
        case .warn(let warning): warn(warning)
        }
    }

    /// Request and response of a gateway test.
    private func shown(for answer: Answer) -> TestExchange? {
        switch answer {
        case .tested(let result): testExchanges.removeValue(forKey: result.notification)
        case .wouldSend(let delivery):
            registry.driver(delivery.gateway).map {
                TestExchange(GatewayRegistry.message(delivery, at: host.now), by: $0)
            }
        default: nil
        }
    }

    /// Sends a message. The built-in sink stores it in the transaction of its outcome.
    private func send(_ delivery: Delivery) throws {
        guard let driver = registry.driver(delivery.gateway) else { return }
        let attempt = InFlightAttempt(
            notification: delivery.notification, attempt: delivery.attempt,
            gateway: delivery.gateway, begun: host.now)
        lastToken += 1
        let message = GatewayRegistry.message(delivery, at: host.now)
        if delivery.isTest {
            testExchanges[delivery.notification] = TestExchange(message, by: driver)
        }
        let lane: Web.Lane = delivery.isSafety ? .safety : .ordinary
        switch driver.prepare(message, token: lastToken, lane: lane) {
        case .transfer(let transfer):
            inFlightAttempts[lastToken] = attempt
            host.start(transfer)
        case .ended(let answer):
            if driver.isSink { try store.appendToSink(delivery, at: host.now) }
            try finish(attempt, answer)
        }
    }

    private func warn(_ warning: Warning) {
        let log = host.log
        switch warning {
        case .gatewayDown(let name, let outcome, let answer):
            log.warning(
                "gateway is down",
                [
                    "gateway": name, "outcome": outcome.rawValue, "answer": answer,
                    "hint": outcome.hint,
                ])
        case .gatewayUp(let name): log.info("gateway is up", ["gateway": name])
        case .requestSuppressed(let reason):
            log.info("requested message suppressed", ["reason": reason.rawValue])
        case .receiptForAnother(let id):
            log.warning("receipt names another recipient", ["notification": id])
        case .nobodyReachable(let id):
            log.error("no recipient of an emergency is reachable", ["emergency": id])
        case .openedByFallback(let id):
            counts.openedByFallback += 1
            log.warning(
                "escalation opened without an evaluator",
                ["emergency": id, "hint": "Check that jaga-evaluator is running."])
        }
    }
}

extension AttemptOutcome {
    /// What the operator can do.
    fileprivate var hint: String {
        switch self {
        case .misconfigured: "Check the gateway's user, password and sender."
        case .unreachable: "Check that the gateway is running and its URL is correct."
        default: "Read GET /v1/gateways."
        }
    }
}

extension Event {
    /// Whether the notifier handles this kind of event.
    fileprivate var concernsNotifier: Bool {
        if case .deadlineCancelled(let deadline) = body { return deadline.rule == .contact }
        return switch kind {
        case .zoneEntered, .zoneExited, .zoneApproached, .zoneDwelled, .zoneAbsent,
            .alarmStarted, .alarmRepeated, .alarmEnded, .messagesDue, .contactOverdue,
            .contactLost, .contactOK, .batteryLow, .deviceImpaired, .emergencyCountdown,
            .emergencyOpened,
            .emergencyJoined,
            .emergencyCancelled, .emergencyAcknowledged, .emergencyResolved, .sosRaised,
            .sosCancelled, .sosLocated, .deadlineExpired, .watchChanged, .watchExpired:
            true
        default: false
        }
    }
}
