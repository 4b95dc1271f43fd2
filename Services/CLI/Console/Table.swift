/// Rows of text in columns as wide as their widest cell.
struct Table {
    private var rows: [[String]]

    /// - Parameter head: names of the columns
    init(_ head: String...) { rows = [head] }

    mutating func add(_ cells: String...) { rows.append(cells) }

    var isEmpty: Bool { rows.count == 1 }

    /// The lines; the last column is not padded.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let isLast = column == row.count - 1
                return isLast
                    ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }.joined(separator: "  ")
        }
    }
}
