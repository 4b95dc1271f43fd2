import Hosting
import Model
import Parsing
import Runtime
import Web
import Wire

/// Reads streams over HTTP with a token, from any host. The suite masks personal data.
final class RemoteListener {
    private let name: String
    private let url: String
    private let token: Token
    private let scope: Listener.Scope
    private let sources: [EventSource]
    private let clock = SystemClock()
    /// Start time for services that never sent an event id.
    private let began: Timestamp
    /// Last shown sequence of each stream, to skip repeated events.
    private var shown: [String: Int] = [:]
    private var finished: Set<ServiceName> = []
    private var unreachable: Set<ServiceName> = []
    private var retries: [ServiceName: Duration] = [:]

    /// Whether a call asks for events over HTTP.
    static func isRequested(by call: Call) -> Bool {
        ["--url", "--token-file", "--cacert"].contains { call.value($0) != nil }
    }

    init(_ call: Call, _ filter: EventFilter, _ scope: Listener.Scope) throws {
        let name = "jaga \(call.syntax.name)"
        let url = API.url(of: call)
        let token = try Token.operator(of: call)
        let authorities = try Authorities.file(of: call)
        self.name = name
        self.url = url
        self.token = token
        self.scope = scope
        began = clock.now
        sources = ServiceName.keepers.compactMap { service -> EventSource? in
            let wanted = service.served.filter(filter.includes)
            guard !wanted.isEmpty else { return nil }
            var query = filter.query(of: service, wanted)
            if call.has("--pii"), service == .ingest {
                query.append(("pii", "true"))
                query.append(("reason", call.value("--access-reason") ?? ""))
            }
            if scope == .stored { query.append(("until", "now")) }
            return EventSource(
                service, at: url, token: token.text, authorities: authorities, query)
        }
    }

    /// Receives events until `isEnough` returns true or the scope is exhausted.
    ///
    /// - Throws: ``CommandError`` for invalid calls, and if no service answers, unless the scope
    ///   waits
    func receive(until isEnough: () -> Bool, handle: (JSON) -> Void) throws {
        while !isEnough(), finished.count < sources.count {
            let now = clock.monotonic
            for source in sources where !source.isOpen && !finished.contains(source.service) {
                guard retries[source.service].map({ $0 <= now }) ?? true else { continue }
                source.open(at: now, since: began.description)
            }
            Loop.wait(on: sources.map(\.transfers), atMost: 250)
            for source in sources { try step(source, handle) }
        }
        for source in sources { source.transfers.stop() }
    }

    private func step(_ source: EventSource, _ handle: (JSON) -> Void) throws {
        let before = source.lastReceived
        let end = source.step(at: clock.monotonic) { item in
            switch item {
            case .event(let event): if isNew(event) { handle(event) }
            case .diverged(let stream):
                shown[stream] = nil
                Console.printError("\(name): \(stream) has another incarnation since a restore")
            case .named: break
            case .gap(let gap):
                let range = "\(gap["from"]?.text ?? "?") to \(gap["to"]?.text ?? "?")"
                Console.printError(
                    "\(name): \(gap["stream"]?.string ?? "") \(range) are no longer stored")
            }
        }
        let service = source.service
        if source.lastReceived != before, source.isOpen, unreachable.remove(service) != nil {
            Console.printError("\(name): \(service.rawValue) answers again")
        }
        switch end {
        case nil: break
        case .ended(isWhole: true) where scope == .stored: finished.insert(service)
        case .ended where scope == .stored:
            try handleUnreachable(source, "the connection was interrupted")
        case .ended: retries[service] = clock.monotonic + .seconds(1)
        case .unreachable(let why, let isBusy): try handleUnreachable(source, why, isBusy: isBusy)
        case .rejected(let answer): throw error(answer)
        }
    }

    /// Handles a service that does not answer: retries, or throws if the scope does not wait.
    private func handleUnreachable(_ source: EventSource, _ why: String, isBusy: Bool = false)
        throws
    {
        let sentence =
            isBusy
            ? "\(source.service.rawValue) is busy: \(why)"
            : "\(source.service.rawValue) does not answer at \(url): \(why)"
        let mayWait =
            scope == .liveWaiting || source.hasReceived || sources.contains(where: \.hasReceived)
        guard scope != .stored, mayWait else {
            throw CommandError(
                sentence,
                hint: isBusy
                    ? "retry later, or with fewer concurrent followers"
                    : "check --url and that the suite is running"
                        + (url.hasPrefix("https:") ? " " + Authorities.hint : ""))
        }
        if unreachable.insert(source.service).inserted {
            Console.printError("\(name): \(sentence); waiting")
        }
        retries[source.service] = clock.monotonic + .seconds(1)
    }

    private func isNew(_ event: JSON) -> Bool {
        guard let stream = event["jagastream"]?.string, let number = event["jagaseq"]?.int else {
            return false
        }
        guard number > shown[stream] ?? 0 else { return false }
        shown[stream] = number
        return true
    }

    private func error(_ answer: TransferAnswer) -> CommandError {
        .rejected(answer, by: url, token)
    }
}

extension CommandError {
    /// A response to a request for events that is neither a stream nor "retry later".
    static func rejected(
        _ answer: TransferAnswer, by url: String, _ token: Token
    ) -> CommandError {
        if answer.status == 401 {
            return CommandError("the suite rejects \(token.origin)", hint: token.hint)
        }
        guard let detail = EventSource.detail(of: answer.body) else {
            return CommandError(
                "\(url) answered \(answer.status)", hint: "check that --url is a Jaga suite")
        }
        return CommandError(detail, hint: (try? JSON.parse(answer.body))?["hint"]?.string ?? "")
    }
}

extension EventFilter {
    /// The query for a service. The rest of the filter is applied by the client.
    ///
    /// - Parameter wanted: the service's streams that may have matching events
    func query(of service: ServiceName, _ wanted: [StreamName]) -> [(String, String)] {
        var query: [(String, String)] = []
        func family(_ stream: StreamName) -> Substring { stream.text.prefix { $0 != "/" } }
        if wanted.count < service.served.count {
            for (name, streams) in Dictionary(grouping: wanted, by: family).sorted(by: {
                $0.key < $1.key
            }) {
                let isWhole = streams.count == service.served.count { family($0) == name }
                query += (isWhole ? [String(name)] : streams.map(\.text)).map { ("stream", $0) }
            }
        }
        let begins = types.isEmpty && eitherStreams.isEmpty ? eitherTypes : types
        query += begins.map { ("type", $0) }
        if let person { query.append(("person", person)) }
        if let circle { query.append(("circle", circle)) }
        if let since { query.append(("since", since.description)) }
        return query
    }

    /// Whether an event received as JSON matches. Time, person and circle were checked by the
    /// service.
    func includes(_ event: JSON) -> Bool {
        guard let type = event["type"]?.string, let text = event["jagastream"]?.string,
            let stream = StreamName(text: text), includes(stream)
        else { return false }
        guard types.isEmpty || types.contains(where: { type.hasPrefix($0) }) else { return false }
        return (eitherStreams.isEmpty && eitherTypes.isEmpty) || eitherStreams.contains(stream)
            || eitherTypes.contains { type.hasPrefix($0) }
    }
}
