import Parsing

/// `jaga consent`: answers what others ask a person to agree to.
enum ConsentCommand: Command {
    static let syntax = Syntax(
        name: "consent", parameters: ["[VERB]", "[ID]"],
        summary: "answer requests to show more of you",
        details: """
            list         lists open requests and what you agreed to; also without a verb
            agree ID     agrees; it takes effect for you at once
            decline ID   declines, or withdraws what you agreed to

            Set JAGA_TOKEN or --token-file to your token. Guardians answer for a ward: --person.
            """,
        options: [OwnAccount.option, .tokenFile, .json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        let path = try OwnAccount(api, call).path + "/consents"
        switch (words[0], words.count) {
        case ("list", 1): list(try api.list(path), call)
        case ("agree", 2), ("decline", 2):
            let reply = try api.put(
                path + "/" + API.pathPart(words[1]), ["agreed": .bool(words[0] == "agree")])
            Console.print(
                call.has("--json") ? reply.text : "\(question(in: reply)): \(reply.cell("state"))")
        default:
            throw CommandError.usage("list, agree ID or decline ID is required", syntax)
        }
        return 0
    }

    private static func list(_ consents: [JSON], _ call: Call) {
        Listing(
            .field("state"), .text("question", question),
            .text("asked by") { $0["asker"]?["name"]?.string?.onOneLine ?? "operator" },
            .day("expires"), .field("id"), ifEmpty: "Nobody asks you anything."
        ).print(consents, call)
    }

    /// The question of a request as a sentence.
    static func question(in consent: JSON) -> String {
        let circle = consent["circle"]?.cell("name") ?? ""
        let person = consent["person"]?.cell("name") ?? ""
        return switch consent.cell("question") {
        case "members-see-position": "all members of \(circle) see your position"
        case "history-days":
            "\(circle) sees \(days(consent, "historyDays")) of your history instead of "
                + days(consent, "historyDaysBefore")
        case "role": "\(person) becomes \(consent.cell("role")) of \(circle)"
        case "guardian": "\(person) becomes another guardian"
        case let other: other
        }
    }

    private static func days(_ consent: JSON, _ field: String) -> String {
        switch consent[field]?.int {
        case 0: "as many days as your plan keeps"
        case 1: "1 day"
        case let days?: "\(days) days"
        case nil: "an unknown number of days"
        }
    }
}
