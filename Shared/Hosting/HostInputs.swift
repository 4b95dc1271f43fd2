import Model
import Store
import Web

// Requests and results of transfers: together as long as all is well, each alone otherwise.
extension Host {
    /// Answers what the host answers itself; the rest is for the service.
    func admit(_ requests: [Request]) -> [Request] {
        var admitted: [Request] = []
        for request in requests {
            if let refusal = guardRefusal(of: request) {
                parts.server.answer(request.id, .problem(refusal))
            } else if let response = hostResponse(to: request) {
                parts.server.answer(request.id, response)
            } else if isChore(request), !isStopping {
                if let refusal = refusal(of: request) {
                    parts.server.answer(request.id, .problem(refusal))
                } else {
                    chores.append(request)
                }
            } else if leaveUntil != nil {
                parts.server.answer(request.id, .problem(HostLimits.unavailable))
            } else if isTail(request) {
                follow(request)
            } else {
                admitted.append(request)
            }
        }
        return admitted
    }

    /// Everything that is ready in one transaction, but for what failed alone before.
    func take(_ requests: [Request], _ results: [TransferResult]) {
        let requestsTogether = requests.filter { !inputs.isSuspect(.request($0)) }
        let resultsTogether = results.filter { !inputs.isSuspect(.result($0)) }
        let done = turn(
            requests: requestsTogether.map(\.id), results: resultsTogether,
            mayCall: requestsTogether
        ) { service in
            try receive(limit: HostLimits.recordsPerTurn, isAlone: false)
            for result in resultsTogether { try service.transferred(result) }
            for request in requestsTogether { try service.handle(request) }
            try service.tick()
        }
        // A record that is to blame is tried alone from now on; the others need no care.
        if !done, !isRecordToBlame { carefulTurns = HostLimits.carefulTurns }
        sparedCalls.forEach(takeCall)
        requests.filter { inputs.isSuspect(.request($0)) }.forEach(takeAlone)
        results.filter { inputs.isSuspect(.result($0)) }.forEach(takeAlone)
    }

    /// Every input in its own transaction, so that one that cannot be digested spoils no other.
    func takeCarefully(_ requests: [Request], _ results: [TransferResult]) {
        requests.forEach(takeAlone)
        results.forEach(takeAlone)
        turn(requests: [], results: []) { try $0.tick() }
        turn(requests: [], results: []) { _ in try receive(limit: 1, isAlone: true) }
    }

    /// A call for help whose shared turn failed, or that is taken alone: it is tried three times at
    /// once, then kept as it came. Nobody who calls for help is told to come again for the fault of
    /// this program.
    private func takeCall(_ request: Request) {
        for _ in 0..<InputWatch.triesMax {
            let done = turn(requests: [request.id], results: [], mayCall: [request]) {
                try $0.handle(request)
            }
            if done { return }
            // The store is to blame: 503 was answered.
            guard !sparedCalls.isEmpty else { return }
        }
        sparedCalls = []
        keep(request, because: lastFailure ?? "")
    }

    private func keep(_ request: Request, because reason: String) {
        var response: Response?
        let failure = attemptTouched {
            response = try $0.keepCall(request, because: reason)
        }
        guard failure == nil, let response else {
            if let failure { logFailure(failure) }
            return refuse(request.id, HostLimits.unavailable)
        }
        parts.server.answer(request.id, response)
        callsKept.add()
        log.error(
            "a call for help cannot be processed; it is kept as it came and tried again",
            [
                "path": request.pathWithoutSecrets, "trace": request.trace, "reason": reason,
                "hint": "Tell the makers of Jaga; upgrade.",
            ])
    }

    /// A kept call that is due: with what it says, else without, else later.
    func retryKeptCall() {
        guard let due = service?.keptCallDue, due <= now else { return }
        for isBare in [false, true] {
            let failure = attemptTouched { try $0.retryKeptCall(isBare: isBare) }
            guard let failure else { return }
            logFailure(failure)
        }
        if let failure = attemptTouched({ try $0.postponeKeptCall() }) { logFailure(failure) }
    }

    /// An attempt that gives the service something, which a reload takes from it if it fails.
    private func attemptTouched(_ body: (any Service) throws -> Void) -> (any Error)? {
        guard let service else { return nil }
        return attempt {
            isServiceTouched = true
            try body(service)
        }
    }

    private func takeAlone(_ request: Request) {
        if service?.callsForHelp(request) == true { return takeCall(request) }
        let input = InputWatch.Input.request(request)
        let done = turn(requests: [request.id], results: [], alone: input) {
            try $0.handle(request)
        }
        if done { inputs.ended(input) }
    }

    private func takeAlone(_ result: TransferResult) {
        let input = InputWatch.Input.result(result)
        let done = turn(requests: [], results: [result], alone: input) {
            try $0.transferred(result)
        }
        if done { inputs.ended(input) }
    }

    /// Notes what failed alone, and gives up what fails each time.
    ///
    /// - Returns: the results that are to be given to the service again
    func blame(
        _ input: InputWatch.Input, for error: any Error, results: [TransferResult]
    ) -> [TransferResult] {
        if let error = error as? StoreError, error.isOfTheStore { return results }
        let tries = inputs.failed(input)
        guard tries >= InputWatch.triesMax else { return results }
        switch input {
        case .request(let request):
            give(up: request, isNews: tries == InputWatch.triesMax, because: error)
            return []
        case .result(let result):
            return give(up: result, isNews: tries == InputWatch.triesMax, because: error)
        }
    }

    /// 500: sent again it is tried again, alone, and most likely fails again.
    private func give(up request: Request, isNews: Bool, because error: any Error) {
        refuse(request.id, HostLimits.indigestible)
        guard isNews else { return }
        givenUp.add()
        log.error(
            "a request fails each time; it is answered 500",
            [
                "method": request.method.rawValue, "path": request.pathWithoutSecrets,
                "trace": request.trace, "reason": "\(error)",
                "hint": "Tell the makers of Jaga; upgrade.",
            ])
    }

    /// What became of a transfer whose answer cannot be digested is unknown, and the service hears
    /// just that. If it cannot digest that either, it hears nothing.
    private func give(
        up result: TransferResult, isNews: Bool, because error: any Error
    ) -> [TransferResult] {
        if isNews { givenUp.add() }
        guard isNews || result.isUnknown else { return [result] }
        log.error(
            isNews
                ? "the answer to a transfer cannot be digested; what became of it counts as unknown"
                : "that a transfer's fate is unknown cannot be digested either; it is dropped",
            ["transfer": result.token, "reason": "\(error)", "hint": "Tell the makers of Jaga."])
        if !isNews {
            inputs.ended(.result(result))
            return []
        }
        return [result.unknown]
    }
}

extension TransferResult {
    fileprivate static let unknownFate = TransferFailure(
        fate: .unknown, message: "the answer could not be digested")

    fileprivate var isUnknown: Bool { outcome == .failed(TransferResult.unknownFate) }

    /// The same transfer, as if no answer had come.
    fileprivate var unknown: TransferResult {
        TransferResult(
            token: token, outcome: .failed(TransferResult.unknownFate), elapsed: elapsed)
    }
}
