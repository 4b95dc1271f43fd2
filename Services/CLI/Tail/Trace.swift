import Hosting
import Model
import Parsing
import Runtime
import Wire

/// `jaga trace`: the journey of one report, call or message through all services.
enum Trace: Command {
    static let syntax = Syntax(
        name: "trace", parameters: ["ID"],
        summary: "the journey of a report, an emergency or a message through all services",
        details: """
            ID is the X-Request-Id of a request, or the id of a report (rep_…), an emergency
            (emg_…), a message (ntf_…), a clock (clk_…) or an event (evt_…). Reads every stream from
            the oldest record that is kept, twice where the first time finds the requests that
            belong to it, and shows each step with its time and how long after the first it was.
            Names, positions and numbers are not shown.

            What streams have forgotten (JAGA_RETENTION_HOURS) is not found; 'jaga explain' knows
            decisions of seven days.
            """,
        options: [
            .init(name: "--json", value: nil, help: "the events as CloudEvents JSON, a line each"),
            .portBase, .home,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let id = call.parameters[0]
        guard !id.hasPrefix("per_"), !id.hasPrefix("cir_"), !id.hasPrefix("dev_") else {
            throw CommandError.usage(
                "\(id) is no report, emergency, message or request: see jaga tail --person",
                syntax)
        }
        var journey = Journey(id)
        try read(call) { journey.learn($0, $1, $2) }
        if journey.hasLearned {
            try read(call) { journey.take($0, $1, $2) }
        }
        guard !journey.events.isEmpty else {
            throw CommandError(
                "nothing that is kept in streams belongs to \(id)",
                hint: "streams keep what JAGA_RETENTION_HOURS says, and what nobody has read")
        }
        for line in call.has("--json") ? journey.jsonLines : journey.lines { Console.say(line) }
        return 0
    }

    private static func read(
        _ call: Call, _ take: (Event, StreamName, Position) -> Void
    ) throws {
        let listener = try Listener(call, fromOldest: true, wants: { $0 != .directory })
        func decode(_ stream: StreamName, _ position: Position, _ record: Record) {
            do {
                take(try EventCodec.decode(record), stream, position)
            } catch {
                Console.complain("jaga trace: \(stream.text) \(position.sequence): \(error)")
            }
        }
        try listener.hear(until: { false }, .past, take: decode)
    }
}

/// What belongs to one id, in the order in which it happened.
struct Journey {
    /// An event, and where it stands.
    struct Found: Equatable {
        let event: Event
        let stream: StreamName
        let position: Position
    }

    private let id: String
    /// Requests that belong to it.
    private var traces: Set<String>
    private(set) var events: [Found] = []

    init(_ id: String) {
        self.id = id
        traces = [id]
    }

    /// Whether other requests belong to it, by which more is to be found.
    var hasLearned: Bool { traces.count > 1 }

    /// Looks for what names the id, and notes the requests that led to it.
    mutating func learn(_ event: Event, _ stream: StreamName, _ position: Position) {
        guard let found = find(event, stream, position) else { return }
        events.append(found)
        var requests = found.event.body.reports.map(\.trace)
        if requests.isEmpty { requests = [event.trace] }
        traces.formUnion(requests.filter { !$0.isEmpty })
    }

    /// Takes what belongs to the id or to one of those requests; all is read a second time.
    mutating func take(_ event: Event, _ stream: StreamName, _ position: Position) {
        guard let found = find(event, stream, position), !events.contains(found) else { return }
        events.append(found)
    }

    /// The event, of several reports only those that belong here; nil if nothing does.
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
        // What has another trace can only name an id, and hardly any event does.
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

    /// A line a step: when, how long after the first, who, what.
    var lines: [String] {
        var steps = phoneSteps
        steps += ordered.map { json, found in
            Step(
                time: found.event.time,
                service: String((json["source"]?.string ?? "").split(separator: "/").last ?? ""),
                text: "\(found.event.kind.type)  \(found.stream.text)#\(found.position.sequence)"
                    + Journey.words(of: json["data"] ?? .null))
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

    /// What the phone's own words say of the time before the streams.
    private var phoneSteps: [Step] {
        let reports = events.flatMap(\.event.body.reports)
        return reports.sorted { $0.fix.time < $1.fix.time }.flatMap { report in
            [
                Step(
                    time: report.fix.time, service: "phone", text: "took the fix of \(report.id)"),
                Step(time: report.received, service: "ingest", text: "received \(report.id)"),
            ]
        }
    }

    /// At one time, what leads to something comes before it.
    private static func rank(_ stream: StreamName) -> Int {
        switch stream {
        case .sos: 0
        case .input: 1
        case .events: 2
        case .fired: 3
        case .deliveries: 4
        case .directory: 5
        }
    }

    private static let told = [
        "state", "channel", "gateway", "trigger", "rule", "kind", "before", "after",
        "reason", "tier", "round", "late", "fired", "reached", "end", "emergency", "zone",
        "notification", "recipient", "report", "by",
    ]

    /// What of its data says how far it came.
    private static func words(of data: JSON) -> String {
        let inner = data["clock"].map { [data, $0] } ?? [data]
        return told.compactMap { key -> String? in
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
