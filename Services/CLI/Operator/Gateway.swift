import Parsing
import Web

/// `jaga gateway`: ways out, and a test of each.
enum Gateway: Command {
    static let syntax = Syntax(
        name: "gateway", parameters: ["[list|test]", "[NAME]", "[ADDRESS]"],
        summary: "ways by which messages leave, and a test of each",
        details: """
            'list', or nothing, shows the gateways with their last answers, and where each is to
            tell of texts that come in. 'test NAME +NUMBER' (or a mail address) sends a test message
            through one, shows the request as it went over the wire, with MASKED for secrets, and
            what the gateway said, whole, and how that was read. The exit status is 0 only if it
            took the message over; with --wait, only if it reported that it was delivered.
            Settings: docs/gateways.md.
            """,
        options: [
            .init(name: "--dry-run", help: "shows the request and sends nothing"),
            .init(
                name: "--wait", value: "SECONDS",
                help: "wait so long for the gateway's report of delivery (1 to 3600)"), .json,
        ] + Syntax.Option.api)

    /// A mail server may take up to 90 s.
    private static let timeoutMilliseconds = 100_000

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        switch (call.parameters.first ?? "list", call.parameters.count) {
        case ("list", ...1): return try list(api, call)
        case ("test", 3): return try test(call.parameters[1], to: call.parameters[2], api, call)
        default: throw CommandError.usage("say: list, or test NAME ADDRESS", syntax)
        }
    }

    private static func list(_ api: API, _ call: Call) throws -> Int32 {
        let gateways = try api.list("/v1/gateways")
        if call.has("--json") {
            for gateway in gateways { Console.say(gateway.text) }
            return 0
        }
        for line in table(of: gateways).lines { Console.say(line) }
        for gateway in gateways where !gateway.cell("replies").isEmpty {
            Console.say("texts to \(gateway.cell("name")): \(gateway.cell("replies"))")
        }
        return 0
    }

    private static func test(
        _ name: String, to address: String, _ api: API, _ call: Call
    ) throws -> Int32 {
        api.timeoutMilliseconds = timeoutMilliseconds
        let answer = try api.post(
            "/v1/gateways/\(Percent.encode(name))/test",
            ["to": .string(address), "dryRun": .bool(call.has("--dry-run"))])
        if call.has("--json") {
            Console.say(answer.text)
        } else {
            for line in report(answer) { Console.say(line) }
        }
        let isTaken = ["accepted", "sink"].contains(answer.cell("outcome"))
        if isTaken, !call.has("--dry-run"), call.value("--wait") != nil {
            let seconds = try call.number("--wait", default: 0, in: 1...3600)
            return try GatewayReceipt(api: api, notification: answer.cell("notification"))
                .wait(seconds: seconds)
        }
        return isTaken || call.has("--dry-run") ? 0 : 1
    }

    /// The request, and what the gateway said; of a dry run there is no outcome.
    static func report(_ answer: JSON) -> [String] {
        var request = (answer["request"]?.string ?? "").split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { $0.isEmpty ? ">" : "> \(String($0).onOneLine)" }
        while request.last == ">" { request.removeLast() }
        let outcome = answer.cell("outcome")
        if outcome.isEmpty { return request + ["nothing was sent"] }
        return request + response(answer) + (meaning[outcome].map { [$0] } ?? [])
    }

    /// The answer line by line, and by what it was read so.
    private static func response(_ answer: JSON) -> [String] {
        let read = "\(answer.cell("outcome")): \(answer.cell("answer"))"
        guard let text = answer["response"]?.string, !text.isEmpty else { return ["< \(read)"] }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "<" : "< \(String($0).onOneLine)"
        }
        while lines.last == "<" { lines.removeLast() }
        let rule = answer["rule"]?.string.map { ", by \($0.onOneLine)" } ?? ""
        return lines + ["read as \(read)\(rule)"]
    }

    /// What an outcome means for the operator.
    private static let meaning = [
        "accepted": "the gateway took it over; that it arrives, only the phone or mailbox shows",
        "sink": "nobody outside was reached: the built-in sink kept it; see 'jaga outbox'",
        "later": "not now: the gateway asks to be tried again; a test is not",
        "refused": "the gateway says that this address will never do",
        "unroutable": "the gateway has no way to this address, or does not take this text",
        "misconfigured":
            "nobody gets a message by this gateway: look at its user, password, sender",
        "unreachable": "nobody was there; surely not sent: look at JAGA_SMS_URL or JAGA_MAIL_URL",
        "unknown": "it may have been taken or not; docs/gateways.md tells how answers are read",
    ]

    /// The gateways as lines, also for `jaga status`.
    static func table(of gateways: [JSON]) -> Table {
        var table = Table("gateway", "state", "last answer", "at")
        for gateway in gateways {
            let outcome = gateway.cell("lastOutcome")
            let answer = gateway.cell("lastAnswer")
            let isDown = gateway["down"]?.bool == true
            table.add(
                gateway.cell("name"),
                Console.paint(isDown ? "down" : "up", isDown ? .red : .green),
                outcome.isEmpty ? "none yet" : answer.isEmpty ? outcome : "\(outcome): \(answer)",
                gateway.cell("lastAnswered"))
        }
        return table
    }
}
