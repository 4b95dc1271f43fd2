import Model
import Runtime
import Store
import Web

/// Transactions of a host. Each commits first, and only then sends responses, records and
/// transfers.
final class TurnRunner {
    private let context: HostContext
    private let records: RecordApplier
    private let committed, rolledBack: Counter

    // Outputs of the turn, sent after COMMIT.
    private var pendingResponses: [(id: UInt64, response: Response, delay: Duration)] = []
    private var pendingSteps: [(id: UInt64, step: StreamStep)] = []
    private var pendingTransfers: [Transfer] = []
    /// Responses of committed turns that leave later.
    private var delayed = DelayedResponses()
    /// Requests that the service has not answered yet.
    private var outstanding: Set<UInt64> = []
    /// Results of a turn that was rolled back; the next turn handles them again.
    private var unhandledResults: [TransferResult] = []
    /// Emergency requests of the turn that failed last; each is retried alone at once.
    private(set) var sparedEmergencies: [Request] = []
    /// Why the last turn was rolled back; nil after a commit.
    private(set) var lastFailure: String?
    /// Whether the last turn was rolled back because of a record.
    private(set) var didRecordFail = false
    /// Whether the service could not be reloaded after a rollback.
    private(set) var hasLostService = false
    /// The last failure that was logged, to limit repetitions.
    private var logged: (text: String, at: Timestamp)?

    init(_ context: HostContext, _ records: RecordApplier) {
        self.context = context
        self.records = records
        rolledBack = context.metrics.counter(
            "jaga_turns_rolled_back_total", "Turns whose transaction was rolled back.")
        committed = context.metrics.counter("jaga_turns_total", "Turns committed.")
    }

    // MARK: Outputs, sent after COMMIT

    func answer(_ id: UInt64, _ response: Response, after delay: Duration = .zero) {
        pendingResponses.append((id, response, delay))
    }

    func stream(_ id: UInt64, _ step: StreamStep) { pendingSteps.append((id, step)) }

    func start(_ transfer: Transfer) { pendingTransfers.append(transfer) }

    /// Returns the results of rolled-back turns, which have to be handled again.
    func popUnhandledResults() -> [TransferResult] {
        defer { unhandledResults = [] }
        return unhandledResults
    }

    /// Sends the outputs of the committed turn.
    func sendOutputs() {
        context.bus.committed()
        for answer in pendingResponses {
            outstanding.remove(answer.id)
            if answer.delay > .zero {
                delayed.add(answer.response, to: answer.id, due: context.now + answer.delay)
            } else {
                context.parts.server.answer(answer.id, answer.response)
            }
        }
        pendingResponses.removeAll(keepingCapacity: true)
        for (id, step) in pendingSteps {
            outstanding.remove(id)
            context.parts.server.stream(id, step)
        }
        pendingSteps.removeAll(keepingCapacity: true)
        if !context.parts.isDryRun {
            for transfer in pendingTransfers { context.parts.transfers.start(transfer) }
        }
        pendingTransfers.removeAll(keepingCapacity: true)
    }

    /// Sends the delayed responses that are due.
    func sendDelayed() {
        for (id, response) in delayed.popDue(at: context.now) {
            context.parts.server.answer(id, response)
        }
    }

    /// When the next delayed response is due; nil = none waits.
    var nextDelayed: Timestamp? { delayed.nextDue }

    /// Sends all delayed responses, at the end of the process.
    func sendAllDelayed() {
        for (id, response) in delayed.popAll() { context.parts.server.answer(id, response) }
    }

    // MARK: Turns

    /// Runs one turn: one transaction, then its outputs.
    ///
    /// - Parameters:
    ///   - emergencyCandidates: requests of the turn that may raise emergencies. If the turn fails
    ///     for another reason than the store, those that do are not answered with 503 but put into
    ///     ``sparedEmergencies``.
    ///   - failed: called if the turn fails, to return the results that the next turn handles
    ///     again; by default all
    /// - Returns: whether the turn was committed
    @discardableResult
    func turn(
        requests: [UInt64], results: [TransferResult], emergencyCandidates: [Request] = [],
        failed: ((any Error) -> [TransferResult])? = nil, _ body: (any Service) throws -> Void
    ) -> Bool {
        sparedEmergencies = []
        guard let service = context.service else { return false }
        outstanding.formUnion(requests)
        do {
            try context.database.begin()
            try body(service)
            try context.database.commit()
        } catch {
            if releaseReserve(for: error, retrying: requests) {
                return turn(
                    requests: requests, results: results, emergencyCandidates: emergencyCandidates,
                    failed: failed, body)
            }
            if (error as? StoreError)?.isStoreFailure != true {
                sparedEmergencies = emergencyCandidates.filter {
                    outstanding.contains($0.id)
                        && context.roles.defersCalls?.isEmergencyRequest($0) == true
                }
                outstanding.subtract(sparedEmergencies.map(\.id))
            }
            let retried = failed?(error) ?? results
            rollBack(because: error, results: retried)
            return false
        }
        finishCommit()
        return true
    }

