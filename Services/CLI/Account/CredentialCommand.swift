import Model
import Parsing
import Runtime
import Web

/// `jaga credential`: lists, creates and revokes credentials of a person.
enum CredentialCommand: Command {
    static let syntax = Syntax(
        name: "credential", parameters: ["VERB", "[NAME]"],
        summary: "list, create and revoke the credentials of a person",
        details: """
            list             lists a person's credentials, those of their phones included
            create NAME      creates a credential for a script, or with --kind help for calls for
                             help only, and prints its token, once
            revoke ID        revokes a credential

            Set JAGA_TOKEN or --token-file to the person's token. The operator can list and revoke
            with --person; nobody but the person creates credentials that act as them.
            """,
        options: [
            OwnAccount.option,
            .init(name: "--kind", value: "KIND", help: "create: person or help (default person)"),
            .init(
                name: "--days", value: "N",
                help: "create: expire after so many days (default: 90; help: never)"),
            .tokenFile, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let path = try OwnAccount(api, call).path + "/credentials"
        switch (call.parameters[0], call.parameters.count) {
        case ("list", 1): list(try api.list(path), call)
        case ("create", 2): try create(call.parameters[1], at: path, api, call)
        case ("revoke", 2):
            try api.delete(path + "/" + API.pathPart(call.parameters[1]))
            Console.print("revoked \(call.parameters[1])")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func list(_ credentials: [JSON], _ call: Call) {
        if call.has("--json") {
            for credential in credentials { Console.print(credential.text) }
            return
        }
        var table = Table("kind", "name", "created", "last used", "expires", "id")
        for credential in credentials {
            table.add(
                credential.cell("kind"), credential.cell("name"),
                String(credential.cell("created").prefix(10)), credential.cell("lastUsed"),
                String(credential.cell("expires").prefix(10)), credential.cell("id"))
        }
        for line in table.lines { Console.print(line) }
    }

    private static func create(
        _ name: String, at path: String, _ api: API, _ call: Call
    ) throws {
        var body: [JSON.Member] = [
            .init("name", .string(name)), .init("kind", .string(call.value("--kind") ?? "person")),
        ]
        if call.value("--days") != nil {
            let days = try call.number("--days", default: 90, in: 1...3650)
            let end = SystemClock().now + .seconds(Int64(days) * 86_400)
            body.append(.init("expires", .string(end.description)))
        }
        let made = try api.post(path, .object(body))
        Console.print(call.has("--json") ? made.text : try token(in: made))
    }

    /// The token in a response with a new credential.
    static func token(in response: JSON) throws(CommandError) -> String {
        guard let token = response["credential"]?["token"]?.string else {
            throw CommandError(
                "the response has no token",
                hint: "check that jaga and the suite have the same version")
        }
        return token
    }
}
