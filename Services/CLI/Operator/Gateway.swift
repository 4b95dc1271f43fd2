import Parsing
import Web

/// `jaga gateway`: ways out, and a test of each.
enum Gateway: Command {
    static let syntax = Syntax(
        name: "gateway", parameters: ["[test]", "[NAME]"],
        summary: "ways by which messages leave, and a test of each",
        details: """
            Without parameters it lists the gateways with their last answers, and where each is to
            tell of texts that come in. 'test NAME --to
            ADDRESS' sends a test message through one and shows what became of it.
            """,
        options: [
            .init(name: "--to", value: "ADDRESS", help: "a number or a mail address"), .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        guard let verb = call.parameters.first else {
            let gateways = try api.list("/v1/gateways")
            if call.has("--json") {
                for gateway in gateways { Console.say(gateway.text) }
            } else {
                for line in table(of: gateways).lines { Console.say(line) }
                for gateway in gateways where !gateway.cell("replies").isEmpty {
                    Console.say("texts to \(gateway.cell("name")): \(gateway.cell("replies"))")
                }
            }
            return 0
        }
        guard verb == "test", call.parameters.count == 2, let address = call.value("--to") else {
            throw CommandError.usage("say: test NAME --to ADDRESS, or nothing", syntax)
        }
        let path = "/v1/gateways/\(Percent.encode(call.parameters[1]))/test"
        let answer = try api.post(path, ["to": .string(address)])
        if call.has("--json") {
            Console.say(answer.text)
        } else {
            for member in answer.object ?? [] {
                Console.say("\(member.key): \(answer.cell(member.key))")
            }
        }
        return 0
    }

    /// The gateways as lines, also for `jaga status`.
    static func table(of gateways: [JSON]) -> Table {
        var table = Table("gateway", "state", "last answer", "at")
        for gateway in gateways {
            let outcome = gateway.cell("lastOutcome")
            let answer = gateway.cell("lastAnswer")
            table.add(
                gateway.cell("name"), gateway["down"]?.bool == true ? "down" : "up",
                outcome.isEmpty ? "none yet" : answer.isEmpty ? outcome : "\(outcome): \(answer)",
                gateway.cell("lastAnswered"))
        }
        return table
    }
}
