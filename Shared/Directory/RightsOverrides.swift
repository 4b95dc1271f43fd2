/// Why a line of the file of overrides is wrong.
public struct RightsOverrideError: Error, Hashable, Sendable {
    /// From 1.
    public let line: Int
    /// The row that it names, such as `invite.guardian`.
    public let row: String
    public let problem: String
    /// What the operator can do.
    public let fix: String
}

/// The operator's changes of the ``RightsTable``: one `ROW = VALUE` a line, `#` starts a comment.
///
///     invite.guardian = yes                          # action.standing = yes, no or conditions
///     create-circle.anyone = subscriber, paid-plan
///     read-history.lapsed = yes                      # a lapsed plan keeps it
///     members-per-circle.none = 10                   # limit.value of the axis
///
/// Rows of safety and private data cannot be changed, and what members show each other can only be
/// restricted: they agreed to no more.
public enum RightsOverrides {
    /// Returns the table with the changes of a file.
    public static func apply(
        _ text: String, to table: RightsTable = .standard
    ) throws(RightsOverrideError) -> RightsTable {
        var table = table
        var lines: [String: Int] = [:]
        let all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, raw) in all.enumerated() {
            let content = trimmed(raw.prefix { $0 != "#" })
            guard !content.isEmpty else { continue }
            guard let equals = content.firstIndex(of: "=") else {
                throw RightsOverrideError(
                    line: index + 1, row: String(content), problem: "the line has no \"=\"",
                    fix: "Write ROW = VALUE, such as invite.guardian = yes.")
            }
            let line = Line(
                number: index + 1, row: String(trimmed(content[..<equals])),
                value: String(trimmed(content[content.index(after: equals)...])))
            if let earlier = lines.updateValue(line.number, forKey: line.row) {
                throw line.error("line \(earlier) names the row, too", "Remove one of the lines.")
            }
            try apply(line, to: &table)
        }
        return table
    }

    fileprivate struct Line {
        let number: Int
        let row: String
        let value: String

        func error(_ problem: String, _ fix: String) -> RightsOverrideError {
            RightsOverrideError(line: number, row: row, problem: problem, fix: fix)
        }
    }

    private static func apply(
        _ line: Line, to table: inout RightsTable
    ) throws(RightsOverrideError) {
        if let index = table.limits.firstIndex(where: { $0.name == line.row }) {
            table.limits[index].value = try line.value(like: table.limits[index].value)
            return
        }
        let parts = line.row.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let action = Action(rawValue: parts[0]) else {
            let names = Action.allCases.map(\.rawValue) + table.limits.map(\.name)
            throw line.error(
                "there is no such row", "Name one of: \(names.joined(separator: ", ")).")
        }
        var row = table[action]
        guard row.overriding != .none else {
            throw line.error(
                "the right is one of safety or private data, which stay as they are",
                "Remove the line.")
        }
        if parts[1] == "lapsed" {
            row.isKeptWhenLapsed = try line.lapsed(in: row)
        } else {
            let standing = try line.standing(parts[1], in: row)
            row[standing] = try line.grant(to: standing, in: row)
        }
        table[action] = row
    }

    fileprivate static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension RightsOverrides.Line {
    fileprivate func value(
        like old: LimitRow.Value
    ) throws(RightsOverrideError) -> LimitRow.Value {
        switch old {
        case .flag: return .flag(try flag())
        case .number(_, in: let range):
            guard let number = Int(value), range.contains(number) else {
                throw error(
                    "\"\(value)\" is not allowed",
                    "Write an integer from \(range.lowerBound) to \(range.upperBound).")
            }
            return .number(number, in: range)
        }
    }

    private func flag() throws(RightsOverrideError) -> Bool {
        switch value {
        case "yes": true
        case "no": false
        default: throw error("\"\(value)\" is not allowed", "Write yes or no.")
        }
    }

    fileprivate func lapsed(in row: RightsRow) throws(RightsOverrideError) -> Bool {
        guard !row.isKeptWhenLapsed else {
            throw error("a lapsed plan keeps this right", "Remove the line.")
        }
        return try flag()
    }

    /// Standings whose grant a file may change: roles, officers, and everybody where the row grants
    /// something to everybody.
    fileprivate func standing(
        _ name: String, in row: RightsRow
    ) throws(RightsOverrideError) -> Standing {
        let allowed = Standing.allCases.filter { standing in
            switch standing {
            case .admin, .guardian, .member, .officer, .anyone: row[standing] != nil
            case .own, .ward, .guardianOfWard, .invited, .operator: false
            }
        }
        guard let standing = allowed.first(where: { $0.name == name }) else {
            let names = allowed.map(\.name) + (row.isKeptWhenLapsed ? [] : ["lapsed"])
            throw error(
                "the row cannot be changed for \"\(name)\"",
                "Use \(row.action.rawValue). and one of: \(names.joined(separator: ", ")).")
        }
        return standing
    }

    fileprivate func grant(
        to standing: Standing, in row: RightsRow
    ) throws(RightsOverrideError) -> Grant {
        let new: Grant
        switch value {
        case "yes": new = .yes
        case "no": new = .no(.switchedOff)
        default:
            var conditions: [Condition] = []
            for part in value.split(separator: ",", omittingEmptySubsequences: false) {
                let name = String(RightsOverrides.trimmed(part))
                guard let condition = Condition(rawValue: name) else {
                    let names = Condition.allCases.map(\.rawValue).joined(separator: ", ")
                    throw error(
                        "\"\(name)\" is not a condition", "Write yes, no, or some of: \(names).")
                }
                conditions.append(condition)
            }
            new = .when(conditions)
        }
        if row.overriding == .stricter, let old = row[standing], !new.isStricter(than: old) {
            throw error(
                "members agreed to no more than the default",
                "Write no, or \(old.text) and further conditions.")
        }
        return new
    }
}

extension Grant {
    /// Whether it grants at most what another one does.
    fileprivate func isStricter(than other: Grant) -> Bool {
        switch (self, other) {
        case (.no, _), (_, .yes): true
        case (_, .no): false
        case (.yes, .when(let conditions)): conditions.isEmpty
        case (.when(let own), .when(let conditions)): conditions.allSatisfy(own.contains)
        }
    }

    /// As in the file of overrides.
    var text: String {
        switch self {
        case .yes: "yes"
        case .no: "no"
        case .when(let conditions): conditions.map(\.rawValue).joined(separator: ", ")
        }
    }
}
