import Foundation
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `With keys on every stream` {
        @Test func `notifies a crossing, rejects peers without keys, and accepts the operator`()
            async throws
        {
            let suite = try RunningSuite()
            try await suite.start()
            #expect(suite.log.contains("jaga: created keys for streams in "))
            let outsider = try Capture(
                try Programs.path("jaga"), ["tail", "--port-base", "\(suite.portBase)"],
                environment: ["JAGA_HOME": suite.home + "/outsider", "JAGA_CURVE": "never"])
            let tail = try suite.run([
                "tail", "--since", "10m", "--follow", "--type", "jaga.directory.person",
            ])
            let demo = try suite.run(["demo"])
            #expect(await eventually { demo.process.reap() != nil })
            #expect(demo.process.exitStatus == 0, "\(demo.text)")
            let isFollowed = await eventually {
                tail.lines.contains { $0.contains("jaga.directory.person") }
            }
            #expect(isFollowed, "\(tail.text)")
            let areBothRejected = await eventually {
                outsider.text.contains("rejected this process")
                    && suite.log.contains("rejected at publications")
            }
            #expect(areBothRejected, "\(outsider.text)\n\(suite.log)")
            try await suite.kill(.ingest)
            try await suite.waitUntilReady(.ingest)
            try await suite.waitUntilReady(.notifier)
            for capture in [outsider, tail] { await capture.stop() }
            #expect(await suite.stop() == 0)
        }

        @Test func `continues with a new key of the evaluators, and rejects the old one`()
            async throws
        {
            try await Household.run(zones: [.park]) { home in
                let rogue = try RogueEvaluator(
                    home: home.suite.home, portBase: home.suite.portBase)
                try await home.replaceKeys("--role", "evaluator")
                try await home.suite.kill(.ingest)
                try await home.suite.kill(.evaluator)
                let work = Task { await rogue.idle() }
                try await home.suite.waitUntilReady(.evaluator)
                try await home.suite.waitUntilReady(.notifier)
                try await home.phone.report(Zone.outside)
                try await home.phone.report(Zone.park.inside)
                try await home.expectNotifications(
                    NotificationSummary.all("Anna entered Park", to: "Bob", "Cara"))
                #expect(await rogue.assignments.isEmpty)
                #expect(home.suite.log.contains("is unknown"), "\(home.suite.log)")
                await rogue.stop()
                await work.value
            }
        }

        @Test func `notifies an emergency received while only ingest had its new key`()
            async throws
        {
            try await Household.run(zones: [.park]) { home in
                try await home.replaceKeys()
                try await home.suite.kill(.ingest)
                try await home.phone.report(Zone.outside)
                try await home.button.callForHelp("call 1")
                for service in [.membership, .timer, .notifier, .evaluator]
                    as [RunningSuite.Service]
                {
                    try await home.suite.kill(service)
                }
                for service in RunningSuite.Service.allCases {
                    try await home.suite.waitUntilReady(service)
                }
                let alarm = NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
                try await home.wait(for: alarm)
                try await home.phone.report(Zone.park.inside)
                let entry = NotificationSummary.all("Anna entered Park", to: "Bob", "Cara")
                try await home.expectNotifications(alarm + entry)
            }
        }
    }
}

extension Household {
    /// Replaces keys of streams; running services continue with those that they have loaded.
    fileprivate func replaceKeys(_ words: String...) async throws {
        let command = try suite.run(["keys", "init", "--force"] + words)
        #expect(await eventually { command.process.reap() != nil })
        #expect(command.process.exitStatus == 0, "\(command.text)")
    }
}
