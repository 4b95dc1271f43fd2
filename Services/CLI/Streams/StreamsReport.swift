import Model
import Parsing
import Web

/// State of streams, as the services report it.
struct StreamsReport {
    /// Response of each service; further evaluators have a number.
    private var documents: [(service: String, json: JSON)] = []
    /// Services that did not respond.
    private var absent: [String] = []

    /// Maximum number of evaluators to query.
    private static let evaluatorsMax = 16

    /// Queries every service. Evaluators are queried at their own ports, since they have no public
    /// route.
    init(of api: API, ports: Ports) throws {
        for service in Service.allCases where service != .evaluator {
            if let json = try api.getIfThere("/v1/streams/\(service.rawValue)") {
                documents.append((service.rawValue, json))
            } else {
                absent.append(service.rawValue)
            }
        }
        for number in 1...StreamsReport.evaluatorsMax {
            let url = "http://\(ports.here):\(ports.http(evaluator: number))/v1/streams/evaluator"
            guard let answer = try? api.exchange(HTTPCall(.get, url)), answer.status == 200,
                let json = try? JSON.parse(answer.body)
            else { break }
            documents.append((number == 1 ? "evaluator" : "evaluator \(number)", json))
        }
    }

    init(documents: [(service: String, json: JSON)]) { self.documents = documents }

    var json: JSON { .object(documents.map { .init($0.service, $0.json) }) }

    /// The report for people.
    func text(byPartition: Bool) -> String {
        let parts = [table(byPartition: byPartition).lines, remarks]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
            .joined(separator: "\n")
    }

    // MARK: Streams

    /// A stream, or all partitions of one.
    private struct Line {
        var keeper: String
        var streams = 0
        var records = 0
        var removed = 0
        var bytes = 0
        var oldest: Int64?
        var readers: [(name: String, behind: Int)] = []
        var blockers: [String] = []

        mutating func add(_ stream: JSON) {
            let base = stream["base"]?.int ?? 0
            streams += 1
            removed += base
            records += (stream["head"]?.int ?? 0) - base
            bytes += stream["bytesAbout"]?.int ?? 0
            if let age = stream["oldestSeconds"]?.int { oldest = max(oldest ?? 0, Int64(age)) }
            for reader in stream["readers"]?.array ?? [] {
                let name = reader.cell("name")
                let behind = reader["behind"]?.int ?? 0
                if let index = readers.firstIndex(where: { $0.name == name }) {
                    readers[index].behind += behind
                } else {
                    readers.append((name, behind))
                }
            }
            for blocker in stream["heldBackBy"]?.array ?? [] {
                if let name = blocker.string, !blockers.contains(name) { blockers.append(name) }
            }
        }
    }

    private func table(byPartition: Bool) -> Table {
        var lines: [(name: String, line: Line)] = []
        for (service, json) in documents {
            for stream in json["kept"]?.array ?? [] {
                let full = stream.cell("stream")
                let name = byPartition ? full : String(full.prefix { $0 != "/" })
                let index = lines.firstIndex { $0.name == name } ?? lines.count
                if index == lines.count { lines.append((name, Line(keeper: service))) }
                lines[index].line.add(stream)
            }
        }
        var table = Table(
            "stream", "kept by", "records", "removed", "size", "oldest", "read by (behind)",
            "held back by")
        for (name, line) in lines {
            let readers = line.readers.map { "\($0.name) (\($0.behind))" }
            table.add(
                line.streams > 1 ? "\(name), \(line.streams) partitions" : name, line.keeper,
                String(line.records), String(line.removed), StreamsReport.size(line.bytes),
                line.oldest.map { Age.text(.seconds($0)) } ?? "",
                readers.joined(separator: ", "), line.blockers.joined(separator: ", "))
        }
        return table
    }

    /// `512 B`, `1.5 kB`, `2.0 MB`.
    static func size(_ bytes: Int) -> String {
        var value = Double(bytes)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1000 || unit == "GB" {
                let tenths = Int(nearest: value * 10)
                return unit == "B" ? "\(bytes) B" : "\(tenths / 10).\(tenths % 10) \(unit)"
            }
            value /= 1000
        }
        return "\(bytes) B"
    }

    // MARK: Remarks

    /// A record at which a service has stopped.
    struct Stop: Hashable {
        var service: String
        var sequence: Int
        var reason: String
    }

    func stopped(_ stream: String) -> [Stop] {
        documents.flatMap { service, json in
            (json["stopped"]?.array ?? []).filter { $0["stream"]?.string == stream }.map {
                Stop(
                    service: service, sequence: $0["sequence"]?.int ?? 0,
                    reason: $0.cell("reason"))
            }
        }
    }

    private var remarks: [String] {
        var lines = absent.map { "! \($0) does not respond" }
        for (service, json) in documents {
            for stop in json["stopped"]?.array ?? [] {
                let place = "\(stop.cell("stream")) at \(stop.cell("sequence"))"
                lines.append("! \(service) stopped \(place): \(stop.cell("reason"))")
            }
            for entry in json["deadLetters"]?.array ?? [] where entry["required"]?.bool == true {
                let place = "\(entry.cell("stream")) \(entry.cell("sequence"))"
                lines.append(
                    "! \(service) cannot apply required \(place): \(entry.cell("reason")); "
                        + "it is retried until it succeeds")
            }
            for divergence in json["divergences"]?.array ?? [] {
                let isNew = divergence["isAnotherLife"]?.bool == true
                let what = isNew ? "another incarnation" : "other records"
                let next =
                    isNew
                    ? "its store was replaced; this is expected after a restore: see 'jaga held'"
                    : "its store lost or changed records: keep the logs and restore a backup, "
                        + "unless you just restored one"
                lines.append(
                    "\(service) found \(what) in \(divergence.cell("stream")) "
                        + "at \(divergence.cell("at")): "
                        + "was at \(divergence.cell("was")), "
                        + ""
                        + "continued after \(divergence.cell("now")); "
                        + next
                )
            }
        }
        let count = documents.reduce(0) { $0 + ($1.json["deadLetterCount"]?.int ?? 0) }
        if count > 0 { lines.append("! \(count) dead letters: see 'jaga streams dead-letters'") }
        return lines
    }

    /// Lists the dead letters.
    ///
    /// - Returns: the exit status
    func printDeadLetters(_ call: Call) -> Int32 {
        let entries = documents.flatMap { service, json in
            (json["deadLetters"]?.array ?? []).map { (service: service, json: $0) }
        }
        if call.has("--json") {
            for entry in entries { Console.print(entry.json.text) }
            return 0
        }
        guard !entries.isEmpty else {
            Console.print("There are no dead letters.")
            return 0
        }
        var table = Table("entry", "stream", "record", "kind", "required", "since", "reason")
        for (service, json) in entries {
            table.add(
                "\(service):\(json.cell("entry"))", json.cell("stream"), json.cell("sequence"),
                json.cell("kind"), json["required"]?.bool == true ? "yes" : "", json.cell("at"),
                json.cell("reason"))
        }
        for line in table.lines { Console.print(line) }
        return 0
    }
}
