import Parsing
import Web

/// `jaga quarantine`: manages phone payloads that could not be used.
enum Quarantine: Command {
    static let syntax = Syntax(
        name: "quarantine", parameters: ["[VERB]", "[ID]"],
        summary: "list, show, retry or drop unusable payloads of phones",
        details: """
            list        lists payloads, newest first; also without a verb
            show ID     shows a payload, which may contain positions; recorded in the person's
                        access log
            retry ID    processes a payload again with its original time, such as after an upgrade
                        or once the phone's passphrase is set; known reports count as duplicates,
                        unusable ones stay in quarantine
            drop ID     deletes a payload

            'retry' and 'drop' process all payloads with --all, or those of a --reason or --device.
            """,
        options: [
            .init(name: "--limit", value: "N", help: "list: at most N payloads (default 50)"),
            .init(name: "--all", value: nil, help: "retry, drop: all payloads"),
            .init(
                name: "--reason", value: "REASON",
                help: "list, retry, drop: only payloads with this reason, such as encrypted"),
            .init(
                name: "--device", value: "DEVICE",
                help: "list, retry, drop: only payloads of this phone: an id or PERSON/NAME"),
            .json,
        ] + Syntax.Option.api)

    private static let path = "/v1/quarantine"

    static func run(_ call: Call) throws -> Int32 {
        let limit = try call.number("--limit", default: 50, in: 1...100_000)
        let verb = call.parameters.first ?? "list"
        let id = call.parameters.dropFirst().first
        let api = try API(call)
        var call = call
        if let device = call.value("--device") {
            call.set("--device", to: try Names(api: api).device(device))
        }
        switch (verb, id) {
        case ("list", nil):
            list(try api.list(path, limit: limit) { isIncluded($0, call) }, call)
        case ("show", let id?): show(try api.get(path(of: id)), asJSON: call.has("--json"))
        case ("retry", _):
            let outcomes = try ids(id, api, call).map { try retry($0, api, call) }
            return outcomes.allSatisfy(\.self) ? 0 : 1
        case ("drop", _):
            for id in try ids(id, api, call) {
                try api.delete(path(of: id))
                Console.print("\(id) dropped")
            }
        default:
            throw CommandError.usage("list, show ID, retry ID or drop ID is required", syntax)
        }
        return 0
    }

    private static func path(of id: String) -> String { "\(path)/\(API.pathPart(id))" }

    private static func isIncluded(_ entry: JSON, _ call: Call) -> Bool {
        [("--reason", "reason"), ("--device", "device")].allSatisfy { option, key in
            call.value(option).map { entry[key]?.string == $0 } ?? true
        }
    }

    /// The named payload, or all that the options select, oldest first, so that reports keep their
    /// order.
    private static func ids(_ id: String?, _ api: API, _ call: Call) throws -> [String] {
        if let id { return [id] }
        guard call.has("--all") || call.has("--reason") || call.has("--device") else {
            throw CommandError.usage("ID, --all, --reason or --device is required", syntax)
        }
        let entries = try api.list(path) { isIncluded($0, call) }
        if entries.isEmpty { Console.print("No payloads match.") }
        return entries.reversed().compactMap { $0["id"]?.string }
    }

    /// - Returns: whether the payload was accepted
    private static func retry(_ id: String, _ api: API, _ call: Call) throws -> Bool {
        do throws(CommandError) {
            var answer = try answer(to: id, api)
            // A long list is processed in portions.
            while answer["outcome"] == "partly" {
                answer = sum(answer, try self.answer(to: id, api))
            }
            let isAccepted = answer["outcome"] == "accepted"
            Console.print(
                call.has("--json")
                    ? answer.text : "\(id) \(summary(for: answer))")
            return isAccepted
        } catch {
            guard call.parameters.count < 2 else { throw error }
            Console.print("\(id) \(error.message)")
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

    /// Adds the result of a portion to those of earlier ones.
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

    /// Renders the result, such as `accepted: 1 new, 2 duplicates`.
    static func summary(for answer: JSON) -> String {
        guard answer["outcome"] == "accepted" else {
            let reasons = (answer["quarantined"]?.array ?? []).map { $0.cell("reason") }
            return "still unusable: " + Set(reasons).sorted().joined(separator: ", ")
        }
        let calls = answer["calls"]?.int ?? 0
        return "accepted: \(answer.cell("accepted")) new, \(answer.cell("duplicates")) duplicates"
            + (calls == 0 ? "" : ", \(calls) emergency requests")
    }

    private static func list(_ entries: [JSON], _ call: Call) {
        Listing(
            .field("received"), .field("times", "count"), .field("app", "client"), .field("id"),
            .field("reason"), ifEmpty: "The quarantine is empty."
        ).print(entries, call)
    }

    private static func show(_ entry: JSON, asJSON: Bool) {
        if asJSON { return Console.print(entry.text) }
        for member in entry.object ?? [] where member.key != "payload" {
            Console.print("\(member.key): \(entry.cell(member.key))")
        }
        Console.print("payload:\n\(entry.cell("payload"))")
    }
}
