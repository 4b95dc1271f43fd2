import Directory
import Gateways
import Hosting
import Model
import NotifierCore
import Runtime
import Web

/// Passes inputs to ``Notifier`` and performs its effects.
final class CoreRunner {
    let host: any NotifierHost
    let store: NotifierStore
    private let zones: TimeZoneFolder
    private(set) var core: Notifier
    private(set) var settings: NotifierSettings
    private(set) var transfers = Transfers()
    var counts = Counts()
    var answers: PendingAnswers

    init(
        host: any NotifierHost, store: NotifierStore, zones: TimeZoneFolder,
        settings: NotifierSettings
    ) {
        self.host = host
        self.store = store
        self.zones = zones
        self.settings = settings
        answers = PendingAnswers(store.database)
        let empty = NotifierConfiguration(gateways: [], tokenSecret: [])
        core = Notifier(empty, from: NotifierRows(), at: .zero)
    }

    var registry: GatewayRegistry { settings.registry }

    /// What the requests of this turn read.
    var requestContext: RequestContext {
        RequestContext(
            now: host.now, directory: host.replica, store: store, registry: registry,
            readCore: { [unowned self] in core })
    }

    // MARK: Loading

    /// Forgets what a rolled-back turn left, and rebuilds the core.
    func reload() throws {
        answers.reset()
        transfers.reset(at: host.now)
        try load()
    }

    /// Rebuilds the core from the store.
    func load() throws {
        let secret = try store.secret("receipts") { SecureRandom.bytes(32) }
        answers.linkPages = LinkPages(key: secret, publicURL: settings.publicURL)
        answers.livePages = LivePages(
            key: secret, isPublicSecure: settings.publicURL?.hasPrefix("https://") ?? false)
        answers.questionPages = QuestionPages(key: secret, publicURL: settings.publicURL)
        core = Notifier(
            settings.coreConfiguration(secret: secret), from: try store.activeRows(at: host.now),
            at: host.now, after: host.outage)
        for person in host.replica.sortedPeople { loadTimeZone(of: person) }
    }

    /// Rebuilds the core with other settings; keeps the old ones if that fails.
    func use(_ new: NotifierSettings) throws {
        let before = settings
        settings = new
        do { try load() } catch {
            settings = before
            throw error
        }
    }

    func loadTimeZone(of person: Person) {
        guard !core.hasTimeZone(person.timeZone), let rules = zones.rules(of: person.timeZone)
        else { return }
        core.setTimeZone(person.timeZone, rules)
    }

    // MARK: Inputs and effects

    /// Passes one input to the core and performs its effects.
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
            let response = try answers.response(
                to: answer, of: request, requestContext, base: settings.publicURL
            ) {
                transfers.exchange(for: answer, registry, at: host.now)
            }
            if let delay = answers.popDelay(of: request) {
                return host.answer(request, response, after: delay)
            }
            host.answer(request, response)
        case .answerPage(let request, let outcome):
            let page = answers.questionPages.response(to: outcome, of: request, requestContext)
            if let page { host.answer(request, page) }
        case .warn(let warning):
            if case .openedByFallback = warning { counts.openedByFallback += 1 }
            warning.write(to: host.log)
        }
    }

    // MARK: Attempts

    private func send(_ message: OutgoingMessage) throws {
        switch transfers.start(message, registry, at: host.now) {
        case .transfer(let transfer): host.start(transfer)
        case .ended(let attempt, let answer, let isSink):
            if isSink { try store.appendToSink(message, at: host.now) }
            try finish(attempt, answer)
        case nil: break
        }
    }

    /// Handles the end of a transfer of an attempt.
    func transferCompleted(_ result: TransferResult) throws {
        guard let (attempt, answer) = transfers.completed(result, registry) else { return }
        try finish(attempt, answer)
    }

    private func finish(_ attempt: Transfers.InFlightAttempt, _ answer: GatewayAnswer) throws {
        counts.attempts[.init(gateway: attempt.gateway, outcome: answer.verdict), default: 0] += 1
        try submit(.attempted(attempt.result(answer)))
    }

    /// Removes transfers whose results can no longer arrive.
    func pruneTransfers() { transfers.prune(at: host.now) }
}
