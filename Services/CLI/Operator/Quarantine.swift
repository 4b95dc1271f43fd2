import Parsing
import Web

/// `jaga quarantine`: what phones sent and could not be used.
enum Quarantine: Command {
    static let syntax = Syntax(
        name: "quarantine", parameters: ["[VERB]", "[ID]"],
        summary: "what phones sent and could not be used: list, show, retry, drop",
        details: """
            list        what there is, youngest first; so it is without parameters
            show ID     one with its payload, which may hold positions: noted in the person's
                        access log
            retry ID    read it once more, as what came when it came, such as after a new release
                        or once the passphrase of the phone is set; what is known already is a
                        duplicate, what still cannot be used stays
            drop ID     forget one

            'retry' and 'drop' take all of them with --all, or those of one --reason or --device.
            """,
        options: [
            .init(name: "--limit", value: "N", help: "list at most so many (default 50)"),
            .init(name: "--all", value: nil, help: "retry, drop: every one"),
            .init(
                name: "--reason", value: "REASON",
                help: "list, retry, drop: put aside for this, such as encrypted"),
            .init(name: "--device", value: "ID", help: "list, retry, drop: sent by this phone"),
            .json,
        ] + Syntax.Option.api)

    private static let path = "/v1/quarantine"

    static func run(_ call: Call) throws -> Int32 {
        let limit = try call.number("--limit", default: 50, in: 1...100_000)
        let verb = call.parameters.first ?? "list"
        let id = call.parameters.dropFirst().first
        let api = try API(call)
        switch (verb, id) {
        case ("list", nil):
            list(try api.list(path, limit: limit) { isWanted($0, call) }, call)
        case ("show", let id?): show(try api.get(path(of: id)), asJSON: call.has("--json"))
        case ("retry", _):
            let outcomes = try ids(id, api, call).map { try retry($0, api, call) }
            return outcomes.allSatisfy(\.self) ? 0 : 1
        case ("drop", _):
            for id in try ids(id, api, call) {
                try api.delete(path(of: id))
                Console.say("\(id) dropped")
            }
        default:
            throw CommandError.usage("say: list, show ID, retry ID, drop ID", syntax)
        }
        return 0
    }

    private static func path(of id: String) -> String { "\(path)/\(Holder.part(id))" }

    private static func isWanted(_ entry: JSON, _ call: Call) -> Bool {
        [("--reason", "reason"), ("--device", "device")].allSatisfy { option, key in
            call.value(option).map { entry[key]?.string == $0 } ?? true
        }
    }

    /// The one that is named, or all that options name; oldest first, so that what comes out of
    /// them comes in the order in which it was sent.
    private static func ids(_ id: String?, _ api: API, _ call: Call) throws -> [String] {
        if let id { return [id] }
        guard call.has("--all") || call.has("--reason") || call.has("--device") else {
            throw CommandError.usage("say which: an ID, --all, --reason or --device", syntax)
        }
        let entries = try api.list(path) { isWanted($0, call) }
        if entries.isEmpty { Console.say("There is nothing of that kind.") }
        return entries.reversed().compactMap { $0["id"]?.string }
    }

    /// - Returns: whether it could be used
    private static func retry(_ id: String, _ api: API, _ call: Call) throws -> Bool {
        do throws(CommandError) {
            var answer = try answer(to: id, api)
            // A long list is read a portion at a time.
            while answer["outcome"] == "partly" {
                answer = sum(answer, try self.answer(to: id, api))
            }
            let isTaken = answer["outcome"] == "taken"
            Console.say(
                call.has("--json")
                    ? answer.text : "\(id) \(words(for: answer))")
            return isTaken
        } catch {
            guard call.parameters.count < 2 else { throw error }
            Console.say("\(id) \(error.message)")
            return false
        }
    }

    private static func answer(to id: String, _ api: API) throws(CommandError) -> JSON {
        do {
            return try api.call(.post, path(of: id) + "/retry")
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("\(error)")
        }
    }

    /// What came of a portion, with those before it.
    static func sum(_ before: JSON, _ answer: JSON) -> JSON {
        func count(_ key: String) -> JSON {
            .integer(Int64((before[key]?.int ?? 0) + (answer[key]?.int ?? 0)))
        }
        return [
            "outcome": answer["outcome"] ?? .null, "next": answer["next"] ?? .null,
            "accepted": count("accepted"), "duplicates": count("duplicates"),
            "calls": count("calls"),
            "quarantined": .array(
                (before["quarantined"]?.array ?? []) + (answer["quarantined"]?.array ?? [])),
        ]
    }

    /// Such as `taken: 1 accepted, 2 duplicates`.
    static func words(for answer: JSON) -> String {
        guard answer["outcome"] == "taken" else {
            let reasons = (answer["quarantined"]?.array ?? []).map { $0.cell("reason") }
            return "still cannot be used: " + Set(reasons).sorted().joined(separator: ", ")
        }
        let calls = answer["calls"]?.int ?? 0
        return "taken: \(answer.cell("accepted")) accepted, \(answer.cell("duplicates")) duplicates"
            + (calls == 0 ? "" : ", \(calls) calls for help")
    }

    private static func list(_ entries: [JSON], _ call: Call) {
        if call.has("--json") {
            for entry in entries { Console.say(entry.text) }
            return
        }
        guard !entries.isEmpty else { return Console.say("The quarantine is empty.") }
        var table = Table("received", "times", "app", "id", "reason")
        for entry in entries {
            table.add(
                entry.cell("received"), entry.cell("count"), entry.cell("client"),
                entry.cell("id"), entry.cell("reason"))
        }
        for line in table.lines { Console.say(line) }
    }

    private static func show(_ entry: JSON, asJSON: Bool) {
        if asJSON { return Console.say(entry.text) }
        for member in entry.object ?? [] where member.key != "payload" {
            Console.say("\(member.key): \(entry.cell(member.key))")
        }
        Console.say("payload:\n\(entry.cell("payload"))")
    }
}
