import Model
import Parsing
import Runtime
import Web

/// `jaga explain`: shows zone decisions about a person with their reasons.
enum Explain: Command {
    static let syntax = Syntax(
        name: "explain", parameters: ["PERSON"],
        summary: "explain zone decisions about a person",
        details: """
            Shows decisions of the last seven days that changed or suppressed a change of presence,
            newest last: time, zone, states, distance to the edge and the required margin. Fixes
            that changed nothing are not stored; 'jaga evaluate' explains a recorded track.

            PERSON is an id or, for the operator, a unique name. The operator sees what circles see
            while the person shares; with a person's token in JAGA_TOKEN you see what that person
            may see. Access to other people's data is recorded in their access log.
            """,
        options: [
            .init(
                name: "--zone", value: "ID|NAME", help: "only this zone, or zones with this name"),
            .init(
                name: "--since", value: "TIME",
                help: "start at an age such as 10m or 2h, or a time such as 2026-11-20T10:20:00Z"),
            .init(
                name: "--limit", value: "N", help: "at most N decisions, the newest (default 50)"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let limit = try call.number("--limit", default: 50, in: 1...100_000)
        let question = try DecisionQuestion(call, now: SystemClock().now)
        let api = try API(call)
        let person = try id(of: call.parameters[0], api)
        let items = try api.list(
            question.path(of: person, limit: limit), limit: limit, where: question.isAbout)
        if call.has("--json") {
            for item in items.reversed() { Console.print(item.text) }
        } else if items.isEmpty {
            Console.print("No decisions in this period.")
        } else {
            for item in items.reversed() { Console.print(line(of: item)) }
        }
        return 0
    }

    /// Renders a decision, or its JSON if its kind is unknown.
    static func line(of item: JSON) -> String {
        "\(item.cell("at"))  \(DecisionText(item)?.line ?? item.text)"
    }

    private static func id(of person: String, _ api: API) throws -> PersonID {
        let id = try Names(api: api).id(of: .person, person)
        guard let id = PersonID(id) else { throw CommandError("\(id) is not the id of a person") }
        return id
    }
}

/// Filter of decisions.
struct DecisionQuestion {
    private var zone: ZoneID?
    private var zoneName: String?
    private var since: Timestamp?

    init(_ call: Call, now: Timestamp) throws(CommandError) {
        if let text = call.value("--zone") {
            zone = ZoneID(text)
            zoneName = zone == nil ? text.lowercased() : nil
        }
        since = try call.moment("--since", now: now)
    }

    func path(of person: PersonID, limit: Int) -> String {
        // A filter by name is applied here, so full pages are requested.
        let perPage = zoneName == nil ? min(limit, 1000) : 1000
        var path = "/v1/people/\(person)/decisions?limit=\(perPage)"
        if let zone { path += "&zone=\(zone)" }
        if let since { path += "&since=" + Percent.encode(since.description) }
        return path
    }

    /// Whether a decision concerns the named zone, if any.
    func isAbout(_ item: JSON) -> Bool {
        zoneName == nil || item["zone"]?["name"]?.string?.lowercased() == zoneName
    }
}
