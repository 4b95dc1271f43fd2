import Parsing

/// `jaga message`: texts that zones send to a number.
enum MessageCommand: Command {
    static let syntax = Syntax(
        name: "message", parameters: ["[VERB]", "[MESSAGE]", "[CODE]"],
        summary: "texts that zones send to a number when they fire",
        details: """
            list                 the messages; also without a verb
            add                  a new one of what --field says: number, ownMoniker, toMoniker,
                                 line, mode (propose or automatic)
            edit MESSAGE         changes what --field says; another number has to be confirmed anew
            code MESSAGE         sends the number another code: at most 3 a day to one number
            confirm MESSAGE CODE the number has agreed: its holder told you the code in the text
                                 that came there when the message was made, or by 'code'
            confirm MESSAGE      the same without a code, for the operator, who asked there
            remove MESSAGE

            Say whose messages: --circle or --person. Zones name them:
            'jaga zone edit ZONE --field messages=["msg_…"]'.
            """,
        options: Array(Holder.options.prefix(2)) + [
            .init(
                name: "--field", value: "NAME=VALUE", help: "a field; VALUE is JSON, or a text",
                repeats: true),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let path = try Holder(call, of: ["circles", "people"]).path + "/messages"
        let verb = call.parameters.first ?? "list"
        let id = call.parameters.dropFirst().first
        let code = call.parameters.dropFirst(2).first
        let api = try API(call)
        switch (verb, id, code) {
        case ("list", nil, nil): show(try api.list(path), asJSON: call.has("--json"))
        case ("add", nil, nil):
            say("made", try api.post(path, .object(try fields(call))), call)
        case ("edit", let id?, nil):
            let body = JSON.object(try fields(call))
            say("changed", try api.put("\(path)/\(Holder.part(id))", body), call)
        case ("code", let id?, nil):
            say("asked", try api.call(.post, "\(path)/\(Holder.part(id))/code"), call)
        case ("confirm", let id?, nil):
            say("confirmed", try api.call(.put, "\(path)/\(Holder.part(id))/confirmed"), call)
        case ("confirm", let id?, let code?):
            let body: JSON = ["code": .string(code)]
            say("confirmed", try api.post("\(path)/\(Holder.part(id))/confirmation", body), call)
        case ("remove", let id?, nil):
            try api.delete("\(path)/\(Holder.part(id))")
            Console.say("removed")
        default: throw CommandError.usage("not understood: message \(verb)", syntax)
        }
        return 0
    }

    /// A number is a text, though it looks like one.
    private static func fields(_ call: Call) throws(CommandError) -> [JSON.Member] {
        try GivenFields.read(
            call, of: syntax, texts: ["number", "line", "ownMoniker", "toMoniker"])
    }

    private static func say(_ done: String, _ message: JSON, _ call: Call) {
        if call.has("--json") { return Console.say(message.text) }
        Console.say("\(done) \(message.cell("id"))")
        guard message.cell("confirmed").isEmpty else { return }
        let expires = message.cell("codeExpires")
        Console.say(
            expires.isEmpty
                ? "nothing is sent before its number is confirmed, and no code is on its way: "
                    + "'code' sends one"
                : "nothing is sent before its number is confirmed: a text with a code went there; "
                    + "'confirm' takes it until \(expires)")
    }

    private static func show(_ messages: [JSON], asJSON: Bool) {
        if asJSON {
            for message in messages { Console.say(message.text) }
            return
        }
        var table = Table("number", "to", "mode", "confirmed", "line", "id")
        for message in messages {
            table.add(
                message.cell("number"), message.cell("toMoniker"), message.cell("mode"),
                message.cell("confirmed"), message.cell("line"), message.cell("id"))
        }
        for line in table.lines { Console.say(line) }
    }
}
