import Hosting
import Model
import Parsing
import Runtime
import Web

/// Client of one service's event stream over HTTP (server-sent events). Resumes after the last
/// event when a response ends.
final class EventSource {
    /// An item of the event stream.
    enum Item {
        case event(JSON)
        /// Records were removed before they were read.
        case gap(JSON)
        /// The stream has another incarnation since a restore, and starts again.
        case diverged(String)
        /// An event of a person's live stream, or another one with a name.
        case named(String, JSON)
    }

    /// How a response ended.
    enum End {
        /// The response ended; `isWhole` is false if the connection broke.
        case ended(isWhole: Bool)
        /// No response, or the service is too busy.
        case unreachable(String, isBusy: Bool = false)
        case rejected(TransferAnswer)
    }

    let service: ServiceName
    let transfers = Transfers()
    private let url: String
    private let token: String
    private let authorities: String?
    /// Includes the start time if no event id is known.
    private var query: [(name: String, value: String)]
    private var lastEventID: String?
    private var lines = EventLines()
    private var lastTransfer: UInt64 = 0
    /// Whether a response is being received.
    private(set) var isOpen = false
    /// When data was last received, and whether any ever was.
    private(set) var lastReceived: Duration = .zero
    private(set) var hasReceived = false

    /// Responses are limited in time, so that tokens are checked again and proxies do not time out.
    private static let answerMilliseconds = 3_600_000
    /// Timeout without data. A service sends a keep-alive every 15 s.
    static let receiveTimeout = Duration.seconds(45)

    /// - Parameters:
    ///   - url: of the suite, without a trailing slash
    ///   - path: of the stream; nil = that of the service's events
    ///   - authorities: PEM file of trusted certificates, in place of the system's
    init(
        _ service: ServiceName, at url: String, path: String? = nil, token: String,
        authorities: String?, _ query: [(String, String)] = []
    ) {
        self.service = service
        self.url = url + (path ?? "/v1/tail/" + service.rawValue)
        self.token = token
        self.authorities = authorities
        self.query = query.map { (name: $0.0, value: $0.1) }
    }

    /// Requests all events after the last known one.
    ///
    /// - Parameter since: start time if no event is known and the query has none; nil = the
    ///   service decides
    func open(at now: Duration, since: String?) {
        lines = EventLines()
        isOpen = true
        lastReceived = now
        lastTransfer += 1
        if let since, hasReceived, !query.contains(where: { $0.name == "since" }) {
            query.append((name: "since", value: since))
        }
        var headers: Headers = ["Authorization": "Bearer \(token)", "Accept": "text/event-stream"]
        if let lastEventID { headers["Last-Event-ID"] = lastEventID }
        let items = query.map { "\($0.name)=\(Percent.encode($0.value))" }
        let text = items.isEmpty ? url : url + "?" + items.joined(separator: "&")
        transfers.start(
            Transfer(
                token: lastTransfer,
                .http(
                    HTTPCall(
                        .get, text, headers: headers, authoritiesFile: authorities,
                        answerBytesMax: API.answerBytesMax)),
                timeoutMilliseconds: EventSource.answerMilliseconds))
    }

    /// Handles received data.
    ///
    /// - Returns: how the response ended, if it did
    func step(at now: Duration, handle: (Item) -> Void) -> End? {
        let results = transfers.drain()
        read(transfers.drainBody(of: lastTransfer), at: now, handle)
        guard let result = results.first(where: { $0.token == lastTransfer }) else {
            guard isOpen, now - lastReceived > EventSource.receiveTimeout else { return nil }
            // Later data of this transfer is ignored.
            lastTransfer += 1
            isOpen = false
            return .unreachable("no data received")
        }
        isOpen = false
        switch result.outcome {
        case .failed(let failure): return .unreachable(failure.message)
        case .answered(let answer) where answer.status == 200:
            hasReceived = true
            read(answer.body, at: now, handle)
            return .ended(isWhole: !answer.isCut)
        case .answered(let answer) where [502, 503, 504].contains(answer.status):
            let detail = EventSource.detail(of: answer.body)
            return .unreachable(detail ?? "status \(answer.status)", isBusy: detail != nil)
        case .answered(let answer): return .rejected(answer)
        }
    }

    /// The problem in a service's response; nil if a proxy answered.
    static func detail(of body: [UInt8]) -> String? {
        let problem = try? JSON.parse(body)
        return (problem?["detail"]?.string ?? problem?["title"]?.string)?.onOneLine
    }

    private func read(_ bytes: [UInt8], at now: Duration, _ handle: (Item) -> Void) {
        guard !bytes.isEmpty else { return }
        lastReceived = now
        hasReceived = true
        lines.read(bytes) { name, id, data in
            if let id { lastEventID = id }
            guard let json = try? JSON.parse(Array(data.utf8)) else { return }
            switch name {
            case "": handle(.event(json))
            case "gap": handle(.gap(json))
            case "diverged": handle(.diverged(json["stream"]?.string ?? ""))
            default: handle(.named(name, json))
            }
        }
    }
}

/// Parser of server-sent events.
struct EventLines {
    private var rest: [UInt8] = []
    private var name = ""
    private var id: String?
    private var data = ""

    /// - Parameter handle: receives name, id and data of each event; an event with only an id has
    ///   no data
    mutating func read(
        _ bytes: [UInt8], handle: (_ name: String, _ id: String?, _ data: String) -> Void
    ) {
        rest += bytes
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(of: 10) {
            let line = String(decoding: rest[start..<end], as: UTF8.self)
            start = end + 1
            if line.isEmpty {
                handle(name, id, data)
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