    /// Runs a turn for one operation. If it fails, only its own transaction is rolled back; waiting
    /// requests are affected only if the service has to be reloaded.
    ///
    /// - Returns: why it failed; nil if it was committed
    func attempt(_ body: () throws -> Void) -> (any Error)? {
        context.isServiceTouched = false
        do {
            try context.database.begin()
            try body()
            try context.database.commit()
        } catch {
            if releaseReserve(for: error, retrying: []) { return attempt(body) }
            undo(isServiceTouched: context.isServiceTouched)
            return error
        }
        finishCommit()
        return nil
    }

    private func finishCommit() {
        lastFailure = nil
        context.directory?.committed()
        context.committed()
        records.committed()
        committed.add()
        sendOutputs()
        context.roles.hasPollable?.committed()
        if context.shouldReleaseMemory {
            context.shouldReleaseMemory = false
            Memory.releaseUnused()
        }
    }

    /// Rolls a failed turn back: its results are handled again, its requests answered with 503.
    private func rollBack(because error: any Error, results: [TransferResult]) {
        rolledBack.add()
        didRecordFail = records.failed(because: error)
        logFailure(error)
        lastFailure = "\(error)"
        unhandledResults += results
        undo(isServiceTouched: true)
    }

    /// Discards the transaction and its outputs, and reloads the service if it was called. Waiting
    /// requests that the service no longer knows are answered with 503.
    private func undo(isServiceTouched: Bool) {
        context.database.rollback()
        records.rolledBack()
        context.rolledBack()
        pendingResponses.removeAll()
        pendingSteps.removeAll()
        pendingTransfers.removeAll()
        do {
            try context.bus.rolledBack()
            try context.directory?.rolledBack()
            guard isServiceTouched, let service = context.service else { return }
            try service.reload()
            refuseOutstanding(but: context.roles.suspendsRequests?.suspendedRequests ?? [])
        } catch {
            // A core whose state differs from the disk must not decide anything; the next start
            // reads the store again.
            context.log.error(error, ["operation": "reload", "action": "exit"])
            refuseOutstanding()
            context.connect(nil)
            hasLostService = true
        }
    }

    // MARK: Failures

    /// Frees the disk reserve if the disk is full, and rolls the turn back for a retry: its
    /// requests may raise emergencies.
    ///
    /// - Parameter requests: the turn's requests, which stay unanswered until the retry
    /// - Returns: whether the turn can be retried
    private func releaseReserve(for error: any Error, retrying requests: [UInt64]) -> Bool {
        guard (error as? StoreError)?.code == "disk-full", context.disk?.releaseReserve() == true
        else {
            return false
        }
        context.log.error(error, ["freed": "reserve", "rejected": "all but emergencies"])
        outstanding.subtract(requests)
        undo(isServiceTouched: true)
        return context.service != nil
    }

    /// Logs a failure: one line when it is new, then one every 10 s while it lasts.
    func logFailure(_ error: any Error) {
        let text = "\(error)"
        if let logged, logged.text == text,
            context.now - logged.at < HostLimits.failureLogInterval
        {
            return
        }
        logged = (text, context.now)
        context.log.error(error, ["rolled_back": "turn", "waiting": outstanding.count])
    }

    /// Answers a request with a problem at once, even if the turn is rolled back.
    func refuse(_ id: UInt64, _ problem: Problem) {
        outstanding.remove(id)
        context.parts.server.answer(id, .problem(problem))
    }

    /// Answers all waiting requests with 503, except some.
    func refuseOutstanding(but kept: Set<UInt64> = []) {
        for id in outstanding.subtracting(kept) {
            context.parts.server.answer(id, .problem(HostLimits.unavailable))
        }
        outstanding.formIntersection(kept)
    }
}
