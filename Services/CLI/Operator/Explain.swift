import Model
import Parsing
import Runtime
import Web

/// `jaga explain`: why zones decided about somebody as they did.
enum Explain: Command {
    static let syntax = Syntax(
        name: "explain", parameters: ["PERSON"],
        summary: "why zones decided about somebody as they did, in words",
        details: """
            Every decision of the last seven days that changed something, or held a change back, the
            newest last: when, which zone, from where to where, how far from the edge, and what had
            to be passed to count. Fixes that changed nothing are not kept; 'jaga evaluate' explains
            a recorded track.

            PERSON is an id, or, for the operator, the name of one person alone. The operator sees
            what circles see while they share; with a person's token in JAGA_TOKEN you see what they
            may see. A look at others is a row of their access log.
            """,
        options: [
            .init(
                name: "--zone", value: "ID|NAME", help: "only about this zone, or those so named"),
            .init(
                name: "--since", value: "TIME",
                help: "from an age such as 10m or 2h, or a time such as 2026-11-20T10:20:00Z"),
            .init(name: "--limit", value: "N", help: "the newest so many (default 50)"), .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let limit = try call.number("--limit", default: 50, in: 1...100_000)
        let question = try DecisionQuestion(call, now: SystemClock().now)
        let api = try API(call)
        let person = try id(of: call.parameters[0], api)
        let items = try api.list(
            question.path(of: person, limit: limit), limit: limit, where: question.isAbout)
        if call.has("--json") {
            for item in items.reversed() { Console.say(item.text) }
        } else if items.isEmpty {
            Console.say("Nothing was decided, and nothing held back.")
        } else {
            for item in items.reversed() { Console.say(line(of: item)) }
        }
        return 0
    }

    /// A decision as a line; one that this version has no words for as it came.
    static func line(of item: JSON) -> String {
        "\(item.cell("at"))  \(DecisionWords(item)?.line ?? item.text)"
    }

    private static func id(of person: String, _ api: API) throws -> PersonID {
        let id = try Names(api: api).id(of: .person, person)
        guard let id = PersonID(id) else { throw CommandError("\(id) is no id of a person") }
        return id
    }
}

/// Which decisions are asked for.
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
        // Of those that come, not all may be about the zone that was named.
        let perPage = zoneName == nil ? min(limit, 1000) : 1000
        var path = "/v1/people/\(person)/decisions?limit=\(perPage)"
        if let zone { path += "&zone=\(zone)" }
        if let since { path += "&since=" + Percent.encode(since.description) }
        return path
    }

    /// Whether a decision is about the zone that was named, if one was.
    func isAbout(_ item: JSON) -> Bool {
        zoneName == nil || item["zone"]?["name"]?.string?.lowercased() == zoneName
    }
}
