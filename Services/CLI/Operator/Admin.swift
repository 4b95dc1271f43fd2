import Parsing

/// `jaga admin`: what only the operator may do to the suite itself.
enum Admin: Command {
    static let syntax = Syntax(
        name: "admin", parameters: ["token|monitoring-token"],
        summary: "replace the operator's token, make one for whoever only watches",
        details: """
            'token' makes a new token for the operator and ends the old one. The suite writes it to
            secrets/operator.token in its home folder, readable by its owner only. Where this
            command does not read that file, it prints the token.

            'monitoring-token' makes and prints the one token of those who only watch, and ends the
            one before: with it 'jaga tail --url URL --token-file FILE' follows events from any
            host, and 'jaga status' tells how the suite is, with everything private masked by the
            suite; nothing else can be done.
            """,
        options: Syntax.Option.api + [
            .init(name: "--end", value: nil, help: "end the monitoring token, and make none")
        ])

    static func run(_ call: Call) throws -> Int32 {
        switch call.parameters {
        case ["token"] where !call.has("--end"): try replaceOwn(call)
        case ["monitoring-token"]: try changeMonitors(call)
        default: throw CommandError.usage("say: token, or monitoring-token [--end]", syntax)
        }
        return 0
    }

    private static func replaceOwn(_ call: Call) throws {
        let token = try made(API(call), "/v1/admin/token")
        let home = try call.configuration().text("JAGA_HOME")
        if call.environment["JAGA_TOKEN"] == nil, try Token.operator(of: call).text == token {
            Console.say("The new token is in \(Token.operatorFile(home: home)).")
        } else {
            Console.say(token)
        }
    }

    private static func changeMonitors(_ call: Call) throws {
        let api = try API(call)
        if call.has("--end") {
            try api.delete("/v1/admin/monitoring-token")
            Console.say("The monitoring token is worth nothing any more.")
        } else {
            Console.say(try made(api, "/v1/admin/monitoring-token"))
        }
    }

    private static func made(_ api: API, _ path: String) throws -> String {
        guard let token = try api.post(path, [:])["credential"]?["token"]?.string else {
            throw CommandError(
                "the suite answered without a token", hint: "are jaga and it of one version?")
        }
        return token
    }
}
