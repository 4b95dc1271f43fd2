import Foundation
import TestSupport

/// A notification without the parts that differ between runs.
struct NotificationSummary: Hashable, Comparable, CustomStringConvertible {
    enum Way: String, CaseIterable { case sms, mail }

    let way: Way
    /// Name of the recipient.
    let to: String
    /// Such as `Anna entered Park` or `SOS Anna: panic button (call 1)`.
    let what: String

    var description: String { "\(way.rawValue) to \(to): \(what)" }

    static func < (left: NotificationSummary, right: NotificationSummary) -> Bool {
        left.description < right.description
    }

    /// One notification to several people, on both channels.
    static func all(_ whats: String..., to people: String...) -> [NotificationSummary] {
        whats.flatMap { what in
            people.flatMap { person in
                Way.allCases.map { NotificationSummary(way: $0, to: person, what: what) }
            }
        }
    }

    init(way: Way, to: String, what: String) {
        self.way = way
        self.to = to
        self.what = what
    }

    /// Parses the text of a message: its beginning up to the first comma or the end of the
    /// sentence, and the note. Lines of a mail equal sentences of an SMS.
    init(way: Way, to: String, text: String) {
        let text = text.split(separator: "\n").joined(separator: " ")
        var rest = Substring(text)
        var what = ""
        for prefix in ["PRESSED AGAIN. ", "ANOTHER ALARM. "] where rest.hasPrefix(prefix) {
            what = "again: "
            rest = rest.dropFirst(prefix.count)
        }
        if rest.hasPrefix("Jaga: ") { rest = rest.dropFirst("Jaga: ".count) }
        what += rest.prefix(upTo: rest.firstRange(of: #/[,.?] /#)?.lowerBound ?? rest.endIndex)
        if what.hasSuffix(".") { what.removeLast() }
        if let note = text.firstMatch(of: /Note: ([^.]*)\./) { what += " (\(note.output.1))" }
        self.init(way: way, to: to, what: what)
    }
}
