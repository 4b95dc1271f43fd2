import Foundation
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `From outside` {
        private static let settings = [
            "JAGA_HEARTBEAT_URL": "http://127.0.0.1:9/unreachable", "JAGA_HEARTBEAT_SECONDS": "2",
        ]

        /// Runs docs/subscribe on a service's streams, with the keys of the suite.
        private func subscriber(
            _ suite: RunningSuite, _ port: Int, of service: String, _ topic: String
        ) throws -> Capture {
            let root = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            // With PyPI's pyzmq, if scripts/setup could install it.
            let own = root.appending(path: ".build/pyzmq/bin/python").path
            return try Capture(
                FileManager.default.isExecutableFile(atPath: own) ? own : "/usr/bin/python3",
                [
                    root.appending(path: "docs/subscribe").path,
                    "tcp://127.0.0.1:\(suite.portBase + port)", topic, "--keys",
                    suite.home + "/secrets/bus", "--of", service, "--count", "2",
                ])
        }

        /// Starts a suite with the demo's circle; returns the curl commands of its phone, and the
        /// activation codes.
        private func startDemo() async throws -> (
            suite: RunningSuite, curls: [String], codes: [String]
        ) {
            let suite = try RunningSuite()
            try await suite.start()
            let demo = try suite.run(["demo"])
            #expect(await eventually { demo.process.reap() != nil })
            let curls = demo.text.matches(of: /curl [^\n]*\\\n[^\n]*/).map { String($0.output) }
            try #require(curls.count == 4)
            let codes = demo.text.matches(of: /activation code[^:]*: (\S+)/).map {
                String($0.output.1)
            }
            try #require(codes.count == 3)
            return (suite, curls, codes)
        }

        private func report(_ curl: String, to suite: RunningSuite) async throws {
            let phone = try Capture("/bin/sh", ["-c", curl], environment: suite.environment)
            #expect(await eventually { phone.process.reap() != nil })
        }

        @Test func `a subscriber in Python receives the same events as jaga tail`() async throws {
            let suite = try RunningSuite(settings: Self.settings)
            try await suite.start()
            for (port, service, topic) in [(105, "notifier", "deliv--|"), (101, "ingest", "ev---")]
            {
                let outsider = try subscriber(suite, port, of: service, topic)
                let ended = await eventually {
                    _ = (suite.log, outsider.text)
                    return outsider.process.reap() != nil
                }
                #expect(ended && outsider.process.exitStatus == 0, "\(outsider.text)")
                let tail = try suite.run(["tail", "--since", "1h", "deadline"])
                _ = await eventually {
                    _ = tail.text
                    return tail.process.reap() != nil
                }
                let summary = Set(
                    tail.lines.compactMap { try? JSON.parse(Array($0.utf8))["id"]?.string })
                let received = outsider.lines.compactMap {
                    try? JSON.parse(Array($0.utf8))["id"]?.string
                }
                #expect(received.count == 2, "\(outsider.text)")
                #expect(summary.isSuperset(of: received), "\(tail.text)")
            }
            await suite.stop()
        }

        @Test func `a request can be found by its id in logs and streams`() async throws {
            let suite = try RunningSuite(settings: Self.settings)
            try await suite.start()
            let demo = try suite.run(["demo"])
            #expect(await eventually { demo.process.reap() != nil })
            let curl = try #require(demo.text.firstMatch(of: /curl [^\n]*\\\n[^\n]*/))
            let traced = "\(curl.output) -H 'X-Request-Id: req-outside-1'"
            let phone = try Capture("/bin/sh", ["-c", traced], environment: suite.environment)
            #expect(await eventually { phone.process.reap() != nil })
            for service in ["ingest", "evaluator", "timer", "notifier"] {
                let isLogged = await eventually {
                    suite.log.split(separator: "\n").contains {
                        $0.contains("service=\(service)") && $0.contains("trace=req-outside-1")
                    }
                }
                #expect(isLogged, "\(service): \(suite.log)")
            }
            var journey = ""
            let isComplete = try await eventually {
                let trace = try suite.run(["trace", "req-outside-1"])
                _ = await eventually {
                    _ = trace.text
                    return trace.process.reap() != nil
                }
                journey = trace.text
                return journey.contains("state=sink")
            }
            #expect(isComplete, "\(journey)")
            let steps = [
                "recorded the fix of rep_", "received rep_", "jaga.input.report",
                "jaga.zone.entered",
                "state=queued", "state=sending", "state=sink",
            ]
            let positions = steps.map { journey.firstRange(of: $0)?.lowerBound }
            #expect(!positions.contains(nil), "\(journey)")
            let found = positions.compactMap(\.self)
            #expect(found == found.sorted(), "\(journey)")
            for secret in ["Anna", "Home", "+1555"] { #expect(!journey.contains(secret)) }
            await suite.stop()
        }

        @Test func `a curl command follows the events that jaga tail shows`() async throws {
            let (suite, curls, codes) = try await startDemo()
            func follow(_ query: String, _ more: [String] = []) throws -> Capture {
                let token = try suite.operatorToken()
                let url = "http://127.0.0.1:\(suite.http.port)/v1/tail/ingest?\(query)"
                return try Capture(
                    "/usr/bin/curl",
                    ["-s", "-N", "-H", "Authorization: Bearer \(token)"] + more + [url])
            }
            func events(_ capture: Capture) -> [JSON] {
                capture.lines.filter { $0.hasPrefix("data: ") }
                    .compactMap { try? JSON.parse(Array($0.dropFirst(6).utf8)) }
            }
            try await report(curls[0], to: suite)
            let first = try follow("type=zone.e&since=1h")
            #expect(await eventually { events(first).count == 1 }, "\(first.text)")
            try await report(curls[1], to: suite)
            #expect(await eventually { events(first).count == 2 }, "\(first.text)")
            #expect(!first.text.contains("Home"), "names are masked")
            let place = first.lines.first { $0.hasPrefix("id: ") }?.dropFirst(4) ?? ""
            await first.stop()

            let second = try follow(
                "type=zone.e&pii=true&reason=support%20case", ["-H", "Last-Event-ID: \(place)"])
            #expect(await eventually { events(second).count == 1 }, "\(second.text)")
            try await report(curls[2], to: suite)
            #expect(await eventually { events(second).count == 2 }, "\(second.text)")
            let types = events(second).map { $0["type"]?.string }
            #expect(types == ["jaga.zone.exited", "jaga.zone.entered"])
            let person = events(second)[0]["subject"]?.string ?? ""
            await second.stop()
            // Anna's code is the first.
            let made = try suite.http.send(
                "POST", "/v1/people/\(person)/activation", ["code": .string(codes[0])], token: nil)
            let token = made.json["credential"]?["token"]?.string
            let accesses = try suite.http.send(
                "GET", "/v1/people/\(person)/access-log", token: token)
            #expect(accesses.json["items"]?[0]?["viewer"] == .null, "\(accesses)")

            let tail = try suite.run(["tail", "zone.e", "--since", "1h"])
            #expect(await eventually { tail.lines.count == 3 && tail.process.reap() != nil })
            let summary = Set(tail.lines.compactMap { try? JSON.parse(Array($0.utf8)) })
            #expect(events(first).count == 2 && summary.isSuperset(of: events(first)))
            await suite.stop()
        }

        @Test func `jaga tail works from any host with the monitoring token`() async throws {
            let (suite, curls, _) = try await startDemo()
            let remote = try TemporaryFolder()
            // It also reports disconnected services.
            func events(_ tail: Capture) -> [String] {
                tail.lines.map { String($0) }.filter { $0.hasPrefix("{") }
            }
            func tail(_ words: String...) throws -> Capture {
                // It has only the address of the suite and the token.
                try suite.run(
                    ["tail", "--url", "http://127.0.0.1:\(suite.http.port)"] + words
                        + ["--token-file", remote.file("token"), "--home", remote.path])
            }
            let token = try await suite.finish("admin", "monitoring-token").text
            try Files.write(Array(token.utf8), to: remote.file("token"), mode: 0o600)

            let status = try await suite.finish(
                "status", "--url", "http://127.0.0.1:\(suite.http.port)", "--token-file",
                remote.file("token"), "--home", remote.path)
            #expect(status.text.contains("emergencies open 0"), "\(status.text)")

            let live = try tail("zone.e", "--follow", "--since", "1h")
            try await report(curls[0], to: suite)
            #expect(await eventually { events(live).count == 1 }, "\(live.text)")
            try await suite.kill(.ingest)
            try await suite.waitUntilReady(.ingest)
            try await report(curls[1], to: suite)
            #expect(await eventually { events(live).count == 2 }, "\(live.text)")
            let past = try tail("zone.e", "--since", "1h")
            #expect(
                await eventually {
                    _ = past.text
                    return past.process.reap() != nil
                })
            #expect(events(past) == events(live) && past.process.exitStatus == 0, "\(past.text)")
            #expect(past.text.contains("***") && !past.text.contains("Home"), "\(past.text)")
            let unmasked = try tail("--pii", "--access-reason", "support case", "--since", "1h")
            #expect(await eventually { unmasked.process.reap() != nil })
            #expect(unmasked.process.exitStatus == 1)

            _ = try await suite.finish("admin", "monitoring-token", "--end")
            let late = try tail("--since", "1h")
            #expect(await eventually { late.process.reap() != nil })
            #expect(late.process.exitStatus == 1, "\(late.text)")
            await live.stop()
            await suite.stop()
        }

        @Test(.enabled(if: Gateways.areInstalled, "Kannel or Exim is not installed"))
        func `a report is traced to the receipt of its SMS`() async throws {
            let gateways = try Gateways()
            try await gateways.start()
            let id = "req-to-the-receipt"
            try await Household.run(
                through: gateways, zones: [.park]
            ) { home in
                let suite = home.suite
                try await home.phone.report(Zone.outside)
                let report = await home.phone.next(Zone.park.inside)
                let answer = try suite.http.send(
                    "POST", "/v1/reports", body: report.serialized(), token: home.phoneAPI.token,
                    headers: ["Content-Type": "application/json", "X-Request-Id": id])
                #expect(answer.status == 202)
                var journey = ""
                let isReceived = try await eventually(every: 500) {
                    journey = try await suite.finish("trace", id).text
                    return journey.contains("channel=sms  gateway=kannel")
                        && journey.contains("state=delivered")
                }
                #expect(isReceived, "\(journey)")
                let steps = [
                    "recorded the fix of rep_", "received rep_", "jaga.input.report",
                    "jaga.zone.entered", "state=queued", "state=sending", "state=delivered",
                ]
                let positions = steps.map { journey.firstRange(of: $0)?.lowerBound }
                #expect(!positions.contains(nil), "\(journey)")
                #expect(positions.compactMap(\.self) == positions.compactMap(\.self).sorted())
                let receipt = journey.split(separator: "\n").last { $0.contains("state=delivered") }
                let message = receipt?.firstMatch(of: /ntf_\w+/).map { String($0.output) } ?? "?"
                let backwards = try await suite.finish("trace", message).text
                #expect(backwards.contains("recorded the fix of rep_"), "\(backwards)")
                let lines = suite.log.split(separator: "\n").filter { $0.contains("trace=\(id)") }
                for service in ["ingest", "evaluator", "timer", "notifier"] {
                    #expect(lines.contains { $0.contains("service=\(service)") }, "\(service)")
                }
            }
            await gateways.stop()
        }
    }
}
