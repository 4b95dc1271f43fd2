import Foundation
import Model
import TestSupport
import Testing

@Suite struct `docs/events.md` {
    /// The types in the first column of each section's table, by the stream of its heading.
    private func describedTypes() throws -> [EventStream: Set<String>] {
        let file = Programs.top.appending(path: "docs/events.md")
        var types: [EventStream: Set<String>] = [:]
        var stream: EventStream?
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if let heading = line.firstMatch(of: /^## `(\w+)/) {
                stream = EventStream(rawValue: String(heading.output.1))
            }
            guard let stream, line.hasPrefix("| `") else { continue }
            // `jaga.alarm.started`, `.repeated`: the second shares the first one's prefix.
            var prefix: Substring = ""
            for name in line.dropFirst().prefix(while: { $0 != "|" }).matches(of: /`([^`]+)`/) {
                let isShort = name.output.1.hasPrefix(".")
                if !isShort {
                    prefix = name.output.1.prefix(upTo: name.output.1.lastIndex(of: ".")!)
                }
                types[stream, default: []].insert(
                    isShort ? "\(prefix)\(name.output.1)" : String(name.output.1))
            }
        }
        return types
    }

    @Test func `lists every kind of event under its stream`() throws {
        var expected: [EventStream: Set<String>] = [:]
        for kind in EventKind.allCases { expected[kind.row.stream, default: []].insert(kind.type) }
        // Deadlines of the notifier.
        for kind in [EventKind.deadlineScheduled, .deadlineCancelled] {
            expected[.deliveries, default: []].insert(kind.type)
        }
        #expect(try describedTypes() == expected)
    }
}
