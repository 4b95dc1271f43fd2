import Parsing
import Web

/// `jaga session`: lists and ends the sessions of a person in browsers.
enum SessionCommand: Command {
    static let syntax = Syntax(
        name: "session", parameters: ["VERB", "[ID]"],
        summary: "list and end your sessions in browsers",
        details: """
            list       lists your sessions: browser, when it was opened, when it ends if unused
            end ID     ends one session; 'end --all' ends all

            Set JAGA_TOKEN or --token-file to your token.
            """,
        options: [
            .init(name: "--all", value: nil, help: "end: all sessions"), .tokenFile, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        switch (call.parameters[0], call.parameters.count) {
        case ("list", 1): list(try api.list("/v1/sessions"), call)
        case ("end", 1) where call.has("--all"):
            try api.delete("/v1/sessions")
            Console.print("all sessions are ended")
        case ("end", 2) where !call.has("--all"):
            try api.delete("/v1/sessions/" + API.pathPart(call.parameters[1]))
            Console.print("ended \(call.parameters[1])")
        default:
            throw CommandError.usage("list, end ID or end --all is required", syntax)
        }
        return 0
    }

    private static func list(_ sessions: [JSON], _ call: Call) {
        Listing(
            .field("browser", "name"), .day("opened"), .day("ends unless used", "expires"),
            .field("id")
        ).print(sessions, call)
    }
}
