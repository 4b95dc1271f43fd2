import Bus
import Model
import Parsing
import Runtime
import Web
import Wire

/// Answers the paths that the host serves for every service: health, metrics, status and streams.
final class StatusEndpoints {
    private let context: HostContext
    private let turns: TurnRunner
    private let records: RecordApplier
    private let held: HeldItems
    /// Whether the previous run did not shut down.
    private var didCrash = false

    init(
        _ context: HostContext, _ turns: TurnRunner, _ records: RecordApplier, _ held: HeldItems
    ) {
        self.context = context
        self.turns = turns
        self.records = records
        self.held = held
    }

    /// Logs at the start what ``concerns`` shows as well.
    func logConcerns(didCrash: Bool) {
        self.didCrash = didCrash
        if didCrash {
            context.log.warning(
                "previous run did not shut down: killed, crashed or power lost",
                ["hint": "If the kernel log says out of memory, raise the memory limit."])
        }
        if context.parts.isUnprotected {
            context.log.warning(
                StatusEndpoints.unprotected,
                ["hint": "Remove JAGA_CURVE and restart every service."])
        }
    }

    /// Returns the response to `/healthz`, `/readyz`, `/metrics`, `/v1/status/<service>`,
    /// `/v1/streams/<service>` and `/v1/held/<service>`; nil for other paths, and for requests that
    /// need a turn.
    func response(to request: Request) -> Response? {
        guard request.method == .get else { return refusal(of: request) }
        switch request.path {
        case "/healthz": return health(problems: healthProblems + alarms)
        case "/readyz": return health(problems: unready + healthProblems)
        case "/metrics": return metricsPage()
        case context.paths.streams: return streams(for: request)
        case context.paths.held: return held.response(to: request)
        case context.paths.status: return status(for: request)
        default: return nil
        }
    }

    /// Returns 405 for methods that these paths do not support; nil otherwise.
    private func refusal(of request: Request) -> Response? {
        switch request.path {
        case "/healthz", "/readyz", "/metrics", context.paths.status:
            .refusal(of: request.method, allowed: [.get])
        case context.paths.streams, context.paths.held:
            request.method == .post
                ? nil : .refusal(of: request.method, allowed: [.get, .post])
        default: nil
        }
    }

    /// Faults of the service, the bus and the last turn, see ``Service/healthProblems``.
    var healthProblems: [String] {
        var all =
            (context.service?.healthProblems ?? ["the service has not started"])
            + context.bus.healthProblems
        if let lastFailure = turns.lastFailure {
            all.append("the last turn was rolled back: \(lastFailure)")
        }
        return all
    }

    /// Faults that need an operator although all requests are accepted, see ``Service/alarms``.
    var alarms: [String] {
        let disk = context.diskPressure >= .tight ? [context.disk?.sentence].compactMap(\.self) : []
        let count = (try? records.deadLetters.count) ?? 0
        let text = count == 1 ? "1 dead letter" : "\(count) dead letters"
        let deadLetters = count == 0 ? [] : ["\(text): see 'jaga streams dead-letters'"]
        return disk + context.bus.warnings + records.required.healthProblems + deadLetters
            + (context.service?.alarms ?? [])
    }

    /// Conditions that need attention some day, see ``Service/concerns``.
    var concerns: [String] {
        let crashed = didCrash && context.now - context.started < HostLimits.crashNoticeAge
        return (context.diskPressure == .filling ? [context.disk?.sentence].compactMap(\.self) : [])
            + (crashed ? ["the previous run did not shut down: it was killed or crashed"] : [])
            + (context.parts.isUnprotected ? [StatusEndpoints.unprotected] : [])
            + (context.service?.concerns ?? [])
    }

    /// Logged at the start, and a concern as long as streams have no keys.
    private static let unprotected =
        "streams are not encrypted (JAGA_CURVE=never): every account on this machine can read and "
        + "forge them"

    /// Why the service is not ready for requests yet; empty if it is.
    var unready: [String] {
        context.bus.isCaughtUp ? [] : ["streams are not caught up"]
    }

