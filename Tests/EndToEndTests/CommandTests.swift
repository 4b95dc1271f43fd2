import Foundation
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `The jaga command` {
        /// Runs a command and waits for its end.
        private func run(
            _ suite: RunningSuite, _ words: String...
        ) async throws -> (status: Int32?, text: String) {
            try await suite.finish(words)
        }

        /// Runs a shell command line.
        private func shell(_ line: String, in suite: RunningSuite) async throws -> String {
            let path = try Programs.path("jaga")
            let capture = try Capture(
                "/bin/sh", ["-c", line],
                environment: suite.environment.merging(["JAGA": path]) { $1 })
            _ = await eventually { capture.process.reap() != nil && capture.text.count >= 0 }
            return capture.text
        }

        @Test func `runs the whole demo with phones, curl, tail, outbox and status`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let demo = try await run(suite, "demo")
            #expect(demo.status == 0, "\(demo.text)")
            let links = demo.text.matches(of: /owntracks:\/\/\/config\?inline=\S+/)
            #expect(links.count == 3)
            let curls = demo.text.matches(of: /curl [^\n]*\\\n[^\n]*/).map { String($0.output) }
            try #require(curls.count == 4)

            let tail = try suite.run("tail", "--since", "1h", "--follow", "--type", "jaga.zone.e")
            for curl in curls.prefix(3) {
                #expect(try await shell(curl, in: suite).hasPrefix("[{\"_type\""))
            }
            let shown = await eventually { tail.lines.count >= 3 }
            #expect(shown, "\(tail.text)")
            let types = tail.lines.compactMap { try? JSON.parse(Array($0.utf8))["type"]?.string }
            #expect(types == ["jaga.zone.entered", "jaga.zone.exited", "jaga.zone.entered"])
            #expect(!tail.text.contains("Home"), "names are masked")
            await tail.stop()

            var outbox = ""
            let summary = try await eventually {
                outbox = try await run(suite, "outbox", "--limit", "100").text
                return outbox.matches(of: /sms to \+155500001/).count == 6
            }
            #expect(summary, "\(outbox)")
            for words in ["Anna entered Home", "Anna left Home", "Anna entered School"] {
                #expect(outbox.contains(words))
            }
            let status = try await run(suite, "status")
            #expect(status.status == 0, "\(status.text)")
            for words in ["evaluator   ready", "events, 64 partitions", "sink"] {
                #expect(status.text.contains(words), "\(status.text)")
            }
            #expect(await suite.stop() == 0)
        }

        @Test func `shows streams, verifies their chains, and skips nothing that is valid`()
            async throws
        {
            try await Household.run(zones: [.park]) { home in
                for _ in 0..<20 {
                    try await home.phone.report(Zone.park.inside)
                    try await home.phone.report(Zone.outside)
                }
                let suite = home.suite
                let streams = try await run(suite, "streams")
                #expect(streams.status == 0, "\(streams.text)")
                for words in ["directory", "in", "events", "notifier (", "ingest ("] {
                    #expect(streams.text.contains(words), "\(streams.text)")
                }
                #expect(!streams.text.contains("!"), "\(streams.text)")
                let verified = try await run(suite, "streams", "verify")
                #expect(verified.status == 0, "\(verified.text)")
                let chains = verified.text.split(separator: "\n")
                #expect(chains.count >= 3, "\(verified.text)")
                #expect(chains.allSatisfy { $0.hasSuffix(": OK") }, "\(verified.text)")
                #expect(chains.contains { $0.hasPrefix("directory: ") })
                let one = try await run(suite, "streams", "verify", "sos", "--json")
                let json = try JSON.parse(Array(one.text.utf8))
                #expect(json["whole"] == true)
                let deadLetter = try await run(suite, "streams", "dead-letters")
                #expect(deadLetter.text == "There are no dead letters.\n")
                let skip = try await run(suite, "streams", "skip", "sos", "--yes")
                #expect(skip.status == 1)
                #expect(skip.text.contains("sos is not stopped"))
                let drop = try await run(suite, "streams", "drop", "timer:1", "--yes")
                #expect(drop.status == 1)
                #expect(drop.text.contains("404"), "\(drop.text)")
                #expect(try await run(suite, "streams", "burn").status == 2)
            }
        }

        @Test func `runs the demo through a real gateway only on request`() async throws {
            let secrets = try TemporaryFolder()
            try Files.write(Array("s3cret".utf8), to: secrets.file("password"), mode: 0o600)
            let suite = try RunningSuite(settings: [
                "JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_URL": "http://127.0.0.1:9/",
                "JAGA_SMS_USER": "jaga", "JAGA_SMS_PASSWORD_FILE": secrets.file("password"),
            ])
            try await suite.start()
            let rejected = try await run(suite, "demo")
            #expect(rejected.status == 1)
            #expect(rejected.text.contains("gateway kannel"), "\(rejected.text)")
            #expect(rejected.text.contains("jaga demo --really-send"))
            let people = try suite.http.send("GET", "/v1/people", token: suite.operatorToken())
            #expect(people.json["items"]?.array == [])
            #expect(try await run(suite, "demo", "--really-send").status == 0)
            #expect(await suite.stop() == 0)
        }

        @Test func `guides to a first circle, also from a pipe`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let answers = #"Mei\n+60\n+60123456789\nmei@example.test\n\nUTC\n\ny\nn\n"#
            let text = try await shell("printf '\(answers)' | $JAGA init", in: suite)
            #expect(text.contains("use + and the country code"))
            #expect(text.contains("owntracks:///config?inline="), "\(text)")
            #expect(text.contains("kept in the built-in outbox; nothing was sent"), "\(text)")
            let outbox = try await run(suite, "outbox", "--json").text
            let message = try JSON.parse(Array(outbox.utf8))
            #expect(message["to"]?.string == "+60123456789")
            let early = try await shell("printf 'Mei\\n' | $JAGA init; echo status $?", in: suite)
            #expect(early.contains("status 1"))
            #expect(await suite.stop() == 0)
        }

        @Test func `replays a track, and rejects invalid ones`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let demo = try await run(suite, "demo")
            let token = try suite.tokenOfDemo("anna")
            #expect(!demo.text.contains("-u anna:"), "the secret is in a file")
            let file = suite.home + "/way.csv"
            let rows = (0..<20).map { "3.\(1000 + $0 * 30),101.6869,2026-01-01 10:00:\(10 + $0)" }
            try ("lat,lng,datetime\n" + rows.joined(separator: "\n")).write(
                toFile: file, atomically: true, encoding: .utf8)
            let replay = try await run(
                suite, "replay", file, "--device", token, "--speed", "60")
            #expect(replay.status == 0)
            #expect(replay.text.contains("replayed 20 points"), "\(replay.text)")
            let wrong = try await run(suite, "replay", file, "--device", "wrong")
            #expect(wrong.status == 1)
            #expect(wrong.text.contains("401"), "\(wrong.text)")

            #expect(try await run(suite, "quarantine").text.contains("is empty"))
            let answer = try suite.http.send(
                "POST", "/pub", ["_type": "location", "lat": 91, "lon": 1, "tst": 1],
                token: token)
            #expect(answer.status == 200)
            let list = try await run(suite, "quarantine", "--json")
            let id = try #require(try JSON.parse(Array(list.text.utf8))["id"]?.string)
            #expect(try await run(suite, "quarantine", "show", id).text.contains("\"lat\":91"))
            #expect(try await run(suite, "quarantine", "drop", id).status == 0)
            #expect(try await run(suite, "quarantine").text.contains("is empty"))
            #expect(await suite.stop() == 0)
        }

        @Test func `rotates the operator's token`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let old = try suite.operatorToken()
            let first = try await run(suite, "admin", "token")
            #expect(first.status == 0, "\(first.text)")
            let new = try suite.operatorToken()
            #expect(new != old)
            #expect(!first.text.contains(new))
            let ended = await eventually {
                (try? suite.http.send("GET", "/v1/people", token: old).status) == 401
            }
            #expect(ended)
            #expect(try suite.http.send("GET", "/v1/people", token: new).status == 200)
            #expect(try await run(suite, "gateway", "list").status == 0)
            let dry = try await run(suite, "gateway", "test", "sink", "+60123456789", "--dry-run")
            #expect(dry.status == 0 && dry.text.contains("nothing was sent"), "\(dry.text)")
            let sent = try await run(suite, "gateway", "test", "sink", "+60123456789")
            #expect(sent.status == 0 && sent.text.contains("< sink: "), "\(sent.text)")
            #expect(try await run(suite, "gateway", "test", "none", "+60123456789").status == 1)
            #expect(await suite.stop() == 0)
            let alone = try await run(suite, "status")
            #expect(alone.status == 1)
            #expect(alone.text.contains("start Jaga with 'jaga up'"), "\(alone.text)")
        }
    }
}
