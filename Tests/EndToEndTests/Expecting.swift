import TestSupport
import Testing

extension Household {
    /// Waits until everything expected was told, then for a while in which nothing more may come,
    /// and compares all that was told since the beginning.
    func expect(
        _ expected: [Told], from read: () throws -> [Told],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        _ = try await eventually(every: 200) {
            _ = suite.log
            return Difference(of: try read(), from: expected).missing.isEmpty
        }
        try await Task.sleep(for: .seconds(2))
        let difference = Difference(of: try read(), from: expected)
        #expect(
            difference.isNone, "\(difference)\n\(suite.log)", sourceLocation: sourceLocation)
    }
}
