import Hosting
import Parsing
import Runtime
import Web

/// The events of one service over HTTP: server-sent events, read again from where they broke off.
final class EventSource {
    /// What comes of it.
    enum News {
        case event(JSON)
        /// Records of a stream are gone before they were read.
        case gap(JSON)
        /// A stream is another one since a restore, and begins again.
        case diverged(String)
    }

    /// How an answer ended.
    enum End {
        /// As every answer with an end does; not whole where it broke off.
        case over(isWhole: Bool)
        /// There was none, or the service has no time, which it says itself.
        case unreachable(String, isBusy: Bool = false)
        case refused(TransferAnswer)
    }

    let service: ServiceName
    let transfers = Transfers()
    private let url: String
    private let token: String
    private let authorities: String?
    /// With the time from which on events are wanted, where nothing is known of a place.
    private var query: [(name: String, value: String)]
    private var place: String?
    private var lines = EventLines()
    private var lastTransfer: UInt64 = 0
    /// Whether an answer is under way.
    private(set) var isOpen = false
    /// When anything came last, and whether it ever did.
    private(set) var heard: Duration = .zero
    private(set) var hasBegun = false

    /// Answers begin anew after so long: the token is looked at again, and no proxy is tried.
    private static let answerMilliseconds = 3_600_000
    /// A service says something every 15 s.
    static let silence = Duration.seconds(45)

    /// - Parameters:
    ///   - url: of the suite, without a slash at its end
    ///   - authorities: PEM file of those believed in place of the system's
    init(
        _ service: ServiceName, at url: String, token: String, authorities: String?,
        _ query: [(String, String)]
    ) {
        self.service = service
        self.url = url + "/v1/tail/" + service.rawValue
        self.token = token
        self.authorities = authorities
        self.query = query.map { (name: $0.0, value: $0.1) }
    }

    /// Asks for everything after the last place that is known.
    ///
    /// - Parameter since: where no place is known and the query has no time
    func open(at now: Duration, since: String) {
        lines = EventLines()
        isOpen = true
        heard = now
        lastTransfer += 1
        if hasBegun, !query.contains(where: { $0.name == "since" }) {
            query.append((name: "since", value: since))
        }
        var headers: Headers = ["Authorization": "Bearer \(token)", "Accept": "text/event-stream"]
        if let place { headers["Last-Event-ID"] = place }
        let words = query.map { "\($0.name)=\(Percent.encode($0.value))" }
        let text = words.isEmpty ? url : url + "?" + words.joined(separator: "&")
        transfers.start(
            Transfer(
                token: lastTransfer,
                .http(
                    HTTPCall(
                        .get, text, headers: headers, authoritiesFile: authorities,
                        answerBytesMax: API.answerBytesMax)),
                timeoutMilliseconds: EventSource.answerMilliseconds))
    }

    /// Takes what came.
    ///
    /// - Returns: how the answer ended, if it did
    func step(at now: Duration, take: (News) -> Void) -> End? {
        let results = transfers.drain()
        read(transfers.takeBody(of: lastTransfer), at: now, take)
        guard let result = results.first(where: { $0.token == lastTransfer }) else {
            guard isOpen, now - heard > EventSource.silence else { return nil }
            // What comes of it yet is of a transfer that nobody asks for any more.
            lastTransfer += 1
            isOpen = false
            return .unreachable("nothing comes any more")
        }
        isOpen = false
        switch result.outcome {
        case .failed(let failure): return .unreachable(failure.message)
        case .answered(let answer) where answer.status == 200:
            hasBegun = true
            read(answer.body, at: now, take)
            return .over(isWhole: !answer.isCut)
        case .answered(let answer) where [502, 503, 504].contains(answer.status):
            let words = EventSource.words(of: answer.body)
            return .unreachable(words ?? "it is answered \(answer.status)", isBusy: words != nil)
        case .answered(let answer): return .refused(answer)
        }
    }

    /// What a service itself says against a request; nil where it is a proxy that answers.
    static func words(of body: [UInt8]) -> String? {
        let problem = try? JSON.parse(body)
        return (problem?["detail"]?.string ?? problem?["title"]?.string)?.onOneLine
    }

    private func read(_ bytes: [UInt8], at now: Duration, _ take: (News) -> Void) {
        guard !bytes.isEmpty else { return }
        heard = now
        hasBegun = true
        lines.read(bytes) { name, id, data in
            if let id { place = id }
            guard let json = try? JSON.parse(Array(data.utf8)) else { return }
            switch name {
            case "": take(.event(json))
            case "gap": take(.gap(json))
            case "diverged": take(.diverged(json["stream"]?.string ?? ""))
            default: break
            }
        }
    }
}

/// The lines of server-sent events, put together to events.
struct EventLines {
    private var rest: [UInt8] = []
    private var name = ""
    private var id: String?
    private var data = ""

    /// - Parameter take: gets name, id and data of each event; one that only has an id has no data
    mutating func read(
        _ bytes: [UInt8], take: (_ name: String, _ id: String?, _ data: String) -> Void
    ) {
        rest += bytes
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(of: 10) {
            let line = String(decoding: rest[start..<end], as: UTF8.self)
            start = end + 1
            if line.isEmpty {
                take(name, id, data)
                (name, id, data) = ("", nil, "")
            } else if line.hasPrefix("id: ") {
                id = String(line.dropFirst(4))
            } else if line.hasPrefix("event: ") {
                name = String(line.dropFirst(7))
            } else if line.hasPrefix("data: ") {
                data += line.dropFirst(6)
            }
        }
        rest.removeSubrange(..<start)
    }
}
