import Hosting
import Model
import Parsing
import Runtime

/// `jaga streams`: what the bus keeps and who reads it, and the tools for when something sticks.
enum Streams: Command {
    static let syntax = Syntax(
        name: "streams", parameters: ["[verify|skip|poison|retry|drop]", "[STREAM|ENTRY]"],
        summary: "streams with readers and what is held back; verify, skip, poison, retry, drop",
        details: """
            Without parameters one table over all services: records that are kept, how many are
            forgotten, size and age, each reader with how far it is behind, and who holds back what
            could be forgotten; then what is stopped, diverged or put aside.

            'verify' reads all streams, or the one named, from the oldest record to the newest over
            the bus and recomputes every hash. The exit status is 0 when every chain is whole.
            'skip STREAM' leaves out the record at which a service has stopped; it is put aside.
            No record of in/p can be left out: evaluators compute with all.
            'poison' lists the records that are put aside. 'retry ENTRY' gives one to its service
            again, 'drop ENTRY' forgets one; an entry is named as it is listed, such as timer:3.
            """,
        options: [
            .init(name: "--partitions", value: nil, help: "each partition in a line of its own"),
            .init(name: "--service", value: "NAME", help: "skip: the service that has stopped"),
            .init(
                name: "--sequence", value: "N", help: "skip: only if it is stopped at this record"),
            .init(name: "--yes", value: nil, help: "skip and drop: do not ask"),
            .json, .portBase,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let word = call.parameters.first
        let object = call.parameters.dropFirst().first
        switch word {
        case nil: return try list(call)
        case "verify": return try verify(call, stream: object)
        case "poison":
            guard object == nil else { break }
            return try StreamsReport(of: try API(call), ports: ports(call)).tellPoison(call)
        case "skip":
            guard let object else { break }
            return try skip(call, stream: object)
        case "retry", "drop":
            guard let word, let object else { break }
            return try mend(call, action: word, entry: object)
        default: break
        }
        throw CommandError.usage(
            "say: verify, skip STREAM, poison, retry ENTRY, drop ENTRY", syntax)
    }

    static func ports(_ call: Call) throws -> Ports {
        Ports(try call.configuration(CommonSettings.network))
    }

    private static func list(_ call: Call) throws -> Int32 {
        let report = try StreamsReport(of: try API(call), ports: ports(call))
        if call.has("--json") {
            Console.say(report.json.text)
        } else {
            Console.write(report.text(byPartition: call.has("--partitions")))
        }
        return 0
    }

    // MARK: What changes something

    /// Refuses what must not be left out: evaluators are a function of every record of `in/p`.
    static func checkCanSkip(_ stream: String) throws {
        guard stream == "in" || stream.hasPrefix("in/") else { return }
        throw CommandError(
            "outputs computed without a record of \(stream) are not those of the chain",
            hint: "start an evaluator of a newer version, which can read the record")
    }

    private static func skip(_ call: Call, stream: String) throws -> Int32 {
        try checkCanSkip(stream)
        let api = try API(call)
        let report = try StreamsReport(of: api, ports: ports(call))
        var places = report.stopped(stream)
        if let service = call.value("--service") {
            places = places.filter { $0.service == service }
        }
        guard let place = places.first else {
            throw CommandError(
                "\(stream) is not stopped", hint: "'jaga streams' shows what is, and where")
        }
        guard places.count == 1 else {
            let names = places.map(\.service).joined(separator: ", ")
            throw CommandError(
                "\(stream) is stopped at \(names)", hint: "name one of them with --service")
        }
        let sequence = try call.number("--sequence", default: place.sequence, in: 0...Int.max)
        try confirm(
            call, "\(place.service) leaves out \(stream) \(place.sequence): \(place.reason)")
        _ = try api.post(
            "/v1/streams/\(place.service)",
            [
                "action": "skip", "stream": .string(stream),
                "sequence": .integer(Int64(sequence)),
            ])
        Console.say("\(place.service) goes on with \(stream) after \(place.sequence)")
        return 0
    }

    private static func mend(_ call: Call, action: String, entry: String) throws -> Int32 {
        let parts = entry.split(separator: ":")
        guard parts.count == 2, let service = Service(rawValue: String(parts[0])),
            let number = OutsideNumber.integer(parts[1], in: 0...OutsideNumber.most)
        else {
            throw CommandError.usage("\(entry) names no entry: they look like timer:3", syntax)
        }
        if action == "drop" { try confirm(call, "\(service.rawValue) forgets \(entry) for good") }
        let record = try API(call).post(
            "/v1/streams/\(service.rawValue)",
            ["action": .string(action), "entry": .integer(Int64(number))])
        let what = "\(record.cell("stream")) \(record.cell("sequence"))"
        if action == "drop" {
            Console.say("\(what) is dropped")
        } else if record.cell("stream") == "directory" {
            Console.say("the directory is read anew; \(entry) goes when that is done")
        } else {
            Console.say("\(what) is applied")
        }
        return 0
    }

    /// Goes on only if the user says so, or said so in advance.
    private static func confirm(_ call: Call, _ what: String) throws {
        if call.has("--yes") { return }
        Console.write("\(what)\nGo on? [y/N] ")
        guard ["y", "yes"].contains((Console.readLine() ?? "").lowercased()) else {
            throw CommandError("nothing was done", hint: "say y, or --yes beforehand")
        }
    }
}
