import TestSupport
import Testing

/// Real processes need the whole machine: the tests below run one at a time.
@Suite(.serialized, .cleanLogs) enum `The suite` {}

/// After each test, the logs of its suites must contain no personal data and no secrets.
struct CleanLogs: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        _ = PersonalData.take()
        defer {
            for finding in PersonalData.take() { Issue.record("\(finding)") }
        }
        try await function()
    }
}

extension Trait where Self == CleanLogs {
    static var cleanLogs: Self { CleanLogs() }
}
