import Parsing
import TestSupport
import Testing

/// `jaga tail` of a suite.
struct Tail {
    private let capture: Capture
    /// How many positions are published depends on time.
    private static let types = [
        "jaga.zone", "jaga.alarm", "jaga.emergency", "jaga.sos.raised", "jaga.sos.cancelled",
        "jaga.sos.located",
        "jaga.watch.expired", "jaga.acknowledgement",
        "jaga.resolution", "jaga.escalation.fallback-opened",
    ]

    /// Shows crossings, alarms and emergencies, including those of the last minutes.
    init(of suite: RunningSuite) throws {
        capture = try suite.run(
            ["tail", "--since", "10m", "--follow"] + Tail.types.flatMap { ["--type", $0] })
    }

    /// The lines so far.
    func events() throws -> [JSON] { try capture.lines.map { try JSON.parse(Array($0.utf8)) } }

    /// Waits until there are as many lines of each type, and compares.
    func expect(
        _ expected: [String: Int], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let count = expected.values.reduce(0, +)
        _ = try await eventually { try events().count >= count }
        let seen = try events()
        let types = seen.compactMap { $0["type"]?.string }
        let counted = Dictionary(types.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counted == expected, sourceLocation: sourceLocation)
        for event in seen {
            #expect(event["specversion"] == "1.0", sourceLocation: sourceLocation)
            for name in ["id", "source", "subject", "time", "jagastream"] {
                #expect(event[name]?.string != nil, sourceLocation: sourceLocation)
            }
        }
        let ids = Set(seen.compactMap { $0["id"]?.string })
        #expect(ids.count == seen.count, sourceLocation: sourceLocation)
    }

    func stop() async { await capture.stop() }
}
