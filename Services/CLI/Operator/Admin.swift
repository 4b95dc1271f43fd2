import Model
import Parsing
import Runtime

/// `jaga admin`: what only the operator may do to the suite itself.
enum Admin: Command {
    static let syntax = Syntax(
        name: "admin", parameters: ["token"],
        summary: "replace the operator's token",
        details: """
            'token' makes a new token for the operator and ends the old one. It is written to
            secrets/operator.token in the home folder (readable by its owner only), or printed when
            the old one came from JAGA_TOKEN.
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
        if call.environment["JAGA_TOKEN"] != nil {
            Console.say(token)
            return 0
        }
        let path = Token.operatorFile(home: try call.configuration().text("JAGA_HOME"))
        try Files.write(Array((token + "\n").utf8), to: path, mode: 0o600)
        Console.say("The new token is in \(path); the old one has ended.")
        return 0
    }
}
