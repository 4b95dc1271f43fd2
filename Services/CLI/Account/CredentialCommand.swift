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
            revoke NAME      revokes a credential: a name or an id

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
            let credential = try Names(api: api).item(
                call.parameters[1], of: path, "credential", isID: { CredentialID($0) != nil })
            try api.delete(path + "/" + API.pathPart(credential))
            Console.print("revoked \(call.parameters[1])")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func list(_ credentials: [JSON], _ call: Call) {
        Listing(
            .field("kind"), .field("name"), .day("created"), .field("last used", "lastUsed"),
            .day("expires"), .field("id")
        ).print(credentials, call)
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
