import Foundation
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `With keys on every stream` {
        @Test func `tells a crossing, refuses who has no key, and is followed by the operator`()
            async throws
        {
            let suite = try RunningSuite()
            try await suite.start()
            #expect(suite.log.contains("jaga: made keys for streams in "))
            let stranger = try Capture(
                try Programs.path("jaga"), ["tail", "--port-base", "\(suite.portBase)"],
                environment: ["JAGA_HOME": suite.home + "/nobody", "JAGA_CURVE": "never"])
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
            let areBothTold = await eventually {
                stranger.text.contains("does not let us in")
                    && suite.log.contains("is not let in at publications")
            }
            #expect(areBothTold, "\(stranger.text)\n\(suite.log)")
            try await suite.kill(.ingest)
            try await suite.waitUntilReady(.ingest)
            try await suite.waitUntilReady(.notifier)
            for capture in [stranger, tail] { await capture.stop() }
            #expect(await suite.stop() == 0)
        }
    }
}
