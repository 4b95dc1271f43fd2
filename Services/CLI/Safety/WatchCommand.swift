import Model
import Parsing

/// `jaga watch`: starts, extends and ends a watch over the person of the token.
enum WatchCommand: Command {
    static let syntax = Syntax(
        name: "watch", parameters: ["[VERB]", "[MINUTES]"],
        summary: "let Jaga watch over you until you end it",
        details: """
            show              shows the running watch; also without a verb
            start MINUTES     starts a watch, or extends the running one
            extend MINUTES    extends it, counted from its deadline
            end               ends it: you are safe
            cancel            ends it: it is not needed

            If a PIN is set, it is read from standard input: end, cancel, and start if the new watch
            ends earlier. Set JAGA_TOKEN or --token-file to your token.
            """,
        options: [.init(name: "--note", value: "TEXT", help: "note for those who are notified")]
            + [.tokenFile, .json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["show"] : call.parameters
        switch (words[0], words.count) {
        case ("show", 1):
            guard let watch = try running(api) else {
                Console.print(call.has("--json") ? "null" : "No watch is running.")
                return 0
            }
            report(watch, call)
        case ("start", 2):
            var body: [JSON.Member] = [.init("minutes", try minutes(words[1]))]
            if let note = call.value("--note") { body.append(.init("note", .string(note))) }
            if let pin = try PINInput.read(api, call) { body.append(.init("pin", pin)) }
            report(try api.post("/v1/watches", .object(body)), call)
        case ("extend", 2):
            let path = try path(api) + "/extension"
            report(try api.post(path, ["minutes": try minutes(words[1])]), call)
        case ("end", 1):
            report(try api.post(path(api) + "/end", try PINInput.body(api, call)), call)
        case ("cancel", 1):
            report(try api.call(.delete, path(api), try PINInput.body(api, call)), call)
        default:
            throw CommandError.usage(
                "show, start MINUTES, extend MINUTES, end or cancel is required", syntax)
        }
        return 0
    }

    private static func minutes(_ text: String) throws -> JSON {
        guard let minutes = UntrustedNumber.integer(text, in: 1...10_080) else {
            throw CommandError.usage("MINUTES must be from 1 to 10080", syntax)
        }
        return .integer(Int64(minutes))
    }

    private static func running(_ api: API) throws -> JSON? {
        let newest = try api.get("/v1/watches?limit=1")["items"]?.array?.first
        return newest.flatMap { ["active", "reminded"].contains($0.cell("state")) ? $0 : nil }
    }

    private static func path(_ api: API) throws -> String {
        guard let watch = try running(api) else {
            throw CommandError("no watch is running", hint: "start one: jaga watch start 30")
        }
        return "/v1/watches/" + API.pathPart(watch.cell("id"))
    }

    private static func report(_ watch: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(watch.text) }
        switch watch.cell("state") {
        case "active", "reminded":
            Console.print(
                "Watch until \(watch.cell("deadline")); emergency at \(watch.cell("expiry")).")
        case let state: Console.print("Watch \(state).")
        }
    }
}

/// The PIN of a command, read from standard input, so that it is in no list of processes.
enum PINInput {
    /// The PIN; nil = none is set, or the command is for somebody else.
    static func read(_ api: API, _ call: Call) throws -> JSON? {
        guard call.value("--person") == nil else { return nil }
        let path = try OwnAccount(api, call).path + "/pin"
        guard try api.getIfThere(path)?["set"]?.bool == true else { return nil }
        guard let line = Console.readLine(), !line.isEmpty else {
            throw CommandError("the PIN is missing", hint: "write it on a line of standard input")
        }
        return .string(line)
    }

    static func body(_ api: API, _ call: Call) throws -> JSON {
        .object(try read(api, call).map { [.init("pin", $0)] } ?? [])
    }
}
