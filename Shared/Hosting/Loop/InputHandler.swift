import Model
import Runtime
import Store
import Web

/// Handles requests and transfer results: all ready ones in one transaction, or each alone after a
/// failure.
final class InputHandler {
    private let context: HostContext
    private let turns: TurnRunner
    private let records: RecordApplier
    private let abandoned, callsDeferred: Counter
    /// Turns left in which every input gets its own transaction.
    private var isolatedTurns = 0
    /// Requests and results that failed in a transaction of their own.
    private var failures = InputFailures()

    init(_ context: HostContext, _ turns: TurnRunner, _ records: RecordApplier) {
        self.context = context
        self.turns = turns
        self.records = records
        abandoned = context.metrics.counter(
            "jaga_inputs_abandoned_total",
            "Requests and transfer results that failed on every attempt and were abandoned.")
        callsDeferred = context.metrics.counter(
            "jaga_calls_deferred_total",
            "Emergency requests that failed on every attempt and were stored for a retry.")
    }

    /// Handles everything that is ready.
    func handle(_ requests: [Request], _ results: [TransferResult]) {
        if isolatedTurns > 0 {
            isolatedTurns -= 1
            handleIndividually(requests, results)
        } else {
            handleTogether(requests, results)
        }
    }

    /// Passes a request to the service, if its operation accepts the kind of its credential.
    private func pass(_ request: Request, to service: any Service) throws {
        let refusal = try context.handle(request) { try service.handle(request) }
        if let refusal { turns.answer(request.id, .problem(refusal)) }
    }

    /// Handles everything that is ready in one transaction. Inputs that failed alone before get
    /// transactions of their own.
    private func handleTogether(_ requests: [Request], _ results: [TransferResult]) {
        let requestsTogether = requests.filter { !failures.isSuspect(.request($0)) }
        let resultsTogether = results.filter { !failures.isSuspect(.result($0)) }
        let done = turns.turn(
            requests: requestsTogether.map(\.id), results: resultsTogether,
            emergencyCandidates: requestsTogether
        ) { service in
            try records.receive(limit: HostLimits.recordsPerTurn, isAlone: false)
            for result in resultsTogether {
                try context.roles.startsTransfers?.transferCompleted(result)
            }
            for request in requestsTogether { try pass(request, to: service) }
            try service.tick()
            try context.passUsage()
        }
        // A record that failed is retried alone from now on; the other inputs may share a turn.
        if !done, !turns.didRecordFail { isolatedTurns = HostLimits.isolatedTurns }
        turns.sparedEmergencies.forEach(handleEmergencyRequest)
        requests.filter { failures.isSuspect(.request($0)) }.forEach(handleAlone)
        results.filter { failures.isSuspect(.result($0)) }.forEach(handleAlone)
    }

    /// Handles every input in its own transaction, so that a failing one affects no other.
    private func handleIndividually(_ requests: [Request], _ results: [TransferResult]) {
        requests.forEach(handleAlone)
        results.forEach(handleAlone)
        turns.turn(requests: [], results: []) { try $0.tick() }
        turns.turn(requests: [], results: []) { _ in try records.receive(limit: 1, isAlone: true) }
    }

    private func handleAlone(_ request: Request) {
        if context.roles.defersCalls?.isEmergencyRequest(request) == true {
            return handleEmergencyRequest(request)
        }
        let input = InputFailures.Input.request(request)
        func failed(_ error: any Error) -> [TransferResult] {
            recordFailure(input, for: error, results: [])
        }
        let done = turns.turn(requests: [request.id], results: [], failed: failed) {
            try pass(request, to: $0)
        }
        if done { failures.ended(input) }
    }

    private func handleAlone(_ result: TransferResult) {
        let input = InputFailures.Input.result(result)
        func failed(_ error: any Error) -> [TransferResult] {
            recordFailure(input, for: error, results: [result])
        }
        let done = turns.turn(requests: [], results: [result], failed: failed) { _ in
            try context.roles.startsTransfers?.transferCompleted(result)
        }
        if done { failures.ended(input) }
    }

    // MARK: Emergency requests

