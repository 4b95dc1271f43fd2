import Bus
import Directory
import Model
import Parsing
import Runtime
import Web
import Wire

/// Serves `GET /v1/tail/<service>`: events of the service's streams as server-sent events, for
/// `jaga tail`.
final class TailServer {
    private let context: HostContext
    private let turns: TurnRunner
    private var tails: [TailReader] = []

    init(_ context: HostContext, _ turns: TurnRunner) {
        self.context = context
        self.turns = turns
    }

    private var bus: Bus { context.bus }
    private var now: Timestamp { context.now }
    private var server: any HTTPServer { context.parts.server }
    private var definition: ServiceDefinition { context.definition }

    /// Whether a request follows events.
    func includes(_ request: Request) -> Bool {
        request.method == .get && request.path == context.paths.tail
            && !definition.name.served.isEmpty
    }

    /// Starts a streamed response, which lasts until the client closes it.
    func follow(_ request: Request) {
        do {
            try checkFollower(request)
            try checkCapacity(isMonitor: context.isMonitor(request))
            let reader = try makeReader(request)
            try reader.resume(bus)
            tails.append(reader)
        } catch let problem as Problem {
            server.answer(request.id, .problem(problem))
        } catch {
            context.log.error(error, ["operation": "read streams"])
            server.answer(request.id, .problem(HostLimits.unavailable))
        }
    }

    /// Rejects readers above the limit. Holders of the monitoring token leave some to the operator.
    private func checkCapacity(isMonitor: Bool) throws(Problem) {
        let monitors = tails.count(where: \.isMonitor)
        let isFree =
            tails.count < HostLimits.tailsMax
            && (!isMonitor || monitors < HostLimits.tailsMax - HostLimits.tailsReservedForOperator)
        guard isFree else {
            throw .unavailable("too many readers follow events", retryAfterSeconds: 5)
        }
    }

    private func makeReader(_ request: Request) throws -> TailReader {
        let filter = try EventFilter(request.query, served: definition.name.served, now: now)
        let streams = definition.name.served.filter(filter.includes)
        let showsAll = try request.flag("pii")
        let isMonitor = context.isMonitor(request)
        // Staff could be on the never-notify list of somebody whose data streams contain.
        guard !showsAll || context.principal(of: request) == .operator else {
            throw Problem.denied(
                "only the operator's token can read private data", hint: "leave out pii")
        }
        guard !showsAll || context.roles.keepsAccessLog != nil else {
            throw Problem.invalid(
                "\(definition.name.rawValue) keeps no access log", field: "pii",
                hint: "send the request to ingest, or leave it out")
        }
        let reason = try request.accessReason(isRequired: showsAll)
        var cursor = StreamCursor()
        if let text = request.headers["Last-Event-ID"], !text.isEmpty {
            guard let known = StreamCursor(text) else {
                throw Problem.invalid(
                    "invalid cursor", field: "Last-Event-ID",
                    hint: "send the last `id` that was received")
            }
            cursor = known
        } else {
            for stream in streams {
                if let start = try start(of: stream, filter.since) {
                    cursor.read(stream, to: start)
                }
            }
        }
        let reader = TailReader(
            request, filter, showsAll: showsAll, reason: reason, isMonitor: isMonitor,
            streams: streams, at: cursor,
            now: now)
        switch request.query["until"] {
        case nil: break
        case "now": reader.goal = bus.heads
        default:
            throw Problem.invalid(
                "the only supported value is now", field: "until",
                hint: "send until=now, or leave it out")
        }
        return reader
    }

    /// Rejects everybody except the operator, staff with that role and the monitoring token.
    private func checkFollower(_ request: Request) throws(Problem) {
        if !context.isMonitor(request) { try context.checkOperator(request) }
    }

    /// Returns the position after which a new reader of a stream starts.
    private func start(of stream: StreamName, _ since: Timestamp?) throws -> Position? {
        guard let extent = bus.extent(of: stream) else { return nil }
        guard let since else { return extent.head }
        // Clocks of services may differ a little; the filter also checks each event's own time.
        let sequence = try bus.sequence(of: stream, before: since - HostLimits.tailSkew)
        let hash = try bus.committedHash(of: stream, at: sequence) ?? extent.base.hash
        return Position(incarnation: extent.head.incarnation, sequence: sequence, hash: hash)
    }

    /// Whether a reader can receive more at once.
    var hasWork: Bool {
        tails.contains { $0.isBehind(bus) && hasRoom($0) }
    }

