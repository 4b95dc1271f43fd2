import Hosting
import Model
import Parsing
import Runtime
import Wire

/// `jaga trace`: shows the path of a report, emergency or message through all services.
enum Trace: Command {
    static let syntax = Syntax(
        name: "trace", parameters: ["ID"],
        summary: "show the path of a report, emergency or message through all services",
        details: """
            ID is the X-Request-Id of a request, or the id of a report (rep_…), an emergency
            (emg_…), a message (ntf_…), a deadline (dln_…) or an event (evt_…). Reads every stream
            from the oldest stored record, a second time if related requests are found, and shows
            each step with its time and the time since the first step. Names, positions and numbers
            are not shown.

            Records that streams no longer have (JAGA_RETENTION_HOURS) are not found; 'jaga explain'
            has decisions of the last seven days.
            """,
        options: [
            .init(name: "--json", value: nil, help: "print CloudEvents JSON, one line each"),
            .portBase, .home,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let id = call.parameters[0]
        guard !id.hasPrefix("per_"), !id.hasPrefix("cir_"), !id.hasPrefix("dev_") else {
            throw CommandError.usage(
                "\(id) is not a report, emergency, message or request; use 'jaga tail --person'",
                syntax)
        }
        var journey = Journey(id)
        try read(call) { journey.collectRequests($0, $1, $2) }
        if journey.foundRequests {
            try read(call) { journey.append($0, $1, $2) }
        }
        guard !journey.events.isEmpty else {
            throw CommandError(
                "no stored record belongs to \(id)",
                hint: "streams keep records for JAGA_RETENTION_HOURS, and unread ones")
        }
        for line in call.has("--json") ? journey.jsonLines : journey.lines { Console.print(line) }
        return 0
    }

    private static func read(
        _ call: Call, _ handle: (Event, StreamName, Position) -> Void
    ) throws {
        let listener = try Listener(call, fromOldest: true, wants: { $0 != .directory })
        func decode(_ stream: StreamName, _ position: Position, _ record: Record) {
            do {
                handle(try EventCodec.decode(record), stream, position)
            } catch {
                Console.printError("jaga trace: \(stream.text) \(position.sequence): \(error)")
            }
        }
        try listener.receive(until: { false }, .stored, handle: decode)
    }
}

/// The events that belong to one id, in order of time.
struct Journey {
    /// An event and its position.
    struct Found: Equatable {
        let event: Event
        let stream: StreamName
        let position: Position
    }

    private let id: String
    /// Trace ids of related requests.
    private var traces: Set<String>
    private(set) var events: [Found] = []

    init(_ id: String) {
        self.id = id
        traces = [id]
    }

    /// Whether other requests are related, whose events a second pass finds.
    var foundRequests: Bool { traces.count > 1 }

    /// First pass: appends events that name the id, and collects the requests that led to them.
    mutating func collectRequests(_ event: Event, _ stream: StreamName, _ position: Position) {
        guard let found = find(event, stream, position) else { return }
        events.append(found)
        var requests = found.event.body.reports.map(\.trace)
        if requests.isEmpty { requests = [event.trace] }
        traces.formUnion(requests.filter { !$0.isEmpty })
    }

    /// Second pass: appends events of the id or of related requests.
    mutating func append(_ event: Event, _ stream: StreamName, _ position: Position) {
        guard let found = find(event, stream, position), !events.contains(found) else { return }
        events.append(found)
    }

    /// The event, with only the related reports of a batch; nil if it is unrelated.
    private func find(
        _ event: Event, _ stream: StreamName, _ position: Position
    ) -> Found? {
        if case .inputReports(let batch) = event.body {
            let mine = batch.reports.filter {
                traces.contains($0.trace) || id == "\($0.id)" || id == "\(event.id)"
            }
            guard !mine.isEmpty else { return nil }
            let part = Event(
                id: event.id, time: event.time, trace: event.trace,
                body: .inputReports(ReportBatch(mine)))
            return Found(event: part, stream: stream, position: position)
        }
        if traces.contains(event.trace) || id == "\(event.id)" {
            return Found(event: event, stream: stream, position: position)
        }
        // An event with another trace can only name the id, which is rare.
        guard id.dropFirst(3).hasPrefix("_"),
            let json = try? EventCodec.cloudEvent(event, stream: stream, position: position),
            json["data"]?.mentions([id]) == true
        else { return nil }
        return Found(event: event, stream: stream, position: position)
    }

    private var ordered: [(json: JSON, found: Found)] {
        events.sorted { left, right in
            let times = (left.event.time, right.event.time)
            if times.0 != times.1 { return times.0 < times.1 }
            let ranks = (Journey.rank(left.stream), Journey.rank(right.stream))
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            return left.position.sequence < right.position.sequence
        }.compactMap { found in
            let json = try? EventCodec.cloudEvent(
                found.event, stream: found.stream, position: found.position)
            return json.map { (Masking.mask($0), found) }
        }
    }

    var jsonLines: [String] { ordered.map(\.json.text) }

    /// One line per step: time, time since the first, service, event.
    var lines: [String] {
        var steps = phoneSteps
        steps += ordered.map { json, found in
            Step(
                time: found.event.time,
                service: String((json["source"]?.string ?? "").split(separator: "/").last ?? ""),
                text: "\(found.event.kind.type)  \(found.stream.text)#\(found.position.sequence)"
                    + Journey.fields(of: json["data"] ?? .null))
        }
        guard let first = steps.first?.time else { return [] }
        return steps.map { $0.line(after: first) }
    }

    private struct Step {
        let time: Timestamp
        let service: String
        let text: String

        func line(after first: Timestamp) -> String {
            let seconds = Double((time - first).microseconds) / 1e6
            let rounded = "\((seconds * 1000).rounded() / 1000)"
            let distance = "+\(rounded) s"
            func pad(_ text: String, _ width: Int) -> String {
                text + String(repeating: " ", count: max(0, width - text.count))
            }
            return "\(time)  \(pad(distance, 10))  \(pad(service, 9))  \(text)"
        }
    }

    /// Steps before the streams, from the times in reports.
    private var phoneSteps: [Step] {
        let reports = events.flatMap(\.event.body.reports)
        return reports.sorted { $0.fix.time < $1.fix.time }.flatMap { report in
            [
                Step(
                    time: report.fix.time, service: "phone",
                    text: "recorded the fix of \(report.id)"),
                Step(time: report.received, service: "ingest", text: "received \(report.id)"),
            ]
        }
    }

    /// Order of streams at equal times: causes before effects.
    private static func rank(_ stream: StreamName) -> Int {
        switch stream {
        case .sos: 0
        case .input: 1
        case .events: 2
        case .deadlines: 3
        case .deliveries: 4
        case .directory: 5
        case .usage: 6
        }
    }

    private static let shownFields = [
        "state", "channel", "gateway", "trigger", "rule", "kind", "before", "after",
        "reason", "tier", "round", "late", "expired", "reached", "end", "emergency", "zone",
        "notification", "recipient", "report", "by",
    ]

    /// Fields of the data that describe the step.
    private static func fields(of data: JSON) -> String {
        let inner = data["deadline"].map { [data, $0] } ?? [data]
        return shownFields.compactMap { key -> String? in
            guard let value = inner.lazy.compactMap({ $0[key] }).first else { return nil }
            switch value {
            case .string(let text): return "\(key)=\(text.onOneLine)"
            case .bool(let truth): return "\(key)=\(truth)"
            case .integer(let number): return "\(key)=\(number)"
            default: return nil
            }
        }.map { "  " + $0 }.joined()
    }
}
