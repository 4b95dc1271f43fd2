import Model
import Parsing
import Runtime

/// `jaga emergency`: shows emergencies with recipients and contact points; acknowledges them, hands
/// them back, resolves and exports them.
enum EmergencyCommand: Command {
    static let syntax = Syntax(
        name: "emergency", parameters: ["[VERB]", "[EMERGENCY]"],
        summary: "list, show, acknowledge, hand back, resolve and export emergencies",
        details: """
            list                    lists active emergencies, or ended ones with --ended; also
                                    without a verb
            show EMERGENCY          shows the person, everybody who was notified, with numbers and
                                    the state of each message, and who else could be called
            acknowledge EMERGENCY   declares that you respond: the escalation stops for 15 minutes,
                                    and everybody who was notified is informed
            hand-back EMERGENCY     withdraws that: circles without another responder are alerted
                                    again at once
            resolve EMERGENCY       ends it and informs everybody who was notified
            unprocessed             lists emergency requests that could not be processed: nobody
                                    was notified of those that wait
            unprocessed CALL        shows what was sent and whom to call; CALL is an id or the name
                                    of the person in danger
            export EMERGENCY        prints its whole record as JSON: place, trail, tiers, each
                                    message with its attempts; with --pdf FILE as a document

            EMERGENCY is an id, the reference that 'list' shows, or the name of the person in
            danger. Codes in messages differ: each recipient has their own. 'show' prints names and
            numbers; the access is recorded in the notifier's log.
            """,
        options: [
            .init(name: "--ended", value: nil, help: "list: ended emergencies, newest first"),
            .init(name: "--limit", value: "N", help: "list: at most N emergencies (default 50)"),
            .init(
                name: "--note", value: "TEXT", help: "acknowledge, resolve: note for the timeline"),
            .init(name: "--pdf", value: "FILE", help: "export: write a PDF document to FILE"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        switch (words[0], words.count) {
        case ("list", 1): try list(api, call)
        case ("show", 2):
            let id = try id(of: words[1], api)
            let emergency = try api.get("/v1/escalations/\(id)")
            if call.has("--json") { Console.print(emergency.text) } else { show(emergency) }
        case ("acknowledge", 2):
            try act("acknowledgement", on: id(of: words[1], api), api, call)
        case ("hand-back", 2):
            let id = try id(of: words[1], api)
            show(try api.call(.delete, "/v1/emergencies/\(id)/acknowledgement"), call)
        case ("resolve", 2): try act("resolution", on: id(of: words[1], api), api, call)
        case ("unprocessed", 1): try UnprocessedCalls(api: api).list(call)
        case ("unprocessed", 2): try UnprocessedCalls(api: api).show(words[1], call)
        case ("export", 2):
            let path = "/v1/emergencies/\(try id(of: words[1], api))/incident"
            guard let file = call.value("--pdf") else {
                Console.print(try api.get(path).text)
                break
            }
            try Files.write(try api.bytes(path + "?format=pdf"), to: file, mode: 0o600)
            Console.print("written to \(file)")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func list(_ api: API, _ call: Call) throws {
        let limit = try call.number("--limit", default: 50, in: 1...100_000)
        let state = call.has("--ended") ? "ended" : "active"
        let all = try api.list("/v1/escalations?state=\(state)", limit: limit)
        if call.has("--json") {
            for item in all { Console.print(item.text) }
            return
        }
        if !call.has("--ended"), let warning = UnprocessedCalls(api: api).warning {
            Console.print(Console.paint(warning, .red) + "\n")
        }
        guard !all.isEmpty else {
            return Console.print(
                call.has("--ended") ? "No ended emergencies." : "No active emergencies.")
        }
        for line in table(of: all, now: SystemClock().now).lines { Console.print(line) }
        if !call.has("--ended"), let first = all.first {
            Console.print("\nTo see whom to call: jaga emergency show \(first.cell("id"))")
        }
    }

    /// Renders emergencies as a table.
    static func table(of items: [JSON], now: Timestamp) -> Table {
        var table = Table(
            "state", "person", "trigger", "age", "notified", "responder", "code", "id")
        for item in items {
            let state = item.cell("state")
            let raised = item["raised"]?.string.flatMap { Timestamp($0) }
            table.add(
                Console.paint(state, .red, if: Console.hasColors && state == "open"),
                name(of: item["person"]), item.cell("trigger"),
                raised.map { Age.text(now - $0) } ?? "", item.cell("notified"),
                responder(of: item), item.cell("reference"), item.cell("id"))
        }
        return table
    }

    private static func responder(of item: JSON) -> String {
        guard let acknowledged = item["acknowledged"], !acknowledged.isNull else { return "nobody" }
        let by = acknowledged["by"] ?? .null
        return by.isNull ? "operator" : name(of: by)
    }

    static func name(of person: JSON?) -> String {
        guard let person, !person.isNull else { return "" }
        let name = person.cell("name")
        return name.isEmpty ? person.cell("id") : name
    }

    private static func show(_ emergency: JSON) {
        for line in lines(of: emergency, now: SystemClock().now) { Console.print(line) }
    }

    /// Renders an emergency with its contact points.
    static func lines(of item: JSON, now: Timestamp) -> [String] {
        let id = item.cell("id")
        let raised = item["raised"]?.string.flatMap { Timestamp($0) }
        let age = raised.map { ", \(Age.text(now - $0)) ago" } ?? ""
        let title = "\(name(of: item["person"])): \(item.cell("state")), \(item.cell("trigger"))"
        var lines = [Console.paint(title + age, .bold), "  id         \(id)"]
        lines.append("  code       \(item.cell("reference"))")
        lines.append("  responder  \(responder(of: item))")
        if !item.cell("note").isEmpty { lines.append("  note       \(item.cell("note"))") }
        if item["held"]?.bool == true {
            lines.append("  held after an outage: jaga held")
        }
        lines.append("  reach      \(contacts(of: item))")
        let recipients = item["recipients"]?.array ?? []
        let notified = recipients.filter { $0["notified"]?.bool == true }
        lines += ["", Console.paint("notified", .bold)]
        if notified.isEmpty { lines.append("  nobody") }
        for recipient in notified { lines += describe(recipient) }
        let others = recipients.filter { $0["notified"]?.bool != true }
        if !others.isEmpty {
            lines += ["", Console.paint("not notified yet", .bold)]
            for recipient in others { lines += describe(recipient) }
        }
        switch item.cell("state") {
        case "countdown", "open":
            lines += ["", "Call them. When somebody responds: jaga emergency acknowledge \(id)"]
        case "acknowledged":
            lines += ["", "When the emergency is over: jaga emergency resolve \(id)"]
        default: break
        }
        return lines
    }

    private static func describe(_ recipient: JSON) -> [String] {
        var lines = [reach(recipient)]
        // The newest message to each address shows its state.
        var seen: Set<String> = []
        for message in recipient["messages"]?.array ?? []
        where seen.insert(message.cell("to")).inserted {
            let answer = message.cell("answer")
            lines.append(
                "      \(message.cell("channel")) to \(message.cell("to")): "
                    + message.cell("state") + (answer.isEmpty ? "" : " (\(answer))"))
        }
        return lines
    }

    /// One line with a person's name, roles and contact points.
    static func reach(_ other: JSON) -> String {
        let circles = (other["circles"]?.array ?? []).map {
            "\($0.cell("role")) of \($0.cell("name"))"
        }
        let role = circles.isEmpty ? "" : " (\(circles.joined(separator: ", ")))"
        return "  \(name(of: other["person"]))\(role): \(contacts(of: other))"
    }

    static func contacts(of item: JSON) -> String {
        let all = (item["contacts"]?.array ?? []).map { $0.cell("address") }
        return all.isEmpty ? "no contact points" : all.joined(separator: ", ")
    }

    private static func act(
        _ what: String, on id: String, _ api: API, _ call: Call
    ) throws {
        let note = call.value("--note").map { [JSON.Member("note", .string($0))] } ?? []
        show(try api.post("/v1/emergencies/\(id)/\(what)", .object(note)), call)
    }

    /// Prints the state of an emergency after a command.
    private static func show(_ result: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(result.text) }
        let by = result["by"].map { $0.isNull ? "the operator" : name(of: $0) } ?? ""
        Console.print("\(result.cell("state")) by \(by) at \(result.cell("at"))")
    }

    /// The id of the emergency that the user names.
    private static func id(of text: String, _ api: API) throws -> String {
        if EmergencyID(text) != nil { return text }
        let active = try api.list("/v1/escalations?state=active")
        return try find(text, among: active)
    }

    /// The id of the active emergency with a reference code, or of a person.
    static func find(_ text: String, among active: [JSON]) throws(CommandError) -> String {
        let word = text.lowercased()
        let found = active.filter { item in
            let person = item["person"] ?? .null
            return [item.cell("reference"), person.cell("name"), person.cell("id")]
                .contains { $0.lowercased() == word }
        }
        guard let first = found.first else {
            throw CommandError(
                "no active emergency has the person or code \(text)",
                hint: "'jaga emergency list' lists them; name ended ones by id")
        }
        guard found.count == 1 else {
            throw CommandError(
                "\(found.count) emergencies match \(text)",
                hint: "use one of the ids "
                    + found.map { "\($0.cell("id")) (\(name(of: $0["person"])))" }
                    .joined(separator: ", "))
        }
        return first.cell("id")
    }
}
