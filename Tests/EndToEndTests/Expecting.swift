import TestSupport
import Testing

extension Household {
    /// Waits until everything expected has arrived, then for a while in which nothing more may
    /// come, and compares all that was told since the beginning.
    func expectTold(
        _ expected: [Told], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await wait(for: expected)
        try await Task.sleep(for: .seconds(3))
        let messages = try messages()
        let difference = Difference(of: messages.map(\.told), from: expected)
        #expect(
            difference.isNone, "\(difference)\n\(suite.log)", sourceLocation: sourceLocation)
        let ids = messages.compactMap(\.id)
        #expect(Set(ids).count == ids.count, sourceLocation: sourceLocation)
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

    private static func subtract(_ these: [Told], from all: [Told]) -> [Told] {
        var counts = Dictionary(these.map { ($0, 1) }, uniquingKeysWith: +)
        return all.filter { told in
            guard let count = counts[told], count > 0 else { return true }
            counts[told] = count - 1
            return false
        }
    }
}
