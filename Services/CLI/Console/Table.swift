/// A text table whose columns are as wide as their widest cell.
struct Table {
    private var rows: [[String]]

    /// - Parameter head: names of the columns
    init(_ head: String...) { self.init(head) }

    /// - Parameter head: names of the columns
    init(_ head: [String]) { rows = [head.map { Console.paint($0, .bold) }] }

    /// Adds a row. Line breaks in cells are escaped, since they would look like another row.
    mutating func add(_ cells: String...) { add(cells) }

    /// Adds a row. Line breaks in cells are escaped, since they would look like another row.
    mutating func add(_ cells: [String]) {
        rows.append(cells.map { $0.contains { $0.isNewline } ? $0.onOneLine : $0 })
    }

    var isEmpty: Bool { rows.count == 1 }

    /// The lines; the last column is not padded.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? Console.width(of: $0[column]) : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let isLast = column == row.count - 1
                let rest = widths[column] - Console.width(of: cell)
                return isLast ? cell : cell + String(repeating: " ", count: rest)
            }.joined(separator: "  ")
        }
    }
}