    /// Handles an emergency request alone: three attempts at once, then it is deferred.
    ///
    /// A defect of this program must not make a person in danger repeat the request.
    private func handleEmergencyRequest(_ request: Request) {
        for _ in 0..<InputFailures.triesMax {
            let done = turns.turn(
                requests: [request.id], results: [], emergencyCandidates: [request]
            ) { try pass(request, to: $0) }
            if done { return }
            // The store failed, and the request has been answered with 503.
            guard !turns.sparedEmergencies.isEmpty else { return }
        }
        deferRequest(request, because: turns.lastFailure ?? "")
    }

    private func deferRequest(_ request: Request, because reason: String) {
        var response: Response?
        let failure = attempt {
            response = try $0.deferCall(request, because: reason)
        }
        guard failure == nil, let response else {
            if let failure { turns.logFailure(failure) }
            return turns.refuse(request.id, HostLimits.unavailable)
        }
        context.parts.server.answer(request.id, response)
        callsDeferred.add()
        context.log.error(
            "emergency request could not be processed, deferred",
            [
                "path": request.pathWithoutSecrets, "trace": request.trace, "reason": reason,
                "hint": "Report this defect and upgrade Jaga.",
            ])
    }

    /// Retries the deferred call that is due: with its details, then without them, then later.
    func retryDeferredCall() {
        guard let due = context.roles.defersCalls?.deferredCallDue, due <= context.now else {
            return
        }
        for isBare in [false, true] {
            let failure = attempt { try $0.retryDeferredCall(isBare: isBare) }
            guard let failure else { return }
            turns.logFailure(failure)
        }
        if let failure = attempt({ try $0.postponeDeferredCall() }) { turns.logFailure(failure) }
    }

    /// Runs an attempt that calls the service, so that a failure reloads it.
    private func attempt(_ body: (any DefersCalls) throws -> Void) -> (any Error)? {
        guard let service = context.roles.defersCalls else { return nil }
        return turns.attempt {
            context.isServiceTouched = true
            try body(service)
        }
    }

    // MARK: Failures

    /// Counts the failure of an input that ran alone, and abandons it after three.
    ///
    /// - Returns: the results that the next turn handles again
    private func recordFailure(
        _ input: InputFailures.Input, for error: any Error, results: [TransferResult]
    ) -> [TransferResult] {
        if let error = error as? StoreError, error.isStoreFailure { return results }
        let tries = failures.failed(input)
        guard tries >= InputFailures.triesMax else { return results }
        switch input {
        case .request(let request):
            abandon(request, isFirst: tries == InputFailures.triesMax, because: error)
            return []
        case .result(let result):
            return abandon(result, isFirst: tries == InputFailures.triesMax, because: error)
        }
    }

    /// Answers a request with 500. If the client repeats it, it is tried again, alone.
    private func abandon(_ request: Request, isFirst: Bool, because error: any Error) {
        turns.refuse(request.id, HostLimits.internalError)
        guard isFirst else { return }
        abandoned.add()
        context.log.error(
            "request fails on every attempt",
            [
                "method": request.method.rawValue, "path": request.pathWithoutSecrets,
                "trace": request.trace, "reason": "\(error)",
                "hint": "Report this defect and upgrade Jaga.",
            ])
    }

    /// Replaces a result that the service cannot handle by one with an unknown outcome; if the
    /// service cannot handle that either, drops it.
    private func abandon(
        _ result: TransferResult, isFirst: Bool, because error: any Error
    ) -> [TransferResult] {
        if isFirst { abandoned.add() }
        guard isFirst || result.isUnknown else { return [result] }
        context.log.error(
            isFirst
                ? "transfer result could not be handled, outcome set to unknown"
                : "unknown outcome of a transfer could not be handled, dropped",
            [
                "transfer": result.token, "reason": "\(error)",
                "hint": "Report this defect and upgrade Jaga.",
            ])
        if !isFirst {
            failures.ended(.result(result))
            return []
        }
        return [result.unknown]
    }
}

extension TransferResult {
    fileprivate static let unknownFate = TransferFailure(
        fate: .unknown, message: "the response could not be handled")

    fileprivate var isUnknown: Bool { outcome == .failed(TransferResult.unknownFate) }

    /// The result of the same transfer as if no response had arrived.
    fileprivate var unknown: TransferResult {
        TransferResult(
            token: token, outcome: .failed(TransferResult.unknownFate), elapsed: elapsed)
    }
}
