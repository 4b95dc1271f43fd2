import Parsing
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `An alert zone` {
        @Test func `rings, notifies a stay by time, sleeps and ends, each once`() async throws {
            try await Household.run(zones: [.river]) { home in
                let tail = try Tail(of: home.suite)
                await home.phone.goBack(seconds: 300)
                var shown = try await home.phone.reportAsOwnTracks(Zone.away, walked: 0)
                shown += try await home.phone.reportAsOwnTracks(Zone.outside, walked: 60)
                let near = Self.summary("ALERT Anna is near River") + [Self.own]
                try await home.wait(for: near)
                #expect(try home.alarm()["armed"] == true)
                #expect(try home.alarm()["alarms"]?[0]?["presence"] == "near")

                shown += try await home.phone.reportAsOwnTracks(Zone.river.inside, walked: 60)
                let entered = Self.summary("ALERT Anna entered River")
                try await home.wait(for: near + entered)
                // The evaluator dies during the stay; no further report arrives.
                try await home.suite.kill(.evaluator)
                let stay = Self.summary("Anna is still in River")
                try await home.wait(for: near + entered + stay)
                try await home.anna.api.insist(
                    "POST", "/v1/people/\(home.anna.id)/alarm/sleep", [:])
                #expect(try home.alarm()["alarms"]?[0]?["answer"] == "sleep")

                shown += try await home.phone.reportAsOwnTracks(Zone.away, walked: 60)
                let over = Self.summary("Alarm ended: Anna left River")
                try await home.expectNotifications(near + entered + stay + over)
                let rings = shown.filter { $0["_type"] == "transition" }
                #expect(rings.count == 1, "\(shown)")
                #expect(rings.first?["desc"] == "River" && rings.first?["event"] == "enter")
                #expect(try home.alarm()["alarms"] == [])
                try await tail.expect([
                    "jaga.zone.approached": 1, "jaga.zone.entered": 1, "jaga.zone.dwelled": 1,
                    "jaga.zone.exited": 1, "jaga.alarm.started": 1, "jaga.alarm.ended": 1,
                ])
                await tail.stop()
                try await explain(home)
            }
        }

        /// Events as text, for the operator.
        private func explain(_ home: Household) async throws {
            let words = [
                "came near River (outside → near): 25 m outside, within the alert distance",
                "entered River (near → inside): 25 m inside; an alert zone counts from its edge on",
                "stayed in River (inside → inside): 25 m inside, for the zone's dwell time",
                "left River (inside → outside): 175 m outside; in this zone more than 20 m counts",
            ]
            let lines = try await run(
                home.suite, "explain", "anna", "--since", "10m", "--access-reason", "test of texts")
            #expect(lines.count == words.count, "\(lines)")
            for (line, words) in zip(lines, words) {
                #expect(line.contains(words), "\(line)")
            }
            let items = try await run(
                home.suite, "explain", home.anna.id, "--zone", "river", "--limit", "2", "--json",
                "--access-reason", "test of texts")
            let kinds = try items.map { try JSON.parse(Array($0.utf8))["kind"]?.string }
            #expect(kinds == ["dwelled", "exited"])
            let none = try await run(
                home.suite, "explain", home.bob.id, "--access-reason", "test of texts")
            #expect(none == ["No decisions in this period."])
        }

        /// The output lines of a command.
        private func run(_ suite: RunningSuite, _ words: String...) async throws -> [Substring] {
            let capture = try suite.run(words)
            _ = await eventually(within: 60) {
                _ = (suite.log, capture.text)
                return capture.process.reap() != nil
            }
            #expect(capture.process.exitStatus == 0, "\(capture.text)")
            return capture.lines
        }

        /// For Anna's guardians.
        private static func summary(_ what: String) -> [NotificationSummary] {
            NotificationSummary.all(what, to: "Bob", "Cara")
        }

        /// Her own phone can only be reached by text.
        private static let own = NotificationSummary(
            way: .sms, to: "Anna", what: "ALERT: you are near River")
    }
}

extension Household {
    /// Messages about alarms to Anna.
    fileprivate func alarm() throws -> JSON {
        try anna.api.call("GET", "/v1/people/\(anna.id)/alarm")
    }
}
