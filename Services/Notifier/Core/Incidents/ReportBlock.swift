import Model

/// A piece of a printed report, from top to bottom.
///
/// The notifier writes the blocks of an incident, and `jaga-report` prints them: it knows nothing
/// of emergencies.
package enum ReportBlock: Hashable, Sendable, Codable {
    case title(String)
    case heading(String)
    /// A label and its text.
    case row(String, String)
    case text(String)
    case sketch(Sketch)
}

/// A report for `jaga-report`.
package struct PrintedReport: Hashable, Sendable, Codable {
    /// At the bottom of each page, before its number.
    package var footer: String
    package var blocks: [ReportBlock]

    package init(footer: String, blocks: [ReportBlock]) {
        self.footer = footer
        self.blocks = blocks
    }
}
