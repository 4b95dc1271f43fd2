import Model
import Parsing

/// `jaga release`: what became due while the suite was away.
enum ReleaseCommand: Command {
    static let syntax = Syntax(
        name: "release", parameters: ["[all|ID,ID…]"],
        summary: "show, send or drop what became due while the suite was away",
        details: """
            After a restore, and when a store was more than 15 minutes behind the clock at its
            start, watches that ran out, clocks, emergencies and messages that became due meanwhile
            wait for you, ten minutes at most (JAGA_HOLD_SECONDS). Then they go out by themselves,
            saying when they were due.

            Without a parameter, or with --list, it shows them. ID is one of the list, or that of an
            emergency or a person: all that is held of it. 'all' is everything. With --drop nothing
            comes of them: a watch is cancelled, a message not sent, an emergency resolved without a
            word to whoever has not heard of it.
            """,
        options: [
            .init(name: "--list", value: nil, help: "only show what is held"),
            .init(name: "--drop", value: nil, help: "drop it in place of sending it"),
            .json,
        ] + Syntax.Option.api)

    /// Who holds something.
    static let holders: [Service] = [.timer, .notifier]

    static func run(_ call: Call) throws -> Int32 {
        let names = call.parameters.flatMap { $0.split(separator: ",").map(String.init) }
        guard names.isEmpty || !call.has("--list") else {
            throw CommandError.usage("--list takes no ID", syntax)
        }
        guard !names.isEmpty || !call.has("--drop") else {
            throw CommandError.usage("--drop needs an ID, or 'all'", syntax)
        }
        let api = try API(call)
        return names.isEmpty ? try list(api, call) : try settle(names, api, call)
    }

    private static func list(_ api: API, _ call: Call) throws -> Int32 {
        let documents = try holders.map { try api.get("/v1/held/\($0.rawValue)") }
        let items = documents.flatMap { $0["items"]?.array ?? [] }
        if call.has("--json") {
            for item in items { Console.say(item.text) }
            return 0
        }
        guard !items.isEmpty else {
            Console.say(hidden(by: documents) ?? "Nothing is held.")
            return 0
        }
        for line in lines(of: documents, naming: { name(of: $0, api) }) { Console.say(line) }
        return 0
    }

    private static func settle(_ names: [String], _ api: API, _ call: Call) throws -> Int32 {
        let body: JSON = [
            "action": .string(call.has("--drop") ? "drop" : "send"),
            "items": names.contains("all") ? "all" : .array(names.map { .string($0) }),
        ]
        // The timer first: a watch that is released raises an emergency that nothing holds.
        let done = try holders.flatMap { holder in
            try api.post("/v1/held/\(holder.rawValue)", body)["items"]?.array ?? []
        }
        if call.has("--json") {
            for item in done { Console.say(item.text) }
        } else {
            Console.say("\(call.has("--drop") ? "Dropped" : "Released") \(done.count).")
            let left = try holders.map { try api.get("/v1/held/\($0.rawValue)") }
            if let hidden = hidden(by: left) { Console.say(hidden) }
        }
        guard done.isEmpty, !names.contains("all") else { return 0 }
        throw CommandError(
            "nothing that is held has the id \(names.joined(separator: ", "))",
            hint: "'jaga release' shows what is held; it may have gone out by itself")
    }

    /// Right after a start the timer holds clocks of emergencies that the notifier only gets to.
    ///
    /// - Returns: that there are such; nil where all that is held is shown
    static func hidden(by documents: [JSON]) -> String? {
        let shown = documents.flatMap { $0["items"]?.array ?? [] }.compactMap {
            $0["emergency"]?.string
        }
        let elsewhere = documents.flatMap { $0["shownElsewhere"]?.array ?? [] }
        let count = Set(elsewhere.compactMap(\.string)).subtracting(shown).count
        guard count > 0 else { return nil }
        let emergencies = count == 1 ? "emergency is" : "emergencies are"
        return "\(count) \(emergencies) held and not shown yet: look again in some seconds."
    }

    private static func name(of person: String, _ api: API) -> String? {
        (try? api.getIfThere("/v1/people/\(person)"))??["name"]?.string?.onOneLine
    }

    /// The list as people read it.
    ///
    /// - Parameters:
    ///   - documents: what each holder says
    ///   - naming: the name of a person by their id
    static func lines(of documents: [JSON], naming: (String) -> String?) -> [String] {
        var names: [String: String] = [:]
        func name(_ id: String?) -> String {
            guard let id else { return "" }
            if let known = names[id] { return known }
            let found = naming(id) ?? id
            names[id] = found
            return found
        }
        var table = Table("due", "what", "about", "to", "id")
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
            "", "Held until \(ends.min() ?? "the hold ends"); then it goes out by itself.",
        ]
        if items.contains(where: { ["emergency", "message"].contains($0["kind"]?.string) }) {
            notes.append(
                "After a restore, what was sent since the backup may be listed too, and would go "
                    + "out a second time.")
        }
        notes.append("jaga release ID,ID sends, jaga release --drop ID,ID drops.")
        return table.lines + notes + [hidden(by: documents)].compactMap(\.self)
    }
}
