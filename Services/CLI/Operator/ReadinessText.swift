import Parsing

/// The readiness of a circle as text.
struct ReadinessText {
    let answer: JSON

    init(_ answer: JSON) { self.answer = answer }

    var lines: [String] {
        let state = answer.cell("state")
        let color: Color = state == "red" ? .red : state == "amber" ? .yellow : .green
        var lines = [
            Console.paint(state, color) + "  \(answer.cell("name"))  \(answer.cell("explanation"))"
        ]
        var table = Table("state", "name", "phone", "channels", "PIN", "drills", "responders")
        let members = answer["items"]?.array ?? []
        for member in members {
            table.add(
                member.cell("state"), member.cell("name"), phone(member["reporting"]),
                (member["channels"]?.array ?? []).map(channel).joined(separator: ", "),
                member["pinSet"]?.bool.map { $0 ? "yes" : "no" } ?? "",
                member["joinsDrills"]?.bool == true ? "yes" : "no",
                String(member["responders"]?.array?.count ?? 0))
        }
        lines += table.lines
        for member in members {
            lines += (member["explanations"]?.array ?? []).compactMap(\.string)
        }
        return lines
    }

    private func phone(_ reporting: JSON?) -> String {
        guard let reporting, reporting["shared"]?.bool == true else { return "not shared" }
        guard let day = reporting["lastReportDay"]?.string else { return "never" }
        let impaired = reporting["impaired"]?.bool == true ? ", impaired" : ""
        return "\(reporting.cell("app")) \(day)\(impaired)"
    }

    private func channel(_ channel: JSON) -> String {
        let name = channel.cell("channel")
        guard channel["reachable"]?.bool == true else {
            return "\(name) (\(channel.cell("reason")))"
        }
        return channel["provenDay"]?.string.map { "\(name) proven \($0)" } ?? "\(name) unproven"
    }
}
