import TestSupport
import Testing

extension Household {
    /// Waits until everything expected has arrived and for some time longer, and compares all
    /// notifications since the start.
    ///
    /// - Parameter kills: how often the notifier was killed; each may have left attempts in doubt
    func expectNotifications(
        _ expected: [NotificationSummary], kills: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await wait(for: expected)
        try await Task.sleep(for: .seconds(3))
        let doubts = kills > 0 ? try UncertainAttempts(about: self) : nil
        let arrived = try messages()
        let all = Difference(of: arrived.map(\.summary), from: expected)
        let difference = doubts?.unexplained(all) ?? all
        #expect(
            difference.isNone, "\(difference)\n\(suite.log)", sourceLocation: sourceLocation)
        #expect(doubts?.most ?? 0 <= kills, sourceLocation: sourceLocation)
        // A repeated message has the same text and Message-ID.
        let different = Set(arrived).map(\.summary)
        let others = Difference(of: different, from: expected).excess
        #expect(others.isEmpty, "\(others)\n\(suite.log)", sourceLocation: sourceLocation)
    }

    /// Waits until everything expected has arrived.
    ///
    /// - Returns: whether it has
    @discardableResult
    func wait(for expected: [NotificationSummary]) async throws -> Bool {
        try await eventually(every: 200) {
            _ = suite.log
            return Difference(of: try messages().map(\.summary), from: expected).missing.isEmpty
        }
    }
}

/// The differences of two lists of notifications, counted.
struct Difference: CustomStringConvertible {
    let missing: [NotificationSummary]
    let excess: [NotificationSummary]

    init(of summary: [NotificationSummary], from expected: [NotificationSummary]) {
        missing = Difference.subtract(summary, from: expected)
        excess = Difference.subtract(expected, from: summary)
    }

    var isNone: Bool { missing.isEmpty && excess.isEmpty }

    var description: String {
        let lines =
            missing.sorted().map { "missing   \($0)" } + excess.sorted().map { "too often \($0)" }
        return lines.isEmpty ? "as expected" : lines.joined(separator: "\n")
    }

    init(missing: [NotificationSummary], excess: [NotificationSummary]) {
        self.missing = missing
        self.excess = excess
    }

    private static func subtract(_ these: [NotificationSummary], from all: [NotificationSummary])
        -> [NotificationSummary]
    {
        var counts = Dictionary(these.map { ($0, 1) }, uniquingKeysWith: +)
        return all.filter { summary in
            guard let count = counts[summary], count > 0 else { return true }
            counts[summary] = count - 1
            return false
        }
    }
}
