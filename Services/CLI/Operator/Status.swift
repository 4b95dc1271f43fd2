import Bus
import Hosting
import Model
import Parsing
import Runtime
import Web

/// `jaga status`: shows the state of the suite.
enum Status: Command {
    static let syntax = Syntax(
        name: "status",
        summary: "show services, streams with their readers, messages and gateways",
        details: """
            'behind' is the number of records that a reader has not stored yet, summed over
            partitions of in and events. Evaluators are shown with the partitions that they own. The
            exit status is 0 if every service is ready and none rejects reports, else 1. With a
            token of 'jaga admin monitoring-token', texts of gateways and libraries are masked.
            """,
        options: [.json, .portBase, .tokenFile] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let ports = Ports(try call.configuration(CommonSettings.network))
        let report = try StatusReport(
            of: api,
            evaluator: isHere(api.url) ? "http://\(ports.here):\(ports.http(.evaluator))" : nil)
        if call.has("--json") {
            Console.print(report.json.text)
        } else {
            Console.write(report.text(now: SystemClock().now))
        }
        return report.isReady ? 0 : 1
    }

    /// Whether the suite runs on this machine, so that local ports belong to it.
    static func isHere(_ url: String) -> Bool {
        let place = url.drop { $0 != ":" }.dropFirst(3)
        return place.hasPrefix("[::1]")
            || BusSecurity.isLocal(host: place.prefix { $0 != "/" && $0 != ":" })
    }
}

/// State of the services.
struct StatusReport {
    /// Response of each service; nil if none.
    private var documents: [(service: Service, json: JSON?)] = []

    /// Queries every service. An evaluator is queried at its own port, since it has no public
    /// route.
    ///
    /// - Parameter evaluator: URL of an evaluator; nil = unknown
    /// - Throws: if the origin does not respond, or the token is not accepted
    init(of api: API, evaluator: String?) throws {
        for service in Service.allCases {
            if service == .evaluator {
                let answer = evaluator.flatMap {
                    try? api.exchange(HTTPCall(.get, $0 + "/v1/status/evaluator"))
                }
                documents.append((service, answer.flatMap { try? JSON.parse($0.body) }))
            } else {
                documents.append((service, try api.getIfThere("/v1/status/\(service.rawValue)")))
            }
        }
    }

    init(documents: [(service: Service, json: JSON?)]) { self.documents = documents }

    var isReady: Bool {
        documents.allSatisfy { service, json in
            guard service == .evaluator, json == nil else {
                return json?["ready"]?.bool == true && json?["rejecting"]?.bool != true
            }
            return evaluators.map(\.areReady) ?? false
        }
    }

    /// Evaluators as ingest reports them, since most have dynamic ports.
    private var evaluators: Owners? { details(.ingest).map(Owners.init) }

    var json: JSON {
        .object(documents.map { .init($0.service.rawValue, $0.json ?? .null) })
    }

    /// The whole report for people.
    func text(now: Timestamp) -> String {
        let parts = [
            services(now: now), healthProblems, streams.lines, partitions, work(now), gateways,
        ]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
            .joined(separator: "\n")
    }

    private func services(now: Timestamp) -> [String] {
        var table = Table("service", "state", "version", "up for")
        for (service, json) in documents {
            guard let json else {
                let count = service == .evaluator ? evaluators?.count ?? 0 : 0
                let state =
                    count > 0 ? "\(count) running" : Console.paint("no response", .red)
                table.add(service.rawValue, state, "", "")
                continue
            }
            let started = json["started"]?.string.flatMap { Timestamp($0) }
            let isReady = json["ready"]?.bool == true
            let isRejecting = json["rejecting"]?.bool == true
            let state = isReady ? (isRejecting ? "rejecting" : "ready") : "not ready"
            table.add(
                service.rawValue,
                Console.paint(state, isReady && !isRejecting ? .green : .red),
                json.cell("version"), started.map { Age.text(now - $0) } ?? "")
        }
        return table.lines
    }

    /// Owners of partitions, as ingest reports them.
    private var partitions: [String] { evaluators?.lines ?? [] }

    private var healthProblems: [String] {
        documents.flatMap { service, json in
            (json?["problems"]?.array ?? []).compactMap(\.string).map {
                Console.paint("! \(service.rawValue): \($0.onOneLine)", .red)
            }
        }
    }

    // MARK: Streams

    /// Lag from which a reader is highlighted; equals the threshold of the lag alert.
    private static let lagMax = 1000

    /// A stream, or all partitions of one.
    private struct Line {
        var keeper = ""
        var count = 0
        var records = 0
        /// Records that each reader has stored.
        var readers: [(name: String, read: Int)] = []

        mutating func add(_ reader: String, read: Int) {
            if let index = readers.firstIndex(where: { $0.name == reader }) {
                readers[index].read += read
            } else {
                readers.append((reader, read))
            }
        }
    }

