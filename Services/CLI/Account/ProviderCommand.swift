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
        Listing(
            .field("name"), .field("creates accounts", "signUp"),
            .text("sign-in") { api.url + $0.cell("url") }, .field("id"),
            ifEmpty: "No provider is configured: see docs/sign-in.md."
        ).print(providers, call)
        return 0
    }
}
