import Model
import Parsing

/// A team in a CSV file (RFC 4180): one person a line, below a line with the names of the columns.
struct TeamFile {
    struct Member: Hashable {
        /// Line of the file, from 1.
        var line: Int
        var name: String
        var phone: String?
        var mail: String?
        var role: Role
        var locale: String?
        var timeZone: String?

        /// Number and address, each with its column.
        var contacts: [(column: Column, address: String)] {
            [(.phone, phone), (.mail, mail)].compactMap { column, address in
                address.map { (column, $0) }
            }
        }
    }

    enum Column: String, CaseIterable { case name, phone, mail, role, locale, timeZone }

    /// A fault and its place, such as `line 3, phone: …`.
    struct Fault: Hashable, CustomStringConvertible {
        var line: Int
        var column: Column?
        var text: String

        var description: String {
            "line \(line)" + (column.map { ", \($0.rawValue)" } ?? "") + ": \(text)"
        }
    }

    private(set) var members: [Member] = []
    private(set) var faults: [Fault] = []

    static let membersMax = 500

    /// Reads a file in UTF-8. Columns are separated by commas or semicolons, as its first line is.
    init(_ text: String) {
        var rows = CSVRows(text).rows
        guard !rows.isEmpty else {
            faults = [Fault(line: 1, text: "the file is empty; it needs a line with \(columns)")]
            return
        }
        let head = rows.removeFirst()
        if let open = head.open {
            faults = [Fault(line: open, text: "a quoted field has no end")]
            return
        }
        let columns = readHead(head)
        guard faults.isEmpty else { return }
        rows.removeAll { $0.fields == [""] && $0.open == nil }
        if rows.count > TeamFile.membersMax {
            let line = rows[TeamFile.membersMax].line
            faults = [Fault(line: line, text: "more than \(TeamFile.membersMax) people")]
            return
        }
        for row in rows { read(row, columns) }
        findDuplicates()
        if members.isEmpty, faults.isEmpty {
            faults.append(Fault(line: head.line, text: "the file has no people"))
        }
    }

    private var columns: String { Column.allCases.map(\.rawValue).joined(separator: ",") }

    private mutating func readHead(_ head: CSVRows.Row) -> [Column] {
        var found: [Column] = []
        for name in head.fields {
            let column = Column.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
            guard let column, !found.contains(column) else {
                faults.append(
                    Fault(
                        line: head.line,
                        text: "\"\(name)\" is not a column, or is one twice; use \(columns)"))
                continue
            }
            found.append(column)
        }
        if faults.isEmpty, !found.contains(.name) {
            faults.append(Fault(line: head.line, text: "the column name is missing"))
        }
        return found
    }

    private mutating func read(_ row: CSVRows.Row, _ columns: [Column]) {
        if let open = row.open {
            return faults.append(Fault(line: open, text: "a quoted field has no end"))
        }
        guard row.fields.count == columns.count else {
            return faults.append(
                Fault(
                    line: row.line,
                    text: "\(row.fields.count) fields instead of \(columns.count)"))
        }
        var member = Member(line: row.line, name: "", role: .member)
        for (column, text) in zip(columns, row.fields) {
            if let fault = member.set(column, text) {
                faults.append(Fault(line: row.line, column: column, text: fault))
            }
        }
        members.append(member)
    }

    private mutating func findDuplicates() {
        var lines: [String: Int] = [:]
        for member in members {
            for (column, address) in member.contacts {
                if let first = lines[address] {
                    faults.append(
                        Fault(
                            line: member.line, column: column,
                            text: "line \(first) has it already"))
                } else {
                    lines[address] = member.line
                }
            }
        }
        faults.sort { ($0.line, $0.column?.rawValue ?? "") < ($1.line, $1.column?.rawValue ?? "") }
    }
}

extension TeamFile.Member {
    /// Sets a field.
    ///
    /// - Returns: what is wrong; nil if nothing is
    fileprivate mutating func set(_ column: TeamFile.Column, _ text: String) -> String? {
        switch column {
        case .name:
            name = text
            return text.isEmpty ? "a name is required" : nil
        case .phone:
            phone = text.isEmpty ? nil : Channel.sms.rules.address(text)
            return phone == nil && !text.isEmpty ? Channel.sms.rules.addressHint : nil
        case .mail:
            mail = text.isEmpty ? nil : Channel.email.rules.address(text)
            return mail == nil && !text.isEmpty ? Channel.email.rules.addressHint : nil
        case .role:
            guard !text.isEmpty else { return nil }
            guard let known = Role(rawValue: text.lowercased()) else {
                return "use " + Role.allCases.map(\.rawValue).joined(separator: ", ")
            }
            role = known
            return nil
        case .locale:
            locale = text.isEmpty ? nil : text
            return nil
        case .timeZone:
            timeZone = text.isEmpty ? nil : text
            return nil
        }
    }
}

/// Rows of a CSV text. Fields are trimmed; a quoted one may contain separators and line breaks.
struct CSVRows {
    struct Row: Hashable {
        /// Where the row begins, from 1.
        var line: Int
        var fields: [String]
        /// Line of a quote without an end; nil = every quote ends.
        var open: Int?
    }

    private(set) var rows: [Row] = []

    init(_ text: String) {
        let bytes = Array((text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]).utf8)
        let head = bytes.prefix { $0 != UInt8(ascii: "\n") }
        let semicolons = head.filter { $0 == UInt8(ascii: ";") }.count
        let separator =
            semicolons > head.filter { $0 == UInt8(ascii: ",") }.count
            ? UInt8(ascii: ";") : UInt8(ascii: ",")
        var index = 0
        var line = 1
        while index < bytes.count {
            var row = Row(line: line, fields: [])
            var isLast = false
            while !isLast {
                let field = CSVRows.field(bytes, &index, &line, separator)
                row.fields.append(field.text)
                if let open = field.open { row.open = open }
                isLast = field.endsRow
            }
            rows.append(row)
        }
    }

    private static func field(
        _ bytes: [UInt8], _ index: inout Int, _ line: inout Int, _ separator: UInt8
    ) -> (text: String, endsRow: Bool, open: Int?) {
        var field: [UInt8] = []
        var quoteLine: Int?
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if quoteLine != nil {
                guard byte == UInt8(ascii: "\"") else {
                    if byte != UInt8(ascii: "\r") { field.append(byte) }
                    continue
                }
                // Two quotes within a quoted field are one of its text.
                if index < bytes.count, bytes[index] == byte {
                    field.append(byte)
                    index += 1
                } else {
                    quoteLine = nil
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\"") where field.allSatisfy({ $0 == UInt8(ascii: " ") }):
                field = []
                quoteLine = line
            case separator: return (trimmed(field), false, nil)
            case UInt8(ascii: "\n"): return (trimmed(field), true, nil)
            case UInt8(ascii: "\r"): break
            default: field.append(byte)
            }
        }
        return (trimmed(field), true, quoteLine)
    }

    private static func trimmed(_ field: [UInt8]) -> String {
        String(decoding: field, as: UTF8.self).trimmed
    }
}
