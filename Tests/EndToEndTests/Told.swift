import Foundation
import TestSupport

/// What somebody was told, without what differs from run to run.
struct Told: Hashable, Comparable, CustomStringConvertible {
    enum Way: String, CaseIterable { case sms, mail }

    let way: Way
    /// Name of the one who was told.
    let to: String
    /// Such as `Anna entered Park` or `SOS Anna: panic button (call 1)`.
    let what: String

    var description: String { "\(way.rawValue) to \(to): \(what)" }

    static func < (left: Told, right: Told) -> Bool {
        left.description < right.description
    }

    /// The same to several people, on both ways.
    static func all(_ whats: String..., to people: String...) -> [Told] {
        whats.flatMap { what in
            people.flatMap { person in
                Way.allCases.map { Told(way: $0, to: person, what: what) }
            }
        }
    }

    init(way: Way, to: String, what: String) {
        self.way = way
        self.to = to
        self.what = what
    }

    /// Reads the text of a message: what it begins with, up to the first comma or the end of the
    /// sentence, and the note. Lines of a mail are as sentences of an SMS.
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
