import Model
import Parsing

/// `jaga access`: shows who looked at a person's data.
enum AccessCommand: Command {
    static let syntax = Syntax(
        name: "access", parameters: ["PERSON"],
        summary: "show who looked at a person's data, and why",
        details: """
            Shows one line per viewer, hour, kind and reason, the newest first: when, who, what, how
            often, and why. Only the person may read it, and the guardian of a ward: set JAGA_TOKEN
            to that person's token. PERSON is a name or an id, or 'me' for the owner of the token.
            """,
        options: [
            .init(name: "--limit", value: "N", help: "at most N lines (default 100)"), .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let limit = try call.number("--limit", default: 100, in: 1...100_000)
        let api = try API(call)
        let word = call.parameters[0]
        let person = try word == "me" ? owner(api) : Names(api: api).id(of: .person, word)
        let items = try api.list(
            "/v1/people/\(API.pathPart(person))/access-log?limit=\(min(limit, 1000))", limit: limit)
        if call.has("--json") {
            for item in items { Console.print(item.text) }
            return 0
        }
        for line in table(of: items).lines { Console.print(line) }
        return 0
    }

    /// The person whose token it is.
    private static func owner(_ api: API) throws -> String {
        let principal = try api.get("/v1/rights")["principal"]
        guard let person = principal?["person"]?.string else {
            throw CommandError(
                "the token belongs to no person", hint: "set JAGA_TOKEN to a person's token")
        }
        return person
    }

    static func table(of items: [JSON]) -> Table {
        var table = Table("hour", "who", "what", "times", "why")
        for item in items {
            let name = item.cell("name")
            let viewer = item["viewer"]?.isNull ?? true ? "operator" : item.cell("viewer")
            table.add(
                item.cell("hour"), name.isEmpty ? viewer : name, item.cell("kind"),
                item.cell("count"), item.cell("reason"))
        }
        return table
    }
}
