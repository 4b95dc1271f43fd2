extension RightsTable {
    /// The table as `docs/rights.md`.
    public var document: String {
        var lines = [
            "# Rights",
            "",
            "Generated from the table of rights by `jaga rights table`. A request is decided by",
            "the credential's kind, then by this table. What one standing of the caller is granted",
            "is allowed; the first denial names the reason.",
            "",
            "An empty cell: the standing does not count. `operator` is the operator's token, and",
            "staff with that role. What belongs to a person is theirs alone: their `own` cell",
            "decides, whatever their other standings. `lapsed`: whether a lapsed plan keeps it.",
            "",
        ]
        for target in Action.Target.allCases {
            lines += section(target)
        }
        lines += ["## Limits", "", "| limit | default |", "| --- | --- |"]
        lines += limits.map { "| `\($0.name)` | \($0.value.text) |" }
        lines += [
            "",
            "`sms`: SMS other than those about safety and about the account. `regions`: in a",
            "reporting policy. A device's platform also decides which apps have a set-up link.",
            "",
            "## Reasons", "", "| reason | explanation | remedy |", "| --- | --- | --- |",
        ]
        lines += Denial.allCases.map {
            "| `\($0.rawValue)` | \($0.explanation) | \($0.remedy) |"
        }
        lines += [
            "",
            "## Overrides",
            "",
            "`JAGA_RIGHTS_FILE` names a file with one `ROW = VALUE` a line, which every service",
            "reads at its start:",
            "",
            "    invite.guardian = yes",
            "    create-circle.anyone = subscriber, paid-plan",
            "    read-history.lapsed = yes",
            "    members-per-circle.none = 10",
            "",
            "Values are `yes`, `no`, conditions with commas, or a number. Conditions: "
                + Condition.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + ".",
            "`overrides` says what the file may do to a row: `none`, `stricter` (deny it or add",
            "conditions) or `free`. Give all services the same file.",
            "",
        ]
        return lines.joined(separator: "\n")
    }

    private func section(_ target: Action.Target) -> [String] {
        let rows = rows.filter { $0.target == target }
        let standings = Standing.allCases.filter { standing in
            rows.contains { $0[standing] != nil }
        }
        let head = ["action"] + standings.map(\.name) + ["needs", "lapsed", "overrides"]
        var lines = [
            "## About \(target.title)", "", line(head), line(head.map { _ in "---" }),
        ]
        for row in rows {
            let cells = standings.map { row[$0]?.cell ?? "" }
            lines.append(
                line(
                    ["`\(row.action.rawValue)`"] + cells + [
                        row.needs.map(\.rawValue).joined(separator: ", "),
                        row.isKeptWhenLapsed ? "yes" : "no", row.overriding.rawValue,
                    ]))
        }
        return lines + [""]
    }

    private func line(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }
}

extension Grant {
    fileprivate var cell: String {
        if case .no(let denial) = self { "no: \(denial.rawValue)" } else { text }
    }
}

extension LimitRow.Value {
    fileprivate var text: String {
        switch self {
        case .flag(let isOn): isOn ? "yes" : "no"
        case .number(let number, in: let range):
            "\(number) (\(range.lowerBound) to \(range.upperBound))"
        }
    }
}

extension Action.Target {
    fileprivate var title: String {
        switch self {
        case .person: "one person"
        case .member: "a person in a circle"
        case .emergency: "an emergency"
        case .circle: "a circle"
        case .suite: "the suite"
        }
    }
}