    private func hasRoom(_ reader: TailReader) -> Bool {
        guard reader.hasBegun else { return true }
        return (server.unsentBytes(of: reader.request.id) ?? 0) < HostLimits.tailUnsentBytes
    }

    /// Sends a portion to every reader that has room. Called between turns.
    func serve() {
        guard !tails.isEmpty else { return }
        tails = tails.filter { reader in
            let id = reader.request.id
            if reader.hasBegun, server.unsentBytes(of: id) == nil { return false }
            do {
                return try serve(reader)
            } catch {
                context.log.error(error, ["operation": "read streams"])
                end(reader)
                return false
            }
        }
    }

    /// Sends a portion to a reader.
    ///
    /// - Returns: whether it goes on
    private func serve(_ reader: TailReader) throws -> Bool {
        // Checked even if records are waiting: a revoked token must not read on.
        if now - reader.checked >= HostLimits.tailKeepAlive {
            do { try checkFollower(reader.request) } catch {
                end(reader)
                return false
            }
            reader.checked = now
        }
        guard hasRoom(reader) else { return true }
        var portion = TailReader.Portion()
        if reader.isBehind(bus) {
            let circle = reader.filter.circle.flatMap { CircleID($0) }
            portion = try reader.read(bus, at: now) { person in
                circle.map { isMember(person, of: $0) } ?? false
            }
        }
        if portion.bytes.isEmpty, now - reader.lastSent >= HostLimits.tailKeepAlive {
            portion.bytes = reader.keepAlive(at: now)
        }
        if !portion.people.isEmpty {
            // Positions are sent only once the access is recorded.
            let people = portion.people
            let log = context.roles.keepsAccessLog
            if let failure = turns.attempt({
                try log?.recordAccess(to: people, reason: reader.reason)
            }) {
                throw failure
            }
        }
        send(portion.bytes, to: reader)
        if reader.hasReachedGoal { end(reader) }
        return !reader.hasReachedGoal
    }

    private func send(_ bytes: [UInt8], to reader: TailReader) {
        let id = reader.request.id
        guard reader.hasBegun else {
            reader.hasBegun = true
            let begin = ServerSentEvents.comment(definition.name.rawValue)
            return server.stream(id, .begin(ServerSentEvents.response(begin + bytes)))
        }
        if !bytes.isEmpty { server.stream(id, .piece(bytes)) }
    }

    /// Ends a response. The client may resume from its last id.
    private func end(_ reader: TailReader) {
        let id = reader.request.id
        if reader.hasBegun {
            server.stream(id, .end)
        } else {
            server.answer(id, .problem(HostLimits.unavailable))
        }
    }

    /// Ends all responses at shutdown.
    func end() {
        tails.forEach(end)
        tails = []
    }

    private func isMember(_ person: PersonID, of circle: CircleID) -> Bool {
        context.replica?.circle(circle)?.member(person) != nil
    }
}

extension EventFilter {
    /// Parses the query of a request.
    fileprivate init(
        _ query: Query, served: [StreamName], now: Timestamp
    ) throws(Problem) {
        self.init()
        for item in query.items {
            switch item.name {
            case "stream":
                let named = EventFilter.streams(named: item.value).filter(served.contains)
                guard !named.isEmpty else {
                    let names = Set(served.map { $0.text.prefix { $0 != "/" } }).sorted()
                    throw .invalid(
                        "this service keeps no such stream", field: "stream",
                        hint: "send one of " + names.joined(separator: ", "))
                }
                streams += named
            case "type":
                guard let type = EventFilter.type(beginning: item.value) else {
                    throw .invalid(
                        "no event type has this prefix", field: "type",
                        hint: "docs/events.md lists all types")
                }
                types.append(type)
            case "person":
                guard PersonID(item.value) != nil else {
                    throw .invalid("not the id of a person", field: "person")
                }
                person = item.value
            case "circle":
                guard CircleID(item.value) != nil else {
                    throw .invalid("not the id of a circle", field: "circle")
                }
                circle = item.value
            case "since":
                since = EventFilter.time(item.value, now: now)
                guard since != nil else {
                    throw .invalid(
                        "neither a time nor an age", field: "since",
                        hint: "send an age such as 30s, 10m, 2h or 1d, or a time such as "
                            + "2026-11-20T10:20:00Z")
                }
            case "pii", "until", "reason": break
            default:
                throw .invalid(
                    "unknown parameter", field: item.name,
                    hint: "use stream, type, person, circle, since, until, pii or reason")
            }
        }
    }
}
