import Bus
import Directory
import Model
import Parsing
import Runtime
import Web
import Wire

// `GET /v1/tail/<service>`: what `jaga tail` shows of the streams that a service keeps, as
// server-sent events.
extension Host {
    var tailPath: String { "/v1/tail/\(definition.name.rawValue)" }

    /// Whether a request wants to follow events here.
    func isTail(_ request: Request) -> Bool {
        request.method == .get && request.path == tailPath && !definition.name.served.isEmpty
    }

    /// Begins an answer that goes on for as long as its reader likes.
    func follow(_ request: Request) {
        do {
            try checkFollower(request)
            try checkPlace(isMonitor: isMonitor(request))
            let reader = try makeReader(request)
            try reader.resume(bus)
            tails.append(reader)
        } catch let problem as Problem {
            parts.server.answer(request.id, .problem(problem))
        } catch {
            log.error(error, ["reading": "streams"])
            parts.server.answer(request.id, .problem(HostLimits.unavailable))
        }
    }

    /// Refuses whoever finds no place: those who only watch leave some to the operator.
    private func checkPlace(isMonitor: Bool) throws(Problem) {
        let watching = tails.count(where: \.isMonitor)
        let isFree =
            tails.count < HostLimits.tailsMax
            && (!isMonitor || watching < HostLimits.tailsMax - HostLimits.tailsOfOperator)
        guard isFree else {
            throw .unavailable("too many follow events now", retryAfterSeconds: 5)
        }
    }

    private func makeReader(_ request: Request) throws -> TailReader {
        let filter = try EventFilter(request.query, served: definition.name.served, now: now)
        let streams = definition.name.served.filter(filter.wants)
        let showsAll = try request.flag("pii")
        let isMonitor = isMonitor(request)
        guard !showsAll || !isMonitor else {
            throw Problem.denied("the monitoring token shows nothing that is private")
        }
        guard !showsAll || service?.keepsAccessLog == true else {
            throw Problem.invalid(
                "\(definition.name.rawValue) keeps no access log", field: "pii",
                hint: "ask ingest, or leave it out")
        }
        var place = TailPlace()
        if let text = request.headers["Last-Event-ID"], !text.isEmpty {
            guard let known = TailPlace(text) else {
                throw Problem.invalid(
                    "this is no place in streams", field: "Last-Event-ID",
                    hint: "send the last `id` that came")
            }
            place = known
        } else {
            for stream in streams {
                if let start = try start(of: stream, filter.since) {
                    place.read(stream, to: start)
                }
            }
        }
        let reader = TailReader(
            request, filter, showsAll: showsAll, isMonitor: isMonitor, streams: streams, at: place,
            now: now)
        switch request.query["until"] {
        case nil: break
        case "now": reader.goal = bus.heads
        default:
            throw Problem.invalid(
                "events are told until now, or without an end", field: "until",
                hint: "say until=now, or leave it out")
        }
        return reader
    }

    /// Refuses everybody but the operator and whoever has the monitoring token.
    private func checkFollower(_ request: Request) throws(Problem) {
        if !isMonitor(request) { try checkOperator(request) }
    }

    /// After which record of a stream somebody begins who begins.
    private func start(of stream: StreamName, _ since: Timestamp?) throws -> Position? {
        guard let extent = bus.extent(of: stream) else { return nil }
        guard let since else { return extent.head }
        // Clocks of services may differ a little; each event's own time is looked at besides.
        let sequence = try bus.sequence(of: stream, before: since - HostLimits.tailSkew)
        let hash = try bus.lastingHash(of: stream, at: sequence) ?? extent.base.hash
        return Position(incarnation: extent.head.incarnation, sequence: sequence, hash: hash)
    }

    /// Whether somebody can be given more at once.
    var hasTailWork: Bool {
        tails.contains { $0.isBehind(bus) && hasRoom($0) }
    }

    private func hasRoom(_ reader: TailReader) -> Bool {
        guard reader.hasBegun else { return true }
        return (parts.server.unsentBytes(of: reader.request.id) ?? 0) < HostLimits.tailUnsentBytes
    }

    /// A portion for everybody who has room for it; between turns.
    func serveTails() {
        guard !tails.isEmpty else { return }
        tails = tails.filter { reader in
            let id = reader.request.id
            if reader.hasBegun, parts.server.unsentBytes(of: id) == nil { return false }
            do {
                return try serve(reader)
            } catch {
                log.error(error, ["reading": "streams"])
                endTail(reader)
                return false
            }
        }
    }

    /// - Returns: whether it goes on
    private func serve(_ reader: TailReader) throws -> Bool {
        // However much there is to read: who is shown out is told nothing more.
        if now - reader.checked >= HostLimits.tailSign {
            guard isMonitor(reader.request) || principal(of: reader.request) == .operator else {
                endTail(reader)
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
        if portion.bytes.isEmpty, now - reader.spoken >= HostLimits.tailSign {
            portion.bytes = reader.sign(at: now)
        }
        if !portion.people.isEmpty {
            // Nothing is shown that is not noted for those whose it is.
            let people = portion.people
            if let failure = attempt({ try service?.noteLook(at: people) }) { throw failure }
        }
        say(portion.bytes, to: reader)
        if reader.hasReachedGoal { endTail(reader) }
        return !reader.hasReachedGoal
    }

    private func say(_ bytes: [UInt8], to reader: TailReader) {
        let id = reader.request.id
        guard reader.hasBegun else {
            reader.hasBegun = true
            let head: Headers = [
                "Content-Type": "text/event-stream", "X-Accel-Buffering": "no",
            ]
            let begin = Array(": \(definition.name.rawValue)\n\n".utf8)
            return parts.server.stream(
                id, .begin(Response(status: 200, headers: head, body: begin + bytes)))
        }
        if !bytes.isEmpty { parts.server.stream(id, .piece(bytes)) }
    }

    /// The reader may come again, and goes on from where it was.
    private func endTail(_ reader: TailReader) {
        let id = reader.request.id
        if reader.hasBegun {
            parts.server.stream(id, .end)
        } else {
            parts.server.answer(id, .problem(HostLimits.unavailable))
        }
    }

    /// Nobody is given more: the process ends.
    func endTails() {
        tails.forEach(endTail)
        tails = []
    }

    private func isMember(_ person: PersonID, of circle: CircleID) -> Bool {
        let replica = directory?.replica ?? service?.ownDirectory
        return replica?.circle(circle)?.member(person) != nil
    }
}

extension EventFilter {
    /// As the query of a request says.
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
                        "there is no such stream here", field: "stream",
                        hint: "kept here: " + names.joined(separator: ", "))
                }
                streams += named
            case "type":
                guard let type = EventFilter.type(beginning: item.value) else {
                    throw .invalid(
                        "no type begins so", field: "type", hint: "docs/events.md has all types")
                }
                types.append(type)
            case "person":
                guard PersonID(item.value) != nil else {
                    throw .invalid("this is no id of a person", field: "person")
                }
                person = item.value
            case "circle":
                guard CircleID(item.value) != nil else {
                    throw .invalid("this is no id of a circle", field: "circle")
                }
                circle = item.value
            case "since":
                since = EventFilter.moment(item.value, now: now)
                guard since != nil else {
                    throw .invalid(
                        "this is neither a time nor an age", field: "since",
                        hint: "such as 30s, 10m, 2h, 1d or 2026-11-20T10:20:00Z")
                }
            case "pii", "until": break
            default:
                throw .invalid(
                    "events are not told by this", field: item.name,
                    hint: "there are stream, type, person, circle, since, until and pii")
            }
        }
    }
}
