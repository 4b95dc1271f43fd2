import API
import Directory
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
final class NotifierService: Service, WatchesDirectory, ReadsSnapshots, RereadsStreams,
    StartsTransfers, Reconfigures, HoldsItems
{
    let host: any NotifierHost
    let store: NotifierStore
    let idempotencyStore: IdempotencyStore
    private(set) var registry: GatewayRegistry
    let zones: TimeZoneFolder
    private(set) var map: String
    let sealedMessages: SealedMessages
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
    private(set) var transfers = Transfers()
    private let live: LiveStreams
    /// Base URL of links in messages; nil = none.
    private let publicURL: String?
    private var linkPages: LinkPages
    /// Idempotency keys of requests that are not answered yet.
    var idempotencyKeys: [UInt64: IdempotencyStore.Key] = [:]
    private var nextPrune = Timestamp.zero
    /// Pruning of old rows.
    private var pruning: Pruning
    private var erasures: Erasures

    init(
        host: any NotifierHost, store: NotifierStore, registry: GatewayRegistry,
        zones: TimeZoneFolder,
        map: String, messageKey: KeyFile, hasReplies: Bool, emergencyDays: Int = 365,
        notifiesGuardiansOfImpairment: Bool = true, heartbeat: Heartbeat? = nil,
        publicURL: String? = nil
    ) {
        self.publicURL = publicURL
        linkPages = LinkPages(key: [], publicURL: publicURL)
        self.notifiesGuardiansOfImpairment = notifiesGuardiansOfImpairment
        self.host = host
        self.store = store
        pruning = Pruning(store: store, emergencyDays: emergencyDays)
        erasures = Erasures(store: store)
        idempotencyStore = IdempotencyStore(store.database)
        self.registry = registry
        self.zones = zones
        self.map = map
        sealedMessages = SealedMessages(key: messageKey)
        live = LiveStreams(host, LiveTable(database: store.database), key: messageKey)
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
        guard let sentence = registry.sinkNotice else { return }
        host.log.warning(
            "nobody outside is reached",
            ["reason": sentence, "hint": "Set JAGA_SMS_GATEWAY or JAGA_MAIL_URL."])
    }

    func reload() throws {
        idempotencyKeys.removeAll()
        accessRecords.reset()
        transfers.reset(at: host.now)
        heartbeat?.abandonRound()
        try pruning.load()
        try erasures.load()
        try live.reload()
        try reloadCore()
    }

    /// Applies gateways, map link and replies of new settings. In-flight messages keep their
    /// gateway.
    func reconfigure(_ configuration: Configuration) throws {
        guard let makeGatewayRegistry else { return }
        let before = (registry, map, hasReplies)
        let sentence = registry.sinkNotice
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
        if registry.sinkNotice != sentence { warnAboutSink() }
    }

    /// Rebuilds the core from the store.
    private func reloadCore() throws {
        let secret = try store.secret("receipts") { SecureRandom.bytes(32) }
        let configuration = NotifierConfiguration(
            gateways: registry.gateways, tokenSecret: secret, map: map, hasReplies: hasReplies,
            notifiesGuardiansOfImpairment: notifiesGuardiansOfImpairment, publicURL: publicURL)
        linkPages = LinkPages(key: secret, publicURL: publicURL)
        core = Notifier(
            configuration, from: try store.activeRows(at: host.now), at: host.now,
            after: host.outage)
        for person in host.replica.sortedPeople { loadTimeZone(of: person) }
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        if stream == .directory { try live.apply(event, at: position) }
        if case .messageRequested(let sealed) = event.body { return try open(sealed, of: event) }
        if stream == .directory { return try directoryChanged(event.body) }
        if case .deadlineCancelled(let deadline) = event.body, deadline.kind == .canary {
            heartbeat?.canaryReturned(deadline.id, at: host.now)
            return startHeartbeatTransfers()
        }
        try applyOnce(event)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        if stream == .directory { try live.restart() }
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
        switch event.kind {
        // Applied twice they change nothing, and there are many.
        case .sosPosition, .deviceReporting: return try submit(.event(event))
        default: break
        }
        guard event.concernsNotifier, try store.apply(event.id, at: host.now) else { return }
        try submit(.event(event))
    }

    /// Opens a sealed request, once.
    private func open(_ sealed: SealedMessage, of event: Event) throws {
        guard try store.apply(event.id, at: host.now) else { return }
        let request: RequestedMessage
        do { request = try sealedMessages.open(sealed) } catch {
            return host.log.error(error, ["lost": "requested message"])
        }
        try submit(.requested(request, by: event.id, expires: sealed.expires, trace: event.trace))
    }

    func directoryWillChange(_ event: Event) throws {
        live.directoryWillChange(event)
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
        guard let (attempt, answer) = transfers.completed(result, registry) else { return }
        try finish(attempt, answer)
    }

    private func finish(_ attempt: Transfers.InFlightAttempt, _ answer: GatewayAnswer) throws {
        counts.attempts[.init(gateway: attempt.gateway, outcome: answer.verdict), default: 0] += 1
        try submit(.attempted(attempt.result(answer)))
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
            transfers.prune(at: host.now)
            if try pruning.step(in: host.replica) {
                nextPrune = host.now + Limits.pruneRepeatInterval
            }
            try idempotencyStore.prune(at: host.now)
        }
        if erasures.isActive, try erasures.step(in: host.replica) { try reloadCore() }
        try live.tick()
    }

    var nextDeadline: Timestamp? {
        if erasures.isActive { return host.now }
        return [core.nextDeadline, heartbeat?.nextRound, live.nextDeadline].compactMap(\.self)
            .reduce(nextPrune, min)
    }

    // MARK: Inputs and effects

    /// Submits one input to the core and performs its effects.
    func submit(_ input: Input) throws {
        var turn = Turn<Effect>(now: host.now, directory: host.replica)
        core.handle(input, &turn)
        let last = lastOfEachMessage(turn.effects)
        for (index, effect) in turn.effects.enumerated() {
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
        case .send(let message): try send(message)
        case .answer(let request, let answer):
            if let page = linkPages.response(to: answer, of: request, requestContext) {
                return host.answer(request, page)
            }
            let response = Documents.response(
                to: answer, in: host.replica, at: host.now,
                shown: transfers.exchange(for: answer, registry, at: host.now))
            if let key = idempotencyKeys.removeValue(forKey: request) {
                try idempotencyStore.store(response, to: key, at: host.now)
            }
            host.answer(request, response)
        case .warn(let warning): warn(warning)
        }
    }

    private func send(_ message: OutgoingMessage) throws {
        switch transfers.start(message, registry, at: host.now) {
        case .transfer(let transfer): host.start(transfer)
        case .ended(let attempt, let answer, let isSink):
            if isSink { try store.appendToSink(message, at: host.now) }
            try finish(attempt, answer)
        case nil: break
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

    // MARK: Requests

    static let router = Router(NotifierOperation.table)

    func handle(_ request: Request) throws {
        switch Self.router.route(request) {
        case .answered(let response): host.answer(request.id, response)
        case .found(let found, let parameters):
            do {
                try handle(request, found, parameters)
            } catch let problem as Problem {
                idempotencyKeys[request.id] = nil
                host.answer(request.id, .problem(problem))
            }
        }
    }

    private func handle(
        _ request: Request, _ found: RoutedOperation<NotifierOperation>, _ parameters: Parameters
    ) throws {
        let context = requestContext
        if found.id == .emergencyPage {
            return try handleLink(request, token: parameters["token"], context)
        }
        if found.id == .receipt || found.id == .reply {
            let callbacks = GatewayCallbacks(context: context)
            let token = parameters["token"]
            let (response, input) =
                found.id == .receipt
                ? try callbacks.receipt(request, token: token, &counts)
                : try callbacks.reply(request, token: token, &counts, host.log)
            host.answer(request.id, response)
            if let input { try submit(input) }
            return
        }
        let principal = try principal(of: request)
        // Commands about emergencies are idempotent while their effect lasts and must count again
        // afterwards, so their answers are not stored.
        let key = try IdempotencyStore.Key(request, as: found.operation.repetition)
        if let key, let first = try idempotencyStore.response(to: key, at: host.now) {
            return host.answer(request.id, first)
        }
        idempotencyKeys[request.id] = key
        if case .rights(let actions) = found.operation.access {
            for action in actions where action.target == .suite {
                try context.require(action, of: principal, on: .suite)
            }
        }
        if found.operation.canWait, host.diskPressure == .short {
            throw Problem.diskNearlyFull("test messages")
        }
        if found.id == .live { return try live.open(request, by: principal) }
        let reason = try request.accessReason()
        switch try outcome(of: request, found.id, parameters, by: principal, context) {
        case .respond(let response, let people):
            try accessRecords.record(
                people, by: principal.person, as: found.id.accessKind, reason: reason, host)
            host.answer(request.id, response)
        case .submit(let input): try submit(input)
        }
    }

    private var requestContext: RequestContext {
        RequestContext(
            now: host.now, directory: host.replica, store: store, registry: registry,
            readCore: { [unowned self] in core })
    }

    private func handleLink(
        _ request: Request, token: String, _ context: RequestContext
    ) throws {
        switch linkPages.outcome(of: request, token: token, context) {
        case .respond(let response): host.answer(request.id, response)
        case .show(let response, let look, let person, let viewer):
            try accessRecords.record([person], by: viewer, as: .emergency, reason: nil, host)
            host.answer(request.id, response)
            if let look { try submit(.look(look)) }
        case .submit(let input): try submit(input)
        }
    }

    private func outcome(
        of request: Request, _ operation: NotifierOperation, _ parameters: Parameters,
        by principal: Principal, _ context: RequestContext
    ) throws -> RequestOutcome {
        let escalations = EscalationRequests(context: context)
        let notifications = NotificationRequests(context: context)
        let gateways = GatewayRequests(context: context)
        let drafts = DraftRequests(context: context)
        let optOuts = OptOutRequests(context: context)
        switch operation {
        case .acknowledgement:
            return .submit(
                .acknowledge(try escalations.command(request, parameters, by: principal)))
        case .withdrawal:
            return .submit(.withdraw(try escalations.command(request, parameters, by: principal)))
        case .acknowledgementByReference:
            return .submit(
                .acknowledgeByReference(
                    try escalations.referenceCommand(request, parameters, by: principal)))
        case .resolution:
            return .submit(.resolve(try escalations.command(request, parameters, by: principal)))
        case .confirmation:
            return .submit(.confirmEnd(try escalations.command(request, parameters, by: principal)))
        case .reopening:
            return .submit(.reopen(try escalations.command(request, parameters, by: principal)))
        case .escalations: return try escalations.list(request, for: principal.person)
        case .escalation:
            return try escalations.show(
                try parameters.id("emergency", EmergencyID.self), for: principal.person, host.log)
        case .rights:
            return try escalations.rights(
                in: try parameters.id("emergency", EmergencyID.self), request, of: principal)
        case .timeline:
            return try TimelineRequests(context: context).timeline(
                of: try parameters.id("circle", CircleID.self), request, for: principal)
        case .reachability:
            return try ReachabilityRequests(context: context).reachability(
                of: try parameters.id("circle", CircleID.self), for: principal)
        case .personNotifications:
            return try notifications.list(
                ofPerson: try parameters.id("person", PersonID.self), request, for: principal)
        case .notifications: return try notifications.list(request)
        case .notification:
            return try notifications.show(try parameters.id("notification", NotificationID.self))
        case .outbox: return try notifications.outbox(request)
        case .gateways: return gateways.list()
        case .gatewayTest: return try gateways.test(request, gateway: parameters["gateway"])
        case .drafts:
            return try drafts.list(
                of: try parameters.id("person", PersonID.self), request, for: principal)
        case .sendDraft: return try drafts.send(request, parameters, by: principal)
        case .optOuts: return try optOuts.list(request)
        case .setOptOut: return try optOuts.set(request)
        case .receipt, .reply, .live, .emergencyPage:
            throw Problem.notFound("not a request of this kind")
        }
    }

    /// Authenticates a request.
    ///
    /// - Throws: 401 for missing or invalid credentials, 503 if the directory replica may be
    ///   outdated
    private func principal(of request: Request) throws(Problem) -> Principal {
        if let principal = host.principal(of: request) { return principal }
        if request.token != nil, !host.isDirectoryFresh {
            throw .unavailable("credentials cannot be checked right now")
        }
        counts.unauthorized += 1
        throw .unauthorized(
            "the credentials are missing or wrong",
            hint: "send a token as Bearer, or as the password of Basic")
    }

    // MARK: Held items

    var heldEntries: [HeldEntry] { core.heldSummaries.map(HeldEntry.init) }

    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        let named = Set(entries.map(\.id))
        let items = core.heldSummaries.map(\.item).filter { isAll || named.contains($0.text) }
        try submit(isDropped ? .drop(items) : .release(items))
    }

    // MARK: Status

    var healthProblems: [String] { core.delivery.healthProblems }

    var concerns: [String] { registry.sinkNotice.map { [$0] } ?? [] }

    var alarms: [String] {
        let unacknowledged = core.escalation.unacknowledged(at: host.now).map { id in
            "emergency \(id) is not acknowledged; run jaga emergency show \(id)"
        }
        guard let end = core.holdEnds else { return unacknowledged }
        return unacknowledged + [
            "\(core.heldSummaries.count) overdue items are held until \(end); run jaga held list"
        ]
    }

    func writeMetrics(_ metrics: Metrics) {
        counts.write(to: metrics, core: core, at: host.now)
        metrics.gauge(
            "jaga_nobody_outside_reached", "1 = messages go to the built-in sink only."
        ).set(registry.sinkNotice == nil ? 0 : 1)
        heartbeat?.write(to: metrics)
        live.writeMetrics(metrics)
    }

    var statusDetails: JSON {
        let lanes = core.delivery.load.filter { $0.waiting + $0.inFlight > 0 }.map { lane -> JSON in
            [
                "lane": .string(lane.kind.rawValue),
                "channel": .string(lane.channel.rawValue),
                "waiting": .integer(Int64(lane.waiting)),
                "inFlight": .integer(Int64(lane.inFlight)),
            ]
        }
        return [
            "openEmergencies": .integer(Int64(core.escalation.count(in: .open))),
            "acknowledgedEmergencies": .integer(Int64(core.escalation.count(in: .acknowledged))),
            "lanes": .array(lanes),
            "retrying": .integer(Int64(core.delivery.waitingForRetry)),
            "gateways": .array(core.delivery.health.map { Documents.gateway($0, replies: nil) }),
            "heartbeat": heartbeat?.json ?? .null,
        ]
    }
}

extension AttemptOutcome {
    /// What the operator can do.
    fileprivate var hint: String {
        switch self {
        case .misconfigured: "Check the gateway's user, password and sender."
        case .unreachable: "Check that the gateway is running and its URL is correct."
        case .accepted, .sink, .rejected, .unroutable, .later, .unknown:
            "Read GET /v1/gateways."
        }
    }
}

extension Event {
    /// Whether the notifier handles this kind of event.
    fileprivate var concernsNotifier: Bool {
        if case .deadlineCancelled(let deadline) = body { return deadline.kind == .contact }
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

extension NotifierOperation {
    /// What the access log calls a reading of its answer.
    fileprivate var accessKind: AccessKind {
        switch self {
        case .timeline: .timeline
        case .personNotifications, .notifications, .notification: .messages
        case .outbox: .outbox
        case .escalations, .escalation: .emergency
        case .acknowledgement, .acknowledgementByReference, .withdrawal, .emergencyPage,
            .confirmation, .resolution, .reopening, .gateways, .gatewayTest, .receipt,
            .drafts, .sendDraft, .optOuts, .setOptOut, .reply, .reachability, .live, .rights:
            .unspecified
        }
    }
}