    private func health(problems: [String]) -> Response {
        let body = JSON.object([
            .init("status", .string(problems.isEmpty ? "ok" : "unhealthy")),
            .init("service", .string(context.definition.name.rawValue)),
            .init("problems", .array(problems.map(JSON.string))),
            .init("concerns", .array(concerns.map(JSON.string))),
        ])
        return .json(body.serialized(), status: problems.isEmpty ? 200 : 503)
    }

    private func metricsPage() -> Response {
        let metrics = context.metrics
        context.service?.writeMetrics(metrics)
        context.bus.writeMetrics(metrics)
        context.disk?.write(to: metrics)
        metrics.gauge("jaga_dead_letters", "Dead letters that wait for the operator.")
            .set(Double((try? records.deadLetters.count) ?? 0))
        metrics.gauge("jaga_health_problems", "Problems and alarms that /healthz reports.")
            .set(Double(healthProblems.count + alarms.count))
        metrics.readProcess()
        return Response(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(metrics.render().utf8))
    }

    private func status(for request: Request) -> Response {
        do {
            let isMasked = context.isMonitor(request)
            if !isMasked { try context.checkOperator(request) }
            return .json(statusDocument(isMasked: isMasked).serialized())
        } catch {
            return .problem(error)
        }
    }

    /// The body of `GET /v1/status/<service>`.
    func statusDocument(isMasked: Bool = false) -> JSON {
        let sentences = healthProblems + alarms + unready + concerns
        let details = context.service?.statusDetails ?? .object([])
        return .object([
            .init("service", .string(context.definition.name.rawValue)),
            .init("version", .string(Version.text)),
            .init("started", .string(context.started.description)),
            .init("ready", .bool(unready.isEmpty && healthProblems.isEmpty)),
            .init("rejecting", .bool(context.diskPressure >= .tight)),
            .init(
                "problems",
                .array(
                    sentences.map {
                        .string(isMasked ? StatusMasking.mask(sentence: $0) : $0)
                    })),
            .init("port", .integer(Int64(context.parts.server.port))),
            .init("streams", .array(context.bus.heads.filter { $0.head.sequence > 0 }.map(\.json))),
            .init(
                "cursors",
                .array(
                    context.bus.lags.filter { $0.head > 0 }.map { lag in
                        let isStopped = context.bus.stopped.contains { $0.stream == lag.stream }
                        return .object(lag.members(isStopped: isStopped))
                    })),
            .init(
                "consumers",
                .array(context.bus.acknowledgements.filter { $0.position.sequence > 0 }.map(\.json))
            ),
            .init("details", isMasked ? StatusMasking.mask(details) : details),
        ])
    }

    // MARK: Streams

    private func streams(for request: Request) -> Response {
        do {
            try context.checkOperator(request)
            return .json(try streamsDocument().serialized())
        } catch let problem as Problem {
            return .problem(problem)
        } catch {
            context.log.error(error, ["operation": "read streams"])
            return .problem(HostLimits.unavailable)
        }
    }

    /// The body of `GET /v1/streams/<service>`.
    private func streamsDocument() throws -> JSON {
        let stopped = Dictionary(
            context.bus.stopped.map { ($0.stream, $0) }, uniquingKeysWith: { first, _ in first })
        let entries = try records.deadLetters.entries(limit: HostLimits.deadLetterShown)
        return [
            "service": .string(context.definition.name.rawValue),
            "kept": .array(try context.bus.servedStreams().map { $0.json(at: context.now) }),
            "followed": .array(context.bus.lags.map { $0.json(stopped[$0.stream]) }),
            "stopped": .array(context.bus.stopped.map(\.json)),
            "divergences": .array(
                try SQLiteBusStore(context.database).divergences(limit: HostLimits.divergencesShown)
                    .map(\.json)),
            "deadLetters": .array(entries.map(\.json)),
            "deadLetterCount": .integer(Int64(try records.deadLetters.count)),
        ]
    }
}
