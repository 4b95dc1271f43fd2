import TestSupport
import Testing

extension Household {
    /// Waits until everything expected has arrived, then for a while in which nothing more may
    /// come, and compares all that was told since the beginning.
    ///
    /// - Parameter kills: how often the notifier was killed; each may have left attempts in doubt
    func expectTold(
        _ expected: [Told], kills: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await wait(for: expected)
        try await Task.sleep(for: .seconds(3))
        let doubts = kills > 0 ? try Doubts(about: self) : nil
        let arrived = try messages()
        let whole = Difference(of: arrived.map(\.told), from: expected)
        let difference = doubts?.unexplained(whole) ?? whole
        #expect(
            difference.isNone, "\(difference)\n\(suite.log)", sourceLocation: sourceLocation)
        #expect(doubts?.most ?? 0 <= kills, sourceLocation: sourceLocation)
        // What came again is the same message: the same text and the same Message-ID.
        let different = Set(arrived).map(\.told)
        let others = Difference(of: different, from: expected).excess
        #expect(others.isEmpty, "\(others)\n\(suite.log)", sourceLocation: sourceLocation)
    }

    /// Waits until everything expected has arrived.
    ///
    /// - Returns: whether it has
    @discardableResult
    func wait(for expected: [Told]) async throws -> Bool {
        try await eventually(every: 200) {
            _ = suite.log
            return Difference(of: try messages().map(\.told), from: expected).missing.isEmpty
        }
    }
}

/// How two lists of what was told differ, counted.
struct Difference: CustomStringConvertible {
    let missing: [Told]
    let excess: [Told]

    init(of told: [Told], from expected: [Told]) {
        missing = Difference.subtract(told, from: expected)
        excess = Difference.subtract(expected, from: told)
    }

    var isNone: Bool { missing.isEmpty && excess.isEmpty }

    var description: String {
        let lines =
            missing.sorted().map { "missing   \($0)" } + excess.sorted().map { "too often \($0)" }
        return lines.isEmpty ? "as expected" : lines.joined(separator: "\n")
    }

    init(missing: [Told], excess: [Told]) {
        self.missing = missing
        self.excess = excess
    }

    private static func subtract(_ these: [Told], from all: [Told]) -> [Told] {
        var counts = Dictionary(these.map { ($0, 1) }, uniquingKeysWith: +)
        return all.filter { told in
            guard let count = counts[told], count > 0 else { return true }
            counts[told] = count - 1
            return false
        }
    }
}
