import Model
import Parsing

/// `jaga held`: items that became due during an outage.
enum HeldCommand: Command {
    static let syntax = Syntax(
        name: "held", parameters: ["[VERB]", "[ID,ID…]"],
        summary: "list, send or drop what became due during an outage",
        details: """
            list              the held items; also without a verb
            send ID,ID…|all   sends these items, or all
            drop ID,ID…|all   drops these items, or all: a watch is cancelled, a message is not
                              sent, an emergency is resolved without notifying those who do not
                              know of it

            After a restore, or when a store was more than 15 minutes old at its start, expired
            watches, deadlines, emergencies and messages that became due meanwhile are held for
            at most ten minutes (JAGA_OUTAGE_HOLD_SECONDS). Then they are sent automatically, with
            the time at which they were due.

            ID is the id of an item, or of an emergency or a person: all their items. A person can
            be named.
            """,
        options: [.json] + Syntax.Option.api)

    /// The services that hold items.
    static let services: [Service] = [.timer, .notifier]

    static func run(_ call: Call) throws -> Int32 {
        let verb = call.parameters.first ?? "list"
        let ids = call.parameters.dropFirst().flatMap { $0.split(separator: ",").map(String.init) }
        switch verb {
        case "list" where ids.isEmpty: return try list(try API(call), call)
        case "send", "drop":
            guard !ids.isEmpty else {
                throw CommandError.usage("\(verb): an ID or 'all' is required", syntax)
            }
            let api = try API(call)
            return try settle(try ids.map { try id(of: $0, api) }, verb, api, call)
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
    }

    private static func list(_ api: API, _ call: Call) throws -> Int32 {
        let documents = try services.map { try api.get("/v1/held/\($0.rawValue)") }
        let items = documents.flatMap { $0["items"]?.array ?? [] }
        if call.has("--json") {
            for item in items { Console.print(item.text) }
            return 0
        }
        guard !items.isEmpty else {
            Console.print(hidden(by: documents) ?? "Nothing is held.")
            return 0
        }
        for line in lines(of: documents, naming: { name(of: $0, api) }) { Console.print(line) }
        return 0
    }

    /// The id of a named person; ids and `all` pass unchanged.
    private static func id(of text: String, _ api: API) throws -> String {
        let isID = text.wholeMatch(of: /[a-z]{3}_[0-9a-z]{26}/) != nil
        return isID || text == "all" ? text : try Names(api: api).id(of: .person, text)
    }

    private static func settle(
        _ ids: [String], _ action: String, _ api: API, _ call: Call
    ) throws -> Int32 {
        let body: JSON = [
            "action": .string(action),
            "items": ids.contains("all") ? "all" : .array(ids.map { .string($0) }),
        ]
        // The timer first: sending its watches opens emergencies, which the notifier must not hold.
        let done = try services.flatMap { service in
            try api.post("/v1/held/\(service.rawValue)", body)["items"]?.array ?? []
        }
        if call.has("--json") {
            for item in done { Console.print(item.text) }
        } else {
            Console.print("\(action == "drop" ? "Dropped" : "Sent") \(done.count).")
            let left = try services.map { try api.get("/v1/held/\($0.rawValue)") }
            if let hidden = hidden(by: left) { Console.print(hidden) }
        }
        guard done.isEmpty, !ids.contains("all") else { return 0 }
        throw CommandError(
            "no held item has the id \(ids.joined(separator: ", "))",
            hint: "'jaga held' lists the items; it may have been sent automatically")
    }

    /// Returns a note about emergencies that are held but not listed yet; nil if all are listed.
    ///
    /// Right after a start the timer holds deadlines of emergencies that the notifier has not
    /// processed yet.
    static func hidden(by documents: [JSON]) -> String? {
        let shown = documents.flatMap { $0["items"]?.array ?? [] }.compactMap {
            $0["emergency"]?.string
        }
        let elsewhere = documents.flatMap { $0["shownElsewhere"]?.array ?? [] }
        let count = Set(elsewhere.compactMap(\.string)).subtracting(shown).count
        guard count > 0 else { return nil }
        let emergencies = count == 1 ? "emergency is" : "emergencies are"
        return "\(count) \(emergencies) held but not listed yet; retry in a few seconds."
    }

    private static func name(of person: String, _ api: API) -> String? {
        (try? api.getIfThere("/v1/people/\(person)"))??["name"]?.string?.onOneLine
    }

    /// Renders the list for people.
    ///
    /// - Parameters:
    ///   - documents: responses of the services
    ///   - naming: returns the name of a person by id
    static func lines(of documents: [JSON], naming: (String) -> String?) -> [String] {
        var names: [String: String] = [:]
        func name(_ id: String?) -> String {
            guard let id else { return "" }
            if let known = names[id] { return known }
            let found = naming(id) ?? id
            names[id] = found
            return found
        }
        var table = Table("due", "what", "person", "to", "id")
        let items = documents.flatMap { $0["items"]?.array ?? [] }
        for item in items.sorted(by: { $0.cell("due") < $1.cell("due") }) {
            let to = [item["channel"]?.string, item["recipient"]?.string.map { name($0) }]
            table.add(
                item.cell("due"), "\(item.cell("kind")): \(item.cell("what"))",
                name(item["person"]?.string), to.compactMap(\.self).joined(separator: " to "),
                item.cell("id"))
        }
        let ends = documents.compactMap { $0["holdEnds"]?.string }
        var notes = [
            "", "Held until \(ends.min() ?? "the hold ends"), then sent automatically.",
        ]
        if items.contains(where: { ["emergency", "message"].contains($0["kind"]?.string) }) {
            notes.append(
                "After a restore the list may have items that were sent after the backup; sending "
                    + "them notifies a second time.")
        }
        notes.append("jaga held send ID,ID sends items, jaga held drop ID,ID drops them.")
        return table.lines + notes + [hidden(by: documents)].compactMap(\.self)
    }
}