    /// Streams with their readers, as the keeping services report them.
    private var streams: Table {
        var lines: [(name: String, line: Line)] = []
        func change(_ stream: String, _ body: (inout Line) -> Void) {
            let name = String(stream.prefix { $0 != "/" })
            let index = lines.firstIndex { $0.name == name } ?? lines.count
            if index == lines.count { lines.append((name, Line())) }
            body(&lines[index].line)
        }
        for (service, json) in documents {
            for stream in json?["streams"]?.array ?? [] {
                change(stream.cell("stream")) { line in
                    line.keeper = service.rawValue
                    line.count += 1
                    line.records += stream["head"]?.int ?? 0
                }
            }
            for reader in json?["consumers"]?.array ?? [] {
                change(reader.cell("stream")) { line in
                    line.keeper = service.rawValue
                    line.add(reader.cell("consumer"), read: reader["position"]?.int ?? 0)
                }
            }
        }
        var table = Table("stream", "kept by", "records", "read by (behind)")
        for (name, line) in lines {
            var readers = line.readers.map { reader in
                let behind = max(0, line.records - reader.read)
                let text = "\(reader.name) (\(behind))"
                return lagging(text, behind)
            }
            if name == "in", let text = evaluatorsReading(of: line.records) {
                readers.append(text)
            }
            let label = name == "in" || name == "events" ? "\(name), 64 partitions" : name
            table.add(label, line.keeper, String(line.records), readers.joined(separator: ", "))
        }
        return table
    }

    /// Position of evaluators, which acknowledge nothing. A single one reports its own position; of
    /// several, ingest knows which partitions are live.
    private func evaluatorsReading(of records: Int) -> String? {
        guard let owners = evaluators, owners.count > 0 else { return nil }
        let own = documents.first { $0.service == .evaluator }?.json
        if owners.count == 1, let cursors = own?["cursors"]?.array {
            let inputs = cursors.filter { $0.cell("stream").hasPrefix("in/") }
            let read = inputs.reduce(0) { $0 + ($1["applied"]?.int ?? 0) }
            return lagging("evaluator (\(max(0, records - read)))", records - read)
        }
        let name = owners.count == 1 ? "evaluator" : "\(owners.count) evaluators"
        let behind = Partition.count - owners.liveCount
        guard behind > 0 else { return "\(name) (live)" }
        return Console.paint("\(name) (\(behind) partitions not live)", .yellow)
    }

    private func lagging(_ text: String, _ behind: Int) -> String {
        Console.paint(text, .yellow, if: Console.hasColors && behind >= Self.lagMax)
    }

    // MARK: Work

    private func details(_ service: Service) -> JSON? {
        documents.first { $0.service == service }?.json?["details"]
    }

    private func work(_ now: Timestamp) -> [String] {
        var lines: [String] = []
        if let ingest = details(.ingest) {
            lines.append(
                "devices \(ingest.cell("devices")), reports waiting \(ingest.cell("waiting"))")
        }
        if let timer = details(.timer) {
            let undelivered = timer["undelivered"]?.array?.count ?? 0
            lines.append(
                "deadlines \(timer.cell("deadlines")), watches \(timer.cell("watches")), "
                    + alarming("emergencies without delivery", undelivered))
        }
        if let notifier = details(.notifier) {
            let lanes = notifier["lanes"]?.array ?? []
            func sum(_ key: String) -> Int { lanes.reduce(0) { $0 + ($1[key]?.int ?? 0) } }
            lines.append(
                alarming("emergencies open", notifier["openEmergencies"]?.int ?? 0)
                    + ", acknowledged \(notifier.cell("acknowledgedEmergencies"))")
            lines.append(
                "messages queued \(sum("waiting")), in flight \(sum("inFlight")), "
                    + "to be retried \(notifier.cell("retrying"))")
            if let line = heartbeat(of: notifier, now) { lines.append(line) }
        }
        return lines
    }

    /// When the heartbeat was last sent, and why the last round was skipped; nil without a monitor.
    private func heartbeat(of notifier: JSON, _ now: Timestamp) -> String? {
        guard let heartbeat = notifier["heartbeat"], let missing = heartbeat["missing"]?.array
        else { return nil }
        let sent = heartbeat["lastSent"]?.string.flatMap { Timestamp($0) }
        let text =
            sent.map { "heartbeat sent \(Age.text(now - $0)) ago" } ?? "no heartbeat sent yet"
        guard !missing.isEmpty else { return text }
        let why = missing.compactMap(\.string?.onOneLine).joined(separator: "; ")
        return Console.paint("\(text); last round skipped: \(why)", .red)
    }

    /// A count that should be 0, red otherwise.
    private func alarming(_ what: String, _ count: Int) -> String {
        Console.paint("\(what) \(count)", .red, if: Console.hasColors && count > 0)
    }

    private var gateways: [String] {
        let gateways = details(.notifier)?["gateways"]?.array ?? []
        return gateways.isEmpty ? [] : Gateway.table(of: gateways).lines
    }
}

/// Renders durations for people.
enum Age {
    /// Text such as `45 s`, `12 min`, `3 h 20 min` or `4 d 2 h`.
    static func text(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min"
        case ..<86_400: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: return "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }
}
