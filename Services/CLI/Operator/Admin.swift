import Parsing

/// `jaga admin`: what only the operator may do to the suite itself.
enum Admin: Command {
    static let syntax = Syntax(
        name: "admin", parameters: ["token"],
        summary: "replace the operator's token",
        details: """
            'token' makes a new token for the operator and ends the old one. The suite writes it to
            secrets/operator.token in its home folder, readable by its owner only. Where this
            command does not read that file, it prints the token.
            """,
        options: Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        guard call.parameters == ["token"] else {
            throw CommandError.usage("say: token", syntax)
        }
        let api = try API(call)
        let answer = try api.post("/v1/admin/token", [:])
        guard let token = answer["credential"]?["token"]?.string else {
            throw CommandError(
                "the suite answered without a token", hint: "are jaga and it of one version?")
        }
        let home = try call.configuration().text("JAGA_HOME")
        if call.environment["JAGA_TOKEN"] == nil, try Token.operator(of: call).text == token {
            Console.say("The new token is in \(Token.operatorFile(home: home)).")
        } else {
            Console.say(token)
        }
        return 0
    }
}
