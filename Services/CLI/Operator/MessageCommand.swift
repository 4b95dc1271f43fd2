import Parsing

/// `jaga message`: manages the messages that zones send to phone numbers.
enum MessageCommand: Command {
    static let syntax = Syntax(
        name: "message", parameters: ["[VERB]", "[MESSAGE]", "[CODE]"],
        summary: "manage messages that zones send to phone numbers",
        details: """
            list                 lists the messages; also without a verb
            add                  creates a message from --field: number, senderName, recipientName,
                                 line, mode (draft or automatic)
            edit MESSAGE         changes fields; a new number has to be confirmed
            code MESSAGE         sends another code to the number, at most 3 a day
            confirm MESSAGE CODE confirms the number with the code that its owner received
            confirm MESSAGE      confirms without a code; for the operator, with the owner's consent
            remove MESSAGE       removes a message

            --circle or --person names the owner of the messages. Zones refer to messages by id:
            'jaga zone edit ZONE --field messages=["msg_…"]'.
            """,
        options: Array(ZoneOwnerPath.options.prefix(2)) + [
            .init(
                name: "--field", value: "NAME=VALUE",
                help: "field to set; VALUE is JSON or a string",
                repeats: true),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let path = try ZoneOwnerPath(call, of: ["circles", "people"]).path + "/messages"
        let verb = call.parameters.first ?? "list"
        let id = call.parameters.dropFirst().first
        let code = call.parameters.dropFirst(2).first
        let api = try API(call)
        switch (verb, id, code) {
        case ("list", nil, nil): show(try api.list(path), asJSON: call.has("--json"))
        case ("add", nil, nil):
            report("created", try api.post(path, .object(try fields(call))), call)
        case ("edit", let id?, nil):
            let body = JSON.object(try fields(call))
            report("changed", try api.put("\(path)/\(API.pathPart(id))", body), call)
        case ("code", let id?, nil):
            report("requested", try api.call(.post, "\(path)/\(API.pathPart(id))/code"), call)
        case ("confirm", let id?, nil):
            report("confirmed", try api.call(.put, "\(path)/\(API.pathPart(id))/confirmed"), call)
        case ("confirm", let id?, let code?):
            let body: JSON = ["code": .string(code)]
            report(
                "confirmed", try api.post("\(path)/\(API.pathPart(id))/confirmation", body), call)
        case ("remove", let id?, nil):
            try api.delete("\(path)/\(API.pathPart(id))")
            Console.print("removed")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
        return 0
    }

    /// Phone numbers are strings even if they are valid JSON numbers.
    private static func fields(_ call: Call) throws(CommandError) -> [JSON.Member] {
        try FieldOptions.read(
            call, of: syntax, texts: ["number", "line", "senderName", "recipientName"])
    }

    private static func report(_ done: String, _ message: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(message.text) }
        Console.print("\(done) \(message.cell("id"))")
        guard message.cell("confirmed").isEmpty else { return }
        let expires = message.cell("codeExpires")
        Console.print(
            expires.isEmpty
                ? "nothing is sent before the number is confirmed, and there is no pending code: "
                    + "'jaga message code' sends one"
                : "nothing is sent before the number is confirmed: a code was sent to it; "
                    + "enter it with 'jaga message confirm' before \(expires)")
    }

    private static func show(_ messages: [JSON], asJSON: Bool) {
        Listing(
            .field("number"), .field("to", "recipientName"), .field("mode"), .field("confirmed"),
            .field("line"), .field("id")
        ).print(messages, asJSON: asJSON)
    }
}
