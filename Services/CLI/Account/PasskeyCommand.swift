import Parsing

/// `jaga passkey`: lists and removes passkeys of a person.
enum PasskeyCommand: Command {
    static let syntax = Syntax(
        name: "passkey", parameters: ["[VERB]", "[ID]"],
        summary: "list and remove your passkeys",
        details: """
            list        lists your passkeys; also without a verb
            remove ID   removes a passkey: it no longer signs you in

            Passkeys are added in a browser. Set JAGA_TOKEN or --token-file to your token.
            """,
        options: [.tokenFile, .json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        let path = try OwnAccount(api, call).path + "/passkeys"
        switch (words[0], words.count) {
        case ("list", 1): list(try api.list(path), call)
        case ("remove", 2):
            try api.delete(path + "/" + API.pathPart(words[1]))
            Console.print("removed \(words[1])")
        default: throw CommandError.usage("list or remove ID is required", syntax)
        }
        return 0
    }

    private static func list(_ passkeys: [JSON], _ call: Call) {
        if call.has("--json") {
            for passkey in passkeys { Console.print(passkey.text) }
            return
        }
        guard !passkeys.isEmpty else { return Console.print("No passkeys.") }
        var table = Table("name", "created", "id")
        for passkey in passkeys {
            table.add(
                passkey.cell("name"), String(passkey.cell("created").prefix(10)),
                passkey.cell("id"))
        }
        for line in table.lines { Console.print(line) }
    }
}
