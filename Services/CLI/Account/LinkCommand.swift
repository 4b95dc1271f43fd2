import Model
import Parsing

/// `jaga link`: makes, lists and revokes links to a position for people without an account.
enum LinkCommand: Command {
    static let syntax = Syntax(
        name: "link", parameters: ["[VERB]", "[NAME or LINK]"],
        summary: "make, list and revoke links to your position for people without an account",
        details: """
            list            lists the links, with when and how often each was shown; also without a
                            verb
            create NAME     makes a link for the person NAME and prints its address, once
            revoke LINK     ends a link at once

            A link shows your position for an hour, or as --minutes says, at most a day. With
            --watch or --journey it ends with your running watch or journey; with --emergency, also
            of somebody else whose position you see, it ends with that emergency. A pause of your
            sharing ends your links. Every look is in your access log.

            Set JAGA_TOKEN or --token-file to your token. LINK is an id.
            """,
        options: [
            .init(name: "--watch", value: nil, help: "create: for the running watch"),
            .init(name: "--journey", value: nil, help: "create: for the open journey"),
            .init(
                name: "--emergency", value: "EMERGENCY", help: "create: for an open emergency"),
            .init(name: "--minutes", value: "N", help: "create: ends after N minutes, 1 to 1440"),
            .init(
                name: "--zones", value: "ZONES",
                help: "create: zones to draw, ids with commas between them (default none)"),
            OwnAccount.option, .tokenFile, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let path = try OwnAccount(api, call).path + "/live-links"
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        switch (words[0], words.count) {
        case ("list", 1):
            let links = try api.list(path)
            if call.has("--json") {
                for link in links { Console.print(link.text) }
            } else if links.isEmpty {
                Console.print("No links.")
            } else {
                for line in table(of: links).lines { Console.print(line) }
            }
        case ("create", 2):
            let link = try api.post(path, try body(for: words[1], call))
            if call.has("--json") { Console.print(link.text) } else { show(link) }
        case ("revoke", 2):
            try api.delete(path + "/" + API.pathPart(words[1]))
            if !call.has("--json") { Console.print("revoked") }
        default:
            throw CommandError.usage("list, create NAME or revoke LINK is required", syntax)
        }
        return 0
    }

    private static func body(for recipient: String, _ call: Call) throws -> JSON {
        var members: [JSON.Member] = [.init("recipient", .string(recipient))]
        if call.has("--watch") { members.append(.init("watch", true)) }
        if call.has("--journey") { members.append(.init("journey", true)) }
        if let id = call.value("--emergency") { members.append(.init("emergency", .string(id))) }
        if call.value("--minutes") != nil {
            let minutes = try call.number("--minutes", default: 60, in: 1...1440)
            members.append(.init("seconds", .integer(Int64(minutes) * 60)))
        }
        if let zones = call.value("--zones") {
            let ids = zones.split(separator: ",").map { JSON.string(String($0)) }
            members.append(.init("zones", .array(ids)))
        }
        return .object(members)
    }

    private static func show(_ link: JSON) {
        Console.print(link.cell("url"))
        Console.print("for \(link.cell("recipient")), until \(link.cell("expires"))")
        Console.print("It is shown only now. To end it: jaga link revoke \(link.cell("id"))")
    }

    /// Renders links as a table.
    static func table(of links: [JSON]) -> Table {
        var table = Table("for", "until", "state", "shown", "last shown", "id")
        for link in links {
            let shown = link["shown"] ?? .null
            let state = link["open"]?.bool == true ? "open" : link.cell("end")
            table.add(
                link.cell("recipient"), link.cell("expires"), state, shown.cell("count"),
                shown["times"]?.array?.first?.string ?? "never", link.cell("id"))
        }
        return table
    }
}
