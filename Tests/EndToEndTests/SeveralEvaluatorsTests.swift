import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Several evaluators` {
        @Test func `notify everything once while one after the other is killed`() async throws {
            try await Household.run(
                zones: [.park], settings: ["JAGA_EVALUATOR_CHECKPOINT_SECONDS": "1"],
                arguments: ["--scale", "evaluator=3"]
            ) { home in
                #expect(try await home.isShared(by: 3))
                try await home.phone.report(Zone.outside)
                let phone = home.phone
                async let walk = phone.walk(through: .park)
                for _ in 0..<3 {
                    try await Task.sleep(for: .milliseconds(.random(in: 1500..<2500)))
                    try await home.suite.kill(.evaluator)
                }
                await phone.stopWalking()
                let rounds = try await walk
                try await home.expectNotifications(
                    (0..<rounds).flatMap { _ in
                        NotificationSummary.all(
                            "Anna entered Park", "Anna left Park", to: "Bob", "Cara")
                    })
                #expect(try await home.isShared(by: 3))
            }
        }
    }
}

extension Household {
    /// Whether this many evaluators own all partitions, with about equal shares.
    fileprivate func isShared(by count: Int) async throws -> Bool {
        try await eventually {
            _ = suite.log
            let details = try admin.call("GET", "/v1/status/ingest")["details"]
            let live = details?["members"]?.array?.map { $0["live"]?.int ?? 0 } ?? []
            return live.count == count && live.reduce(0, +) == 64
                && (live.max() ?? 0) - (live.min() ?? 0) <= 1
        }
    }
}
