import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Without any evaluator` {
        @Test func `tells of a panic, and tells it once when an evaluator comes back`()
            async throws
        {
            try await Household.run(zones: [.park], arguments: ["--without", "evaluator"]) {
                home in
                let evaluator = LoneEvaluator(of: home.suite)
                let tail = try Tail(of: home.suite)
                try await evaluator.start()
                try await home.phone.report(Zone.outside)
                try await home.phone.report(Zone.park.inside)
                try await home.wait(for: Told.all("Anna entered Park", to: "Bob", "Cara"))
                await evaluator.kill()

                try await home.phone.report(Zone.outside)
                let emergency = try await home.button.callForHelp("call 1", countdown: 2)
                let alarm = Told.all("SOS Anna: panic button (call 1)", to: "Bob")
                let entry = Told.all("Anna entered Park", to: "Bob", "Cara")
                try await home.expectTold(entry + alarm)

                try await evaluator.start()
                let exit = Told.all("Anna left Park", to: "Bob", "Cara")
                try await home.expectTold(entry + alarm + exit)
                try await home.bobHelps(emergency)
                try await home.expectTold(entry + alarm + exit + Household.helped)
                try await tail.expect([
                    "jaga.zone.entered": 1, "jaga.zone.exited": 1, "jaga.sos.raised": 1,
                    "jaga.ladder.adopted": 1, "jaga.emergency.countdown": 1,
                    "jaga.emergency.opened": 1, "jaga.acknowledgement.given": 1,
                    "jaga.emergency.acknowledged": 1, "jaga.resolution.given": 1,
                    "jaga.emergency.resolved": 1,
                ])
                await tail.stop()
                await evaluator.kill()
            }
        }

        @Test func `tells of every further panic, whatever became of those before`()
            async throws
        {
            try await Household.run(arguments: ["--without", "evaluator"]) { home in
                let evaluator = LoneEvaluator(of: home.suite)
                func alarm(_ note: String) -> [Told] {
                    Told.all("SOS Anna: panic button (\(note))", to: "Bob")
                }
                // Told and ended before any evaluator knew of it.
                let first = try await home.button.callForHelp("call 1")
                var expected = alarm("call 1")
                try await home.wait(for: expected)
                try await home.bobHelps(first)
                expected += Household.helped
                // Ingest hears of the end a moment after the notifier has answered.
                let isHeard = try await eventually {
                    try home.anna.api.send("GET", "/v1/emergencies/\(first)").json["state"]
                        == "resolved"
                }
                #expect(isHeard)
                // Taken back in its countdown.
                let second = try await home.button.callForHelp("call 2", countdown: 60)
                try home.anna.api.call("POST", "/v1/emergencies/\(second)/cancellation")
                // Told, too late to take it back, and still open when an evaluator comes.
                let third = try await home.button.callForHelp("call 3")
                expected += alarm("call 3")
                try await home.wait(for: expected)
                let late = try home.anna.api.send(
                    "POST", "/v1/emergencies/\(third)/cancellation")
                #expect(late.status == 409)
                try await evaluator.start()
                try await home.expectTold(expected)
                // Pressed again while it is open, and anew once it is over.
                try await home.button.callForHelp("call 4")
                expected += Told.all("again: SOS Anna: panic button (call 3)", to: "Bob")
                try await home.wait(for: expected)
                try await home.bobHelps(third)
                expected += Household.helped
                let isOver = try await eventually {
                    try home.admin.call("GET", "/v1/emergencies/\(third)")["state"] == "resolved"
                }
                #expect(isOver)
                try await home.button.callForHelp("call 5")
                try await home.expectTold(expected + alarm("call 5"))
                await evaluator.kill()
            }
        }

        @Test func `tells of a panic in the moment in which the last one is ended`() async throws {
            try await Household.run { home in
                var call = try await home.button.callForHelp("call 0")
                let count = 8
                for number in 1...count {
                    try await home.waitForAlarms(number)
                    // The press may have come before Bob ended the one before, and joined it.
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
                for way in Told.Way.allCases {
                    #expect(try home.alarms().count { $0.way == way } == count + 1)
                }
            }
        }
    }
}

extension Household {
    /// The calls for help that Bob was told of.
    fileprivate func alarms() throws -> [Told] {
        try messages().map(\.told).filter { $0.to == "Bob" && $0.what.contains("SOS Anna") }
    }

    fileprivate func waitForAlarms(_ count: Int) async throws {
        let areThere = try await eventually {
            _ = suite.log
            return try alarms().count >= Told.Way.allCases.count * count
        }
        let told = try alarms()
        #expect(areThere, "\(told)\n\(suite.log)")
    }
}

/// An evaluator that nobody starts again when it dies.
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

    /// As `kill -9`.
    func kill() async {
        await process?.stop(SIGKILL)
        process = nil
    }
}
