import Model
import Store
import Web

// Requests and transfer results: handled in one transaction, or each alone after a failure.
extension Host {
    /// Answers the requests that the host handles itself.
    ///
    /// - Returns: the requests for the service
    func admit(_ requests: [Request]) -> [Request] {
        var admitted: [Request] = []
        for request in requests {
            if let refusal = guardRefusal(of: request) {
                parts.server.answer(request.id, .problem(refusal))
            } else if let response = hostResponse(to: request) {
                parts.server.answer(request.id, response)
            } else if isAdminCommand(request), !isStopping {
                if let refusal = refusal(of: request) {
                    parts.server.answer(request.id, .problem(refusal))
                } else {
                    adminCommands.append(request)
                }
            } else if shutdownDeadline != nil {
                parts.server.answer(request.id, .problem(HostLimits.unavailable))
            } else if isTail(request) {
                follow(request)
            } else {
                admitted.append(request)
            }
        }
        return admitted
    }

    /// Handles everything that is ready in one transaction. Inputs that failed alone before get
    /// transactions of their own.
    func handle(_ requests: [Request], _ results: [TransferResult]) {
        let requestsTogether = requests.filter { !inputs.isSuspect(.request($0)) }
        let resultsTogether = results.filter { !inputs.isSuspect(.result($0)) }
        let done = turn(
            requests: requestsTogether.map(\.id), results: resultsTogether,
            emergencyCandidates: requestsTogether
        ) { service in
            try receive(limit: HostLimits.recordsPerTurn, isAlone: false)
            for result in resultsTogether { try service.transferCompleted(result) }
            for request in requestsTogether { try service.handle(request) }
            try service.tick()
        }
        // A record that failed is retried alone from now on; the other inputs may share a turn.
        if !done, !didRecordFail { isolatedTurns = HostLimits.isolatedTurns }
        sparedEmergencies.forEach(handleEmergencyRequest)
        requests.filter { inputs.isSuspect(.request($0)) }.forEach(handleAlone)
        results.filter { inputs.isSuspect(.result($0)) }.forEach(handleAlone)
    }

    /// Handles every input in its own transaction, so that a failing one affects no other.
    func handleIndividually(_ requests: [Request], _ results: [TransferResult]) {
        requests.forEach(handleAlone)
        results.forEach(handleAlone)
        turn(requests: [], results: []) { try $0.tick() }
        turn(requests: [], results: []) { _ in try receive(limit: 1, isAlone: true) }
    }

    /// Handles an emergency request alone: three attempts at once, then it is deferred.
    ///
    /// A defect of this program must not make a person in danger repeat the request.
    private func handleEmergencyRequest(_ request: Request) {
        for _ in 0..<InputFailures.triesMax {
            let done = turn(requests: [request.id], results: [], emergencyCandidates: [request]) {
                try $0.handle(request)
            }
            if done { return }
            // The store failed, and the request has been answered with 503.
            guard !sparedEmergencies.isEmpty else { return }
        }
        sparedEmergencies = []
        deferRequest(request, because: lastFailure ?? "")
    }

    private func deferRequest(_ request: Request, because reason: String) {
        var response: Response?
        let failure = attemptTouched {
            response = try $0.deferCall(request, because: reason)
        }
        guard failure == nil, let response else {
            if let failure { logFailure(failure) }
            return refuse(request.id, HostLimits.unavailable)
        }
        parts.server.answer(request.id, response)
        callsDeferred.add()
        log.error(
            "emergency request could not be processed, deferred",
            [
                "path": request.pathWithoutSecrets, "trace": request.trace, "reason": reason,
                "hint": "Report this defect and upgrade Jaga.",
            ])
    }

    /// Retries the deferred call that is due: with its details, then without them, then later.
    func retryDeferredCall() {
        guard let due = service?.deferredCallDue, due <= now else { return }
        for isBare in [false, true] {
            let failure = attemptTouched { try $0.retryDeferredCall(isBare: isBare) }
            guard let failure else { return }
            logFailure(failure)
        }
        if let failure = attemptTouched({ try $0.postponeDeferredCall() }) { logFailure(failure) }
    }

    /// Runs an attempt that calls the service, so that a failure reloads it.
    private func attemptTouched(_ body: (any Service) throws -> Void) -> (any Error)? {
        guard let service else { return nil }
        return attempt {
            isServiceTouched = true
            try body(service)
        }
    }

    private func handleAlone(_ request: Request) {
        if service?.isEmergencyRequest(request) == true { return handleEmergencyRequest(request) }
        let input = InputFailures.Input.request(request)
        let done = turn(requests: [request.id], results: [], alone: input) {
            try $0.handle(request)
        }
        if done { inputs.ended(input) }
    }

    private func handleAlone(_ result: TransferResult) {
        let input = InputFailures.Input.result(result)
        let done = turn(requests: [], results: [result], alone: input) {
            try $0.transferCompleted(result)
        }
        if done { inputs.ended(input) }
    }

    /// Counts the failure of an input that ran alone, and abandons it after three.
    ///
    /// - Returns: the results that the next turn handles again
    func recordFailure(
        _ input: InputFailures.Input, for error: any Error, results: [TransferResult]
    ) -> [TransferResult] {
        if let error = error as? StoreError, error.isStoreFailure { return results }
        let tries = inputs.failed(input)
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
        refuse(request.id, HostLimits.internalError)
        guard isFirst else { return }
        abandoned.add()
        log.error(
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
        log.error(
            isFirst
                ? "transfer result could not be handled, outcome set to unknown"
                : "unknown outcome of a transfer could not be handled, dropped",
            [
                "transfer": result.token, "reason": "\(error)",
                "hint": "Report this defect and upgrade Jaga.",
            ])
        if !isFirst {
            inputs.ended(.result(result))
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
