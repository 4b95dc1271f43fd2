import Parsing

/// `jaga provider`: lists the OpenID providers of a suite.
enum ProviderCommand: Command {
    static let syntax = Syntax(
        name: "provider", parameters: ["[VERB]"],
        summary: "list the OpenID providers that people sign in with",
        details: """
            list   lists the providers in use, with the address that starts a sign-in; also without
                   a verb

            The file of JAGA_SIGN_IN_PROVIDERS names them: docs/sign-in.md. No token is needed.
            """,
        options: [.json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        guard [[], ["list"]].contains(call.parameters) else {
            throw CommandError.usage("list is the only verb", syntax)
        }
        let api = try API(withoutToken: call)
        let providers = try api.list("/v1/sign-in/providers")
        if call.has("--json") {
            for provider in providers { Console.print(provider.text) }
            return 0
        }
        guard !providers.isEmpty else {
            Console.print("No provider is configured: see docs/sign-in.md.")
            return 0
        }
        var table = Table("name", "creates accounts", "sign-in", "id")
        for provider in providers {
            table.add(
                provider.cell("name"), provider.cell("signUp"), api.url + provider.cell("url"),
                provider.cell("id"))
        }
        for line in table.lines { Console.print(line) }
        return 0
    }
}
