import Bus
import Hashing
import Model
import Parsing
import Runtime
import Web
import Wire

// The paths that the host answers for every service.
extension Host {
    /// The answer to `/healthz`, `/readyz`, `/metrics`, `/v1/status/<service>`,
    /// `/v1/streams/<service>` and `/v1/held/<service>`; nil for any other path, and for what needs
    /// a turn.
    func hostResponse(to request: Request) -> Response? {
        guard request.method == .get else { return hostRefusal(of: request) }
        switch request.path {
        case "/healthz": return health(problems: troubles + alarms)
        case "/readyz": return health(problems: unready + troubles)
        case "/metrics": return metricsPage()
        case streamsPath: return streams(for: request)
        case heldPath: return held(for: request)
        default: return isStatus(request.path) ? status(for: request) : nil
        }
    }

    /// Whether it is `/v1/status/<service>`; every request is asked, so no text is made for it.
    private func isStatus(_ path: String) -> Bool {
        let start = "/v1/status/"
        return path.hasPrefix(start) && path.dropFirst(start.count) == definition.name.rawValue
    }

    /// 405 for what these paths do not take; nil for any other path, and for what they do.
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

    /// Everything that is wrong, as sentences.
    var troubles: [String] {
        var all = (service?.troubles ?? ["the service has not started"]) + bus.troubles
        if let lastFailure { all.append("the last turn was taken back: \(lastFailure)") }
        return all
    }

    /// What somebody must look at, although requests may be sent here.
    var alarms: [String] {
        let disk = diskPressure >= .tight ? [disk?.sentence].compactMap(\.self) : []
        let count = (try? poisonStore.count) ?? 0
        let records = count == 1 ? "1 record is" : "\(count) records are"
        let poisoned = count == 0 ? [] : ["\(records) put aside: see 'jaga streams poison'"]
        return disk + bus.alarms + needed.troubles + poisoned + (service?.alarms ?? [])
    }

    /// What somebody should look at some day.
    var concerns: [String] {
        let killed = wasKilled && now - started < HostLimits.killedShown
        return (diskPressure == .filling ? [disk?.sentence].compactMap(\.self) : [])
            + (killed ? ["the run before did not shut down: it was killed, or crashed"] : [])
            + (parts.isUnprotected ? [Host.unprotected] : []) + (service?.concerns ?? [])
    }

    /// Said at the start and for as long as streams have no keys.
    static let unprotected =
        "streams are not protected (JAGA_CURVE=never): every account on this machine can read and "
        + "forge them"

    /// Why requests should not be sent here yet.
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
        metrics.gauge("jaga_poison_records", "Records that are put aside and wait for somebody.")
            .set(Double((try? poisonStore.count) ?? 0))
        metrics.gauge("jaga_troubles", "What /healthz tells that somebody must look at.")
            .set(Double(troubles.count + alarms.count))
        metrics.readProcess()
        return Response(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(metrics.render().utf8))
    }

    /// Who the credentials of a request speak for; nil when there are none or they are wrong.
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

    /// Whether a request has the token of whoever only watches: what is private is masked for them.
    func isMonitor(_ request: Request) -> Bool {
        guard let token = Credentials(request.headers)?.token else { return false }
        let replica = directory?.replica ?? service?.ownDirectory
        return replica?.credential(tokenHash: Hash.sha256Text(token))?.scope == .monitor
    }

    /// Refuses everybody but the operator.
    func checkOperator(_ request: Request) throws(Problem) {
        guard let principal = principal(of: request) else {
            throw .unauthorized("the credentials are missing or wrong")
        }
        guard principal == .operator else {
            throw .denied("only the operator sees the state of the suite")
        }
    }

    /// What `GET /v1/status/<service>` answers.
    func statusDocument(isMasked: Bool = false) -> JSON {
        let sentences = troubles + alarms + unready + concerns
        let details = service?.statusDetails ?? .object([])
        return .object([
            .init("service", .string(definition.name.rawValue)),
            .init("version", .string(Version.text)),
            .init("started", .string(started.description)),
            .init("ready", .bool(unready.isEmpty && troubles.isEmpty)),
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
            "heard": .string(heard.description),
        ]
    }
}
