import TestSupport
import Testing

/// Real processes need the machine for themselves: of all tests below this one runs at a time.
@Suite(.serialized, .cleanLogs) enum `The suite` {}

/// After each test: its suites have written nothing into their logs that is personal or secret.
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
