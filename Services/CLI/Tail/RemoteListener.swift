import Hosting
import Model
import Parsing
import Runtime
import Web
import Wire

/// The streams of a suite over HTTP, from any host, with a token: the suite masks what is private.
final class RemoteListener {
    private let name: String
    private let url: String
    private let token: Token
    private let course: Listener.Course
    private let sources: [EventSource]
    private let clock = SystemClock()
    /// From when on events are wanted where a service never said how far they were read.
    private let began: Timestamp
    /// Up to where each stream was shown: what comes again is not shown again.
    private var shown: [String: Int] = [:]
    private var isOver: Set<ServiceName> = []
    private var complained: Set<ServiceName> = []
    private var retries: [ServiceName: Duration] = [:]

    /// Whether a call wants events over HTTP.
    static func isMeant(by call: Call) -> Bool {
        ["--url", "--token-file", "--cacert"].contains { call.value($0) != nil }
    }

    init(_ call: Call, _ filter: EventFilter, _ course: Listener.Course) throws {
        let name = "jaga \(call.syntax.name)"
        let url = API.url(of: call)
        let token = try Token.operator(of: call)
        let authorities = try Authorities.file(of: call)
        self.name = name
        self.url = url
        self.token = token
        self.course = course
        began = clock.now
        sources = ServiceName.keepers.compactMap { service -> EventSource? in
            let wanted = service.served.filter(filter.wants)
            guard !wanted.isEmpty else { return nil }
            var query = filter.query(of: service, wanted)
            if call.has("--pii"), service == .ingest { query.append(("pii", "true")) }
            if course == .past { query.append(("until", "now")) }
            return EventSource(
                service, at: url, token: token.text, authorities: authorities, query)
        }
    }

    /// Hears what comes until the closure says that it is enough, or the course is at its end.
    ///
    /// - Throws: ``CommandError`` for what is wrong with the call, and where nobody answers, unless
    ///   whoever comes is waited for
    func hear(until isEnough: () -> Bool, take: (JSON) -> Void) throws {
        while !isEnough(), isOver.count < sources.count {
            let now = clock.monotonic
            for source in sources where !source.isOpen && !isOver.contains(source.service) {
                guard retries[source.service].map({ $0 <= now }) ?? true else { continue }
                source.open(at: now, since: began.description)
            }
            Loop.wait(on: sources.map(\.transfers), atMost: 250)
            for source in sources { try step(source, take) }
        }
        for source in sources { source.transfers.stop() }
    }

    private func step(_ source: EventSource, _ take: (JSON) -> Void) throws {
        let wasHeard = source.heard
        let end = source.step(at: clock.monotonic) { news in
            switch news {
            case .event(let event): if isNew(event) { take(event) }
            case .diverged(let stream):
                shown[stream] = nil
                Console.complain("\(name): \(stream) is another stream since a restore")
            case .gap(let gap):
                let range = "\(gap["from"]?.text ?? "?") to \(gap["to"]?.text ?? "?")"
                Console.complain(
                    "\(name): \(gap["stream"]?.string ?? "") \(range) are kept no longer")
            }
        }
        let service = source.service
        if source.heard != wasHeard, source.isOpen, complained.remove(service) != nil {
            Console.complain("\(name): \(service.rawValue) is heard")
        }
        switch end {
        case nil: break
        case .over(isWhole: true) where course == .past: isOver.insert(service)
        case .over where course == .past: try miss(source, "its answer broke off")
        case .over: retries[service] = clock.monotonic + .seconds(1)
        case .unreachable(let why, let isBusy): try miss(source, why, isBusy: isBusy)
        case .refused(let answer): throw refusal(answer)
        }
    }

    /// Somebody does not answer: tried again, where there is time.
    private func miss(_ source: EventSource, _ why: String, isBusy: Bool = false) throws {
        let sentence =
            isBusy
            ? "\(source.service.rawValue) has no time: \(why)"
            : "\(source.service.rawValue) does not answer at \(url): \(why)"
        let mayWait = course == .future || source.hasBegun || sources.contains(where: \.hasBegun)
        guard course != .past, mayWait else {
            throw CommandError(
                sentence,
                hint: isBusy
                    ? "try again in a while, with fewer who follow"
                    : "does --url lead to Jaga? is it running?"
                        + (url.hasPrefix("https:") ? " " + Authorities.hint : ""))
        }
        if complained.insert(source.service).inserted {
            Console.complain("\(name): \(sentence); waiting")
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

    private func refusal(_ answer: TransferAnswer) -> CommandError {
        if answer.status == 401 {
            return CommandError("the suite does not know \(token.origin)", hint: token.hint)
        }
        guard let detail = EventSource.words(of: answer.body) else {
            return CommandError(
                "\(url) answered \(answer.status)", hint: "does --url lead to Jaga?")
        }
        return CommandError(detail, hint: (try? JSON.parse(answer.body))?["hint"]?.string ?? "")
    }
}

extension EventFilter {
    /// What a service is asked for; what is left of the filter is for whoever asks.
    ///
    /// - Parameter wanted: its streams of which any event may be wanted
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
        let begins = types.isEmpty && wordStreams.isEmpty ? wordTypes : types
        query += begins.map { ("type", $0) }
        if let person { query.append(("person", person)) }
        if let circle { query.append(("circle", circle)) }
        if let since { query.append(("since", since.description)) }
        return query
    }

    /// Whether an event that came as JSON is wanted; time, person and circle were looked at.
    func wants(_ event: JSON) -> Bool {
        guard let type = event["type"]?.string, let text = event["jagastream"]?.string,
            let stream = StreamName(text: text), wants(stream)
        else { return false }
        guard types.isEmpty || types.contains(where: { type.hasPrefix($0) }) else { return false }
        return (wordStreams.isEmpty && wordTypes.isEmpty) || wordStreams.contains(stream)
            || wordTypes.contains { type.hasPrefix($0) }
    }
}
