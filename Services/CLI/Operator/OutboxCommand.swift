import Parsing

/// `jaga outbox`: shows messages that the built-in sink stored in place of a gateway.
enum OutboxCommand: Command {
    static let syntax = Syntax(
        name: "outbox",
        summary: "show messages of the built-in sink, which is used without a gateway",
        details: """
            The newest message is last. Gateways are configured in jaga.conf, see docs/gateways.md.
            """,
        options: [
            .init(name: "--limit", value: "N", help: "at most N messages, the newest (default 20)"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let limit = try call.number("--limit", default: 20, in: 1...100_000)
        let messages = try API(call).list("/v1/outbox", limit: limit)
        if messages.isEmpty, !call.has("--json") {
            Console.print("The outbox is empty.")
        }
        for message in messages.reversed() {
            Console.print(call.has("--json") ? message.text : text(of: message))
        }
        return 0
    }

    /// Renders a message.
    static func text(of message: JSON) -> String {
        let head = "\(message.cell("at"))  \(message.cell("channel")) to \(message.cell("to"))"
        var lines = (message["text"]?.string ?? "").split(separator: "\n")
            .map { String($0).onOneLine }
        if message.cell("channel") == "email" { lines.insert(message.cell("subject"), at: 0) }
        return ([Console.paint(head, .bold)] + lines.map { "    " + $0 }).joined(separator: "\n")
    }
}
