import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Without any evaluator` {
        @Test func `notifies a panic, and not again when an evaluator restarts`()
            async throws
        {
            try await Household.run(zones: [.park], arguments: ["--without", "evaluator"]) {
                home in
                let evaluator = LoneEvaluator(of: home.suite)
                let tail = try Tail(of: home.suite)
                try await evaluator.start()
                try await home.phone.report(Zone.outside)
                try await home.phone.report(Zone.park.inside)
                try await home.wait(
                    for: NotificationSummary.all("Anna entered Park", to: "Bob", "Cara"))
                await evaluator.kill()

                try await home.phone.report(Zone.outside)
                let emergency = try await home.button.callForHelp("call 1", countdown: 2)
                let alarm = NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
                let entry = NotificationSummary.all("Anna entered Park", to: "Bob", "Cara")
                try await home.expectNotifications(entry + alarm)

                try await evaluator.start()
                let exit = NotificationSummary.all("Anna left Park", to: "Bob", "Cara")
                try await home.expectNotifications(entry + alarm + exit)
                try await home.bobHelps(emergency)
                try await home.expectNotifications(entry + alarm + exit + Household.helped)
                try await tail.expect([
                    "jaga.zone.entered": 1, "jaga.zone.exited": 1, "jaga.sos.raised": 1,
                    "jaga.escalation.fallback-opened": 1, "jaga.emergency.countdown": 1,
                    "jaga.emergency.opened": 1, "jaga.acknowledgement.committed": 1,
                    "jaga.emergency.acknowledged": 1, "jaga.resolution.committed": 1,
                    "jaga.emergency.resolved": 1,
                ])
                await tail.stop()
                await evaluator.kill()
            }
        }

        @Test func `notifies every further panic after resolved, cancelled and open ones`()
            async throws
        {
            try await Household.run(arguments: ["--without", "evaluator"]) { home in
                let evaluator = LoneEvaluator(of: home.suite)
                func alarm(_ note: String) -> [NotificationSummary] {
                    NotificationSummary.all("SOS Anna: panic button (\(note))", to: "Bob")
                }
                // Notified and resolved before an evaluator received it.
                let first = try await home.button.callForHelp("call 1")
                var expected = alarm("call 1")
                try await home.wait(for: expected)
                try await home.bobHelps(first)
                expected += Household.helped
                // Ingest applies the resolution a moment after the notifier's response.
                let isApplied = try await eventually {
                    try home.anna.api.send("GET", "/v1/emergencies/\(first)").json["state"]
                        == "resolved"
                }
                #expect(isApplied)
                // Cancelled during its countdown.
                let second = try await home.button.callForHelp("call 2", countdown: 60)
                try home.anna.api.call("POST", "/v1/emergencies/\(second)/cancellation")
                // Notified, and still open when an evaluator starts.
                let third = try await home.button.callForHelp("call 3")
                expected += alarm("call 3")
                try await home.wait(for: expected)
                try await evaluator.start()
                try await home.expectNotifications(expected)
                // Pressed again while it is open, and after it was resolved.
                try await home.button.callForHelp("call 4")
                expected += NotificationSummary.all(
                    "again: SOS Anna: panic button (call 3)", to: "Bob")
                try await home.wait(for: expected)
                try await home.bobHelps(third)
                expected += Household.helped
                let isResolved = try await eventually {
                    try home.admin.call("GET", "/v1/emergencies/\(third)")["state"] == "resolved"
                }
                #expect(isResolved)
                try await home.button.callForHelp("call 5")
                try await home.expectNotifications(expected + alarm("call 5"))
                await evaluator.kill()
            }
        }

        @Test func `notifies a panic raised while the previous one is resolved`() async throws {
            try await Household.run { home in
                var call = try await home.button.callForHelp("call 0")
                let count = 8
                for number in 1...count {
                    try await home.waitForAlarms(number)
                    // A press before the resolution joined the previous emergency.
                    let emergency = try home.admin.call("GET", "/v1/emergencies/\(call)")
                        .text("emergency")
                    let bob = home.bob.api
                    try await bob.insist("POST", "/v1/emergencies/\(emergency)/acknowledgement")
                    async let end = bob.insist("POST", "/v1/emergencies/\(emergency)/resolution")
                    call = try await home.button.callForHelp("call \(number)")
                    _ = try await end
                }
                try await home.waitForAlarms(count + 1)
                try await Task.sleep(for: .seconds(3))
                for way in NotificationSummary.Way.allCases {
                    #expect(try home.alarms().count { $0.way == way } == count + 1)
                }
            }
        }
    }
}

extension Household {
    /// The emergencies that Bob was notified of.
    fileprivate func alarms() throws -> [NotificationSummary] {
        try messages().map(\.summary).filter { $0.to == "Bob" && $0.what.contains("SOS Anna") }
    }

    fileprivate func waitForAlarms(_ count: Int) async throws {
        let areThere = try await eventually {
            _ = suite.log
            return try alarms().count >= NotificationSummary.Way.allCases.count * count
        }
        let summary = try alarms()
        #expect(areThere, "\(summary)\n\(suite.log)")
    }
}

/// An evaluator without a supervisor.
final class LoneEvaluator {
    private let suite: RunningSuite
    private var process: Capture?

    init(of suite: RunningSuite) { self.suite = suite }

    func start() async throws {
        process = try Capture(
            try Programs.path("jaga-evaluator"),
            ["--home", suite.home, "--port-base", "\(suite.portBase)"],
            environment: ["JAGA_EVALUATOR_PORT": "\(suite.portBase + 3)"])
        try await suite.waitUntilReady(.evaluator)
    }

    /// Kills it, as by `kill -9`.
    func kill() async {
        await process?.stop(SIGKILL)
        process = nil
    }
}
