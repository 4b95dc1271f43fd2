import Model
import Parsing

/// `jaga timer`: a timer that notifies only its owner.
enum TimerCommand: Command {
    static let syntax = Syntax(
        name: "timer", parameters: ["[VERB]", "[SECONDS]", "[TEXT]"],
        summary: "get a message when a time is up",
        details: """
            show                     shows the running timer; also without a verb
            start SECONDS [TEXT]     starts a timer, in place of a running one
            stop                     stops it

            Set JAGA_TOKEN or --token-file to your token. Guardians act for a ward: --person.
            """,
        options: [OwnAccount.option, .tokenFile, .json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["show"] : call.parameters
        let path = try OwnAccount(api, call).path + "/timer"
        switch (words[0], words.count) {
        case ("show", 1):
            guard let timer = try api.getIfThere(path) else {
                Console.print(call.has("--json") ? "null" : "No timer is running.")
                return 0
            }
            report(timer, call)
        case ("start", 2), ("start", 3):
            guard let seconds = UntrustedNumber.integer(words[1], in: 1...604_800) else {
                throw CommandError.usage("SECONDS must be from 1 to 604800", syntax)
            }
            let text = words.count == 3 ? words[2] : ""
            report(
                try api.put(path, ["seconds": .integer(Int64(seconds)), "text": .string(text)]),
                call)
        case ("stop", 1):
            try api.delete(path)
            if !call.has("--json") { Console.print("Stopped.") }
        default:
            throw CommandError.usage("show, start SECONDS [TEXT] or stop is required", syntax)
        }
        return 0
    }

    private static func report(_ timer: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(timer.text) }
        let text = timer.cell("text").onOneLine
        Console.print("Timer until \(timer.cell("due"))\(text.isEmpty ? "" : ": \(text)")")
    }
}
