import Bus
import Hashing
import Model
import Parsing
import Runtime
import Web
import Wire

// Paths that the host serves for every service.
extension Host {
    /// Returns the response to `/healthz`, `/readyz`, `/metrics`, `/v1/status/<service>`,
    /// `/v1/streams/<service>` and `/v1/held/<service>`; nil for other paths, and for requests that
    /// need a turn.
    func hostResponse(to request: Request) -> Response? {
        guard request.method == .get else { return hostRefusal(of: request) }
        switch request.path {
        case "/healthz": return health(problems: healthProblems + alarms)
        case "/readyz": return health(problems: unready + healthProblems)
        case "/metrics": return metricsPage()
        case streamsPath: return streams(for: request)
        case heldPath: return held(for: request)
        default: return isStatus(request.path) ? status(for: request) : nil
        }
    }

    /// Whether a path is `/v1/status/<service>`. Runs for every request, so it allocates nothing.
    private func isStatus(_ path: String) -> Bool {
        let start = "/v1/status/"
        return path.hasPrefix(start) && path.dropFirst(start.count) == definition.name.rawValue
    }

    /// Returns 405 for methods that these paths do not support; nil otherwise.
    private func hostRefusal(of request: Request) -> Response? {
        switch request.path {
        case "/healthz", "/readyz", "/metrics": .refusal(of: request.method, allowed: [.get])
        case streamsPath, heldPath:
            request.method == .post
                ? nil : .refusal(of: request.method, allowed: [.get, .post])
        default:
            isStatus(request.path) ? .refusal(of: request.method, allowed: [.get]) : nil
        }
    }

    /// Faults of the service, the bus and the last turn, see ``Service/healthProblems``.
    var healthProblems: [String] {
        var all = (service?.healthProblems ?? ["the service has not started"]) + bus.healthProblems
        if let lastFailure { all.append("the last turn was rolled back: \(lastFailure)") }
        return all
    }

    /// Faults that need an operator although all requests are accepted, see ``Service/alarms``.
    var alarms: [String] {
        let disk = diskPressure >= .tight ? [disk?.sentence].compactMap(\.self) : []
        let count = (try? deadLetterStore.count) ?? 0
        let records = count == 1 ? "1 dead letter" : "\(count) dead letters"
        let deadLetters = count == 0 ? [] : ["\(records): see 'jaga streams dead-letters'"]
        return disk + bus.warnings + requiredRecords.healthProblems + deadLetters
            + (service?.alarms ?? [])
    }

    /// Conditions that need attention some day, see ``Service/concerns``.
    var concerns: [String] {
        let crashed = didCrash && now - started < HostLimits.crashNoticeAge
        return (diskPressure == .filling ? [disk?.sentence].compactMap(\.self) : [])
            + (crashed ? ["the previous run did not shut down: it was killed or crashed"] : [])
            + (parts.isUnprotected ? [Host.unprotected] : []) + (service?.concerns ?? [])
    }

    /// Logged at the start, and a concern as long as streams have no keys.
    static let unprotected =
        "streams are not encrypted (JAGA_CURVE=never): every account on this machine can read and "
        + "forge them"

    /// Why the service is not ready for requests yet; empty if it is.
    var unready: [String] {
        bus.isCaughtUp ? [] : ["streams are not caught up"]
    }

    private func health(problems: [String]) -> Response {
        let body = JSON.object([
            .init("status", .string(problems.isEmpty ? "ok" : "trouble")),
            .init("service", .string(definition.name.rawValue)),
            .init("troubles", .array(problems.map(JSON.string))),
            .init("concerns", .array(concerns.map(JSON.string))),
        ])
        return .json(body.serialized(), status: problems.isEmpty ? 200 : 503)
    }

    private func metricsPage() -> Response {
        service?.writeMetrics(metrics)
        bus.writeMetrics(metrics)
        disk?.write(to: metrics)
        metrics.gauge("jaga_dead_letters", "Dead letters that wait for the operator.")
            .set(Double((try? deadLetterStore.count) ?? 0))
        metrics.gauge("jaga_health_problems", "Problems and alarms that /healthz reports.")
            .set(Double(healthProblems.count + alarms.count))
        metrics.readProcess()
        return Response(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(metrics.render().utf8))
    }

    /// Returns the principal of a request's credentials; nil if they are missing or wrong.
    public func principal(of request: Request) -> Principal? {
        directory?.principal(of: request) ?? service?.principal(of: request)
    }

    private func status(for request: Request) -> Response {
        do {
            let isMasked = isMonitor(request)
            if !isMasked { try checkOperator(request) }
            return .json(statusDocument(isMasked: isMasked).serialized())
        } catch {
            return .problem(error)
        }
    }

    /// Whether a request has the monitoring token, for which private data is masked.
    func isMonitor(_ request: Request) -> Bool {
        guard let token = Credentials(request.headers)?.token else { return false }
        let replica = directory?.replica ?? service?.ownDirectory
        return replica?.credential(tokenHash: Hash.sha256Text(token))?.scope == .monitor
    }

    /// Rejects every principal except the operator.
    func checkOperator(_ request: Request) throws(Problem) {
        guard let principal = principal(of: request) else {
            throw .unauthorized("the credentials are missing or wrong")
        }
        guard principal == .operator else {
            throw .denied("only the operator may read the state of the suite")
        }
    }

    /// The body of `GET /v1/status/<service>`.
    func statusDocument(isMasked: Bool = false) -> JSON {
        let sentences = healthProblems + alarms + unready + concerns
        let details = service?.statusDetails ?? .object([])
        return .object([
            .init("service", .string(definition.name.rawValue)),
            .init("version", .string(Version.text)),
            .init("started", .string(started.description)),
            .init("ready", .bool(unready.isEmpty && healthProblems.isEmpty)),
            .init("refusing", .bool(diskPressure >= .tight)),
            .init(
                "troubles",
                .array(
                    sentences.map {
                        .string(isMasked ? StatusMasking.mask(sentence: $0) : $0)
                    })),
            .init("port", .integer(Int64(httpPort))),
            .init("streams", .array(bus.heads.filter { $0.head.sequence > 0 }.map(\.json))),
            .init("cursors", .array(bus.lags.filter { $0.head > 0 }.map(\.json))),
            .init(
                "consumers",
                .array(bus.acknowledgements.filter { $0.position.sequence > 0 }.map(\.json))),
            .init("details", isMasked ? StatusMasking.mask(details) : details),
        ])
    }
}

extension Extent {
    fileprivate var json: JSON {
        [
            "stream": .string(stream.text), "head": .integer(Int64(clamping: head.sequence)),
            "base": .integer(Int64(clamping: base.sequence)),
        ]
    }
}

extension Lag {
    fileprivate var json: JSON {
        [
            "stream": .string(stream.text), "from": .string(peer),
            "applied": .integer(Int64(clamping: position.sequence)),
            "lag": .integer(Int64(clamping: records)), "live": .bool(isLive),
        ]
    }
}

extension Acknowledgement {
    fileprivate var json: JSON {
        [
            "consumer": .string(consumer), "stream": .string(stream.text),
            "position": .integer(Int64(clamping: position.sequence)),
            "heard": .string(received.description),
        ]
    }
}
