import Hosting
import Model
import Parsing
import Runtime

/// `jaga streams`: shows streams with their readers, verifies chains and handles dead letters.
enum Streams: Command {
    static let syntax = Syntax(
        name: "streams", parameters: ["[verify|skip|dead-letters|retry|drop]", "[STREAM|ENTRY]"],
        summary: "show streams with their readers, verify chains, handle dead letters",
        details: """
            Without parameters it shows one table over all services: stored and removed records,
            size and age, the lag of each reader, and readers that prevent removal; then streams
            that are stopped or diverged, and dead letters.

            'verify' reads all streams, or one, from the oldest to the newest record over the bus
            and recomputes every hash. The exit status is 0 if every chain is intact. 'skip STREAM'
            skips the record at which a service has stopped; it becomes a dead letter. Records of
            in/p cannot be skipped, since evaluators need all of them. 'dead-letters' lists the dead
            letters. 'retry ENTRY' applies one again, 'drop ENTRY' deletes one; ENTRY is an entry of
            the list, such as timer:3.
            """,
        options: [
            .init(name: "--partitions", value: nil, help: "show each partition on its own line"),
            .init(name: "--service", value: "NAME", help: "skip: service that has stopped"),
            .init(
                name: "--sequence", value: "N",
                help: "skip: only if the service stopped at this record"),
            .init(name: "--yes", value: nil, help: "skip, drop: do not ask for confirmation"),
            .json, .portBase,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let word = call.parameters.first
        let object = call.parameters.dropFirst().first
        switch word {
        case nil: return try list(call)
        case "verify": return try verify(call, stream: object)
        case "dead-letters":
            guard object == nil else { break }
            return try StreamsReport(of: try API(call), ports: ports(call)).printDeadLetters(call)
        case "skip":
            guard let object else { break }
            return try skip(call, stream: object)
        case "retry", "drop":
            guard let word, let object else { break }
            return try settle(call, action: word, entry: object)
        default: break
        }
        throw CommandError.usage(
            "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
    }

    static func ports(_ call: Call) throws -> Ports {
        Ports(try call.configuration(CommonSettings.network))
    }

    private static func list(_ call: Call) throws -> Int32 {
        let report = try StreamsReport(of: try API(call), ports: ports(call))
        if call.has("--json") {
            Console.print(report.json.text)
        } else {
            Console.write(report.text(byPartition: call.has("--partitions")))
        }
        return 0
    }

    // MARK: What changes something

    /// Rejects streams whose records cannot be skipped: evaluators are a function of every record
    /// of `in/p`.
    static func checkCanSkip(_ stream: String) throws {
        guard stream == "in" || stream.hasPrefix("in/") else { return }
        throw CommandError(
            "records of \(stream) cannot be skipped: evaluators need all of them",
            hint: "start a newer version of the evaluator, which can read the record")
    }

    private static func skip(_ call: Call, stream: String) throws -> Int32 {
        try checkCanSkip(stream)
        let api = try API(call)
        let report = try StreamsReport(of: api, ports: ports(call))
        var stops = report.stopped(stream)
        if let service = call.value("--service") {
            stops = stops.filter { $0.service == service }
        }
        guard let stop = stops.first else {
            throw CommandError(
                "\(stream) is not stopped", hint: "'jaga streams' shows stopped streams")
        }
        guard stops.count == 1 else {
            let names = stops.map(\.service).joined(separator: ", ")
            throw CommandError(
                "\(stream) is stopped at \(names)", hint: "name one of them with --service")
        }
        let sequence = try call.number("--sequence", default: stop.sequence, in: 0...Int.max)
        try confirm(
            call, "\(stop.service) will skip \(stream) \(stop.sequence): \(stop.reason)")
        _ = try api.post(
            "/v1/streams/\(stop.service)",
            [
                "action": "skip", "stream": .string(stream),
                "sequence": .integer(Int64(sequence)),
            ])
        Console.print("\(stop.service) continues with \(stream) after \(stop.sequence)")
        return 0
    }

    private static func settle(_ call: Call, action: String, entry: String) throws -> Int32 {
        let parts = entry.split(separator: ":")
        guard parts.count == 2, let service = Service(rawValue: String(parts[0])),
            let number = UntrustedNumber.integer(parts[1], in: 0...UntrustedNumber.most)
        else {
            throw CommandError.usage("ENTRY must be such as timer:3, not \(entry)", syntax)
        }
        if action == "drop" {
            try confirm(call, "\(service.rawValue) will delete \(entry) permanently")
        }
        let record = try API(call).post(
            "/v1/streams/\(service.rawValue)",
            ["action": .string(action), "entry": .integer(Int64(number))])
        let what = "\(record.cell("stream")) \(record.cell("sequence"))"
        if action == "drop" {
            Console.print("dropped \(what)")
        } else if record.cell("stream") == "directory" {
            Console.print("reloading the directory; \(entry) is removed when that is done")
        } else {
            Console.print("applied \(what)")
        }
        return 0
    }

    /// Asks for confirmation, unless `--yes` was given.
    private static func confirm(_ call: Call, _ what: String) throws {
        if call.has("--yes") { return }
        Console.write("\(what)\nContinue? [y/N] ")
        guard ["y", "yes"].contains((Console.readLine() ?? "").lowercased()) else {
            throw CommandError("nothing was changed", hint: "answer y, or set --yes")
        }
    }
}
