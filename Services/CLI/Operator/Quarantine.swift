import Parsing
import Web

/// `jaga quarantine`: what phones sent and could not be used.
enum Quarantine: Command {
    static let syntax = Syntax(
        name: "quarantine", parameters: ["[show|remove]", "[ID]"],
        summary: "what phones sent and could not be used, with the reason",
        details: """
            Without parameters it lists what there is, youngest first. 'show ID' prints one with its
            payload, which may hold positions, and is noted in the person's access log.
            'remove ID' forgets one.
            """,
        options: [
            .init(name: "--limit", value: "N", help: "list at most so many (default 50)"), .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let limit = try call.number("--limit", default: 50, in: 1...100_000)
        let api = try API(call)
        guard let verb = call.parameters.first else {
            return list(try api.list("/v1/quarantine", limit: limit), asJSON: call.has("--json"))
        }
        guard ["show", "remove"].contains(verb), call.parameters.count == 2 else {
            throw CommandError.usage("say: show ID, remove ID, or nothing", syntax)
        }
        let path = "/v1/quarantine/" + Percent.encode(call.parameters[1])
        if verb == "remove" {
            try api.delete(path)
            Console.say("removed")
        } else {
            show(try api.get(path), asJSON: call.has("--json"))
        }
        return 0
    }

    private static func list(_ entries: [JSON], asJSON: Bool) -> Int32 {
        if asJSON {
            for entry in entries { Console.say(entry.text) }
            return 0
        }
        guard !entries.isEmpty else {
            Console.say("The quarantine is empty.")
            return 0
        }
        var table = Table("received", "times", "path", "id", "reason")
        for entry in entries {
            table.add(
                entry.cell("received"), entry.cell("count"), entry.cell("path"), entry.cell("id"),
                entry.cell("reason"))
        }
        for line in table.lines { Console.say(line) }
        return 0
    }

    private static func show(_ entry: JSON, asJSON: Bool) {
        if asJSON { return Console.say(entry.text) }
        for member in entry.object ?? [] where member.key != "payload" {
            Console.say("\(member.key): \(entry.cell(member.key))")
        }
        Console.say("payload:\n\(entry.cell("payload"))")
    }
}
