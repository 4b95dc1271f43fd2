import Parsing
import Web

/// `jaga gateway`: lists and tests gateways.
enum Gateway: Command {
    static let syntax = Syntax(
        name: "gateway", parameters: ["[list|test]", "[NAME]", "[ADDRESS]"],
        summary: "list and test gateways",
        details: """
            'list' (default) shows the gateways with their last responses and the URLs for incoming
            texts. 'test NAME ADDRESS' sends a test message to a phone number or mail address, and
            shows the request as sent, with MASKED in place of secrets, the gateway's full response
            and its interpretation. The exit status is 0 only if the gateway accepted the message;
            with --wait, only if it reported delivery. Settings: docs/gateways.md.
            """,
        options: [
            .init(name: "--dry-run", help: "show the request without sending it"),
            .init(
                name: "--wait", value: "SECONDS",
                help: "wait for the delivery report, 1 to 3600 seconds"), .json,
        ] + Syntax.Option.api)

    /// A mail server may need up to 90 s.
    private static let timeoutMilliseconds = 100_000

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        switch (call.parameters.first ?? "list", call.parameters.count) {
        case ("list", ...1): return try list(api, call)
        case ("test", 3): return try test(call.parameters[1], to: call.parameters[2], api, call)
        default: throw CommandError.usage("list or test NAME ADDRESS is required", syntax)
        }
    }

    private static func list(_ api: API, _ call: Call) throws -> Int32 {
        let gateways = try api.list("/v1/gateways")
        if call.has("--json") {
            for gateway in gateways { Console.print(gateway.text) }
            return 0
        }
        for line in table(of: gateways).lines { Console.print(line) }
        for gateway in gateways where !gateway.cell("replies").isEmpty {
            Console.print("texts to \(gateway.cell("name")): \(gateway.cell("replies"))")
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
            Console.print(answer.text)
        } else {
            for line in report(answer) { Console.print(line) }
        }
        let isAccepted = ["accepted", "sink"].contains(answer.cell("outcome"))
        if isAccepted, !call.has("--dry-run"), call.value("--wait") != nil {
            let seconds = try call.number("--wait", default: 0, in: 1...3600)
            return try GatewayReceipt(api: api, notification: answer.cell("notification"))
                .wait(seconds: seconds)
        }
        return isAccepted || call.has("--dry-run") ? 0 : 1
    }

    /// Renders the request and the gateway's response. A dry run has no outcome.
    static func report(_ answer: JSON) -> [String] {
        var request = (answer["request"]?.string ?? "").split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { $0.isEmpty ? ">" : "> \(String($0).onOneLine)" }
        while request.last == ">" { request.removeLast() }
        let outcome = answer.cell("outcome")
        if outcome.isEmpty { return request + ["nothing was sent"] }
        return request + response(answer) + (meaning[outcome].map { [$0] } ?? [])
    }

    /// Renders the response and its interpretation.
    private static func response(_ answer: JSON) -> [String] {
        let read = "\(answer.cell("outcome")): \(answer.cell("answer"))"
        guard let text = answer["response"]?.string, !text.isEmpty else { return ["< \(read)"] }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "<" : "< \(String($0).onOneLine)"
        }
        while lines.last == "<" { lines.removeLast() }
        let rule = answer["rule"]?.string.map { ", by \($0.onOneLine)" } ?? ""
        return lines + ["interpreted as \(read)\(rule)"]
    }

    /// Meaning of each outcome for the operator.
    private static let meaning = [
        "accepted": "the gateway accepted the message; check the phone or mailbox for delivery",
        "sink": "the built-in sink stored the message, nothing was sent; see 'jaga outbox'",
        "later": "the gateway asks to retry later; tests are not retried",
        "rejected": "the gateway rejects this address permanently",
        "unroutable": "the gateway has no route to this address, or rejects this text",
        "misconfigured":
            "this gateway cannot send any message: check its user, password and sender",
        "unreachable": "no connection, nothing was sent: check JAGA_SMS_URL or JAGA_MAIL_URL",
        "unknown": "the message may have been sent; see docs/gateways.md for response rules",
    ]

    /// Renders the gateways as a table, also for `jaga status`.
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
