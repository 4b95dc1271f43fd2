import Parsing

/// `jaga admin`: manages the operator's token and the monitoring token.
enum Admin: Command {
    static let syntax = Syntax(
        name: "admin", parameters: ["token|monitoring-token"],
        summary: "replace the operator's token, create a monitoring token",
        details: """
            'token' creates a new operator token and revokes the old one. The suite writes it to
            secrets/operator.token in its home folder, readable by its owner only. If this command
            does not read that file, it prints the token.

            'monitoring-token' creates and prints the monitoring token and revokes the previous one.
            It gives access to 'jaga tail --url URL --token-file FILE' and 'jaga status' from any
            host, with personal data masked by the suite, and to nothing else.
            """,
        options: Syntax.Option.api + [
            .init(name: "--end", value: nil, help: "revoke the monitoring token without a new one")
        ])

    static func run(_ call: Call) throws -> Int32 {
        switch call.parameters {
        case ["token"] where !call.has("--end"): try replaceOwn(call)
        case ["monitoring-token"]: try changeMonitors(call)
        default: throw CommandError.usage("token or monitoring-token [--end] is required", syntax)
        }
        return 0
    }

    private static func replaceOwn(_ call: Call) throws {
        let token = try made(API(call), "/v1/admin/token")
        let home = try call.configuration().text("JAGA_HOME")
        if call.environment["JAGA_TOKEN"] == nil, try Token.operator(of: call).text == token {
            Console.print("The new token is in \(Token.operatorFile(home: home)).")
        } else {
            Console.print(token)
        }
    }

    private static func changeMonitors(_ call: Call) throws {
        let api = try API(call)
        if call.has("--end") {
            try api.delete("/v1/admin/monitoring-token")
            Console.print("The monitoring token is revoked.")
        } else {
            Console.print(try made(api, "/v1/admin/monitoring-token"))
        }
    }

    private static func made(_ api: API, _ path: String) throws -> String {
        guard let token = try api.post(path, [:])["credential"]?["token"]?.string else {
            throw CommandError(
                "the response has no token",
                hint: "check that jaga and the suite have the same version")
        }
        return token
    }
}
