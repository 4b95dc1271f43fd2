import Model
import Parsing
import Runtime

/// `jaga emergency unprocessed`: emergency requests that could not be processed, and whom to call.
struct UnprocessedCalls {
    let api: API

    private static let path = "/v1/unprocessed-calls"

    func list(_ call: Call) throws {
        let limit = try call.number("--limit", default: 50, in: 1...100_000)
        let items = try api.list(
            UnprocessedCalls.path + "?limit=\(min(limit, 1000))", limit: limit)
        if call.has("--json") {
            for item in items { Console.print(item.text) }
            return
        }
        guard let first = items.first else {
            return Console.print("No unprocessed emergency requests.")
        }
        for line in UnprocessedCalls.table(of: items, now: SystemClock().now).lines {
            Console.print(line)
        }
        if first["raised"]?.isNull ?? true {
            Console.print("\nTo see whom to call: jaga emergency unprocessed \(first.cell("id"))")
        }
    }

    /// Shows a call, or all waiting ones of a person.
    func show(_ text: String, _ call: Call) throws {
        let ids =
            text.hasPrefix("upc_")
            ? [text] : try UnprocessedCalls.find(text, among: api.list(UnprocessedCalls.path))
        for (index, id) in ids.enumerated() {
            let item = try api.get("\(UnprocessedCalls.path)/\(API.pathPart(id))")
            if call.has("--json") {
                Console.print(item.text)
                continue
            }
            if index > 0 { Console.print("") }
            for line in UnprocessedCalls.lines(of: item, now: SystemClock().now) {
                Console.print(line)
            }
        }
    }

    /// A line about calls that nobody was notified of; nil if there are none, or ingest does not
    /// say.
    var warning: String? {
        guard let items = try? api.getIfThere(UnprocessedCalls.path)?["items"]?.array else {
            return nil
        }
        return UnprocessedCalls.warning(about: items)
    }

    static func warning(about items: [JSON]) -> String? {
        let waiting = items.count { $0["raised"]?.isNull ?? true }
        guard waiting > 0 else { return nil }
        let requests = waiting == 1 ? "1 emergency request" : "\(waiting) emergency requests"
        return "\(requests) cannot be processed, and nobody is notified:"
            + " jaga emergency unprocessed"
    }

    /// The ids of a person's waiting calls, or of the call that becomes an emergency.
    static func find(_ text: String, among items: [JSON]) throws(CommandError) -> [String] {
        let word = text.lowercased()
        let found = items.filter { item in
            let person = item["person"] ?? .null
            return [item.cell("emergency"), person.cell("name"), person.cell("id")]
                .contains { $0.lowercased() == word }
        }
        guard Set(found.compactMap { $0["person"]?.cell("id") }).count < 2 else {
            throw CommandError(
                "several people have the name \(text)",
                hint: "use one of the ids "
                    + found.map { $0.cell("id") }.joined(separator: ", "))
        }
        let waiting = found.filter { $0["raised"]?.isNull ?? true }
        guard !found.isEmpty else {
            throw CommandError(
                "no unprocessed call has the person or id \(text)",
                hint: "'jaga emergency unprocessed' lists them")
        }
        return (waiting.isEmpty ? found : waiting).map { $0.cell("id") }
    }

    static func table(of items: [JSON], now: Timestamp) -> Table {
        var table = Table("state", "person", "trigger", "age", "tries", "app", "reason", "id")
        for item in items {
            let isWaiting = item["raised"]?.isNull ?? true
            let received = item["received"]?.string.flatMap { Timestamp($0) }
            table.add(
                Console.paint(
                    isWaiting ? "waiting" : "raised", .red, if: Console.hasColors && isWaiting),
                EmergencyCommand.name(of: item["person"]), item.cell("trigger"),
                received.map { Age.text(now - $0) } ?? "", item.cell("tries"),
                item.cell("client"), item.cell("reason"), item.cell("id"))
        }
        return table
    }

    /// Renders a call with what was sent, and the next step.
    static func lines(of item: JSON, now: Timestamp) -> [String] {
        let isWaiting = item["raised"]?.isNull ?? true
        let received = item["received"]?.string.flatMap { Timestamp($0) }
        let age = received.map { ", \(Age.text(now - $0)) ago" } ?? ""
        let state = isWaiting ? "nobody is notified" : "raised at \(item.cell("raised"))"
        let name = EmergencyCommand.name(of: item["person"])
        let title = "\(name): \(state), \(item.cell("trigger"))\(age)"
        var lines = [Console.paint(title, .bold)]
        lines.append("  id         \(item.cell("id"))")
        lines.append("  emergency  \(item.cell("emergency"))")
        lines.append("  reason     \(item.cell("reason"))")
        lines.append("  tries      \(item.cell("tries"))")
        for key in ["query", "body"] where !item.cell(key).isEmpty {
            lines.append("  \(key)".padded(to: 13) + item.cell(key))
        }
        lines.append("  reach      \(EmergencyCommand.contacts(of: item))")
        let others = item["others"]?.array ?? []
        lines += ["", Console.paint("members of their circles", .bold)]
        if others.isEmpty { lines.append("  nobody") }
        lines += others.map(EmergencyCommand.reach)
        guard isWaiting else {
            return lines + ["", "Go on with: jaga emergency show \(item.cell("emergency"))"]
        }
        return lines + [
            "",
            "Call the person, then the others: Jaga has notified nobody. It tries again every"
                + " minute;",
            "after an upgrade, 'jaga emergency list' shows the emergency.",
        ]
    }
}

extension String {
    /// The text with spaces up to a number of characters.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
