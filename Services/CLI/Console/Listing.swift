import Parsing

/// A list of items: a line of JSON per item with `--json`, otherwise a table.
///
///     Listing(.field("name"), .day("until", "wardUntil"), .field("id"), ifEmpty: "No wards.")
///         .print(wards, call)
struct Listing {
    /// A column: its title, and the cell of an item.
    struct Column {
        let title: String
        let cell: (JSON) -> String

        /// A member of the item.
        ///
        /// - Parameter name: of the member; nil = like the title
        static func field(_ title: String, _ name: String? = nil) -> Column {
            Column(title: title) { $0.cell(name ?? title) }
        }

        /// The date of a member with a time.
        ///
        /// - Parameter name: of the member; nil = like the title
        static func day(_ title: String, _ name: String? = nil) -> Column {
            Column(title: title) { String($0.cell(name ?? title).prefix(10)) }
        }

        static func text(_ title: String, _ cell: @escaping (JSON) -> String) -> Column {
            Column(title: title, cell: cell)
        }
    }

    let columns: [Column]
    /// Printed instead of a table without rows; nil = the head of the table.
    let ifEmpty: String?

    init(_ columns: Column..., ifEmpty: String? = nil) {
        self.columns = columns
        self.ifEmpty = ifEmpty
    }

    func print(_ items: [JSON], _ call: Call) { print(items, asJSON: call.has("--json")) }

    func print(_ items: [JSON], asJSON: Bool) {
        if asJSON {
            for item in items { Console.print(item.text) }
        } else if let ifEmpty, items.isEmpty {
            Console.print(ifEmpty)
        } else {
            for line in table(of: items).lines { Console.print(line) }
        }
    }

    func table(of items: [JSON]) -> Table {
        var table = Table(columns.map(\.title))
        for item in items { table.add(columns.map { $0.cell(item) }) }
        return table
    }
}
