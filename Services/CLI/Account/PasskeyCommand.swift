import Parsing

/// `jaga passkey`: lists and removes passkeys of a person.
enum PasskeyCommand: Command {
    static let syntax = Syntax(
        name: "passkey", parameters: ["[VERB]", "[NAME]"],
        summary: "list and remove your passkeys",
        details: """
            list        lists your passkeys; also without a verb
            remove NAME removes a passkey by its name or id: it no longer signs you in

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
            let passkey = try Names(api: api).item(
                words[1], of: path, "passkey", isID: { $0.hasPrefix("pky_") })
            try api.delete(path + "/" + API.pathPart(passkey))
            Console.print("removed \(words[1])")
        default: throw CommandError.usage("list or remove NAME is required", syntax)
        }
        return 0
    }

    private static func list(_ passkeys: [JSON], _ call: Call) {
        Listing(.field("name"), .day("created"), .field("id"), ifEmpty: "No passkeys.")
            .print(passkeys, call)
    }
}
