import Foundation
import Glibc
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    /// Tasks of the operator, with names instead of ids.
    @Suite struct `For the operator, jaga` {
        private func run(
            _ suite: RunningSuite, _ words: String...
        ) async throws -> (status: Int32?, text: String) {
            try await suite.finish(words)
        }

        private func started(_ settings: [String: String] = [:]) async throws -> RunningSuite {
            let suite = try RunningSuite(settings: settings)
            try await suite.start()
            return suite
        }

        @Test func `adds and removes guardians, contact points and phones`() async throws {
            let suite = try await started()
            #expect(try await run(suite, "circle", "add", "My Family").status == 0)
            let invited = try await run(
                suite, "circle", "join", "my family", "Bob", "--phone", "+60123450002")
            #expect(invited.status == 0, "\(invited.text)")
            #expect(invited.text.contains("is guardian of My Family"))
            let again = try await run(
                suite, "circle", "join", "My Family", "bob", "--phone", "+60123450003")
            #expect(again.status == 1)
            #expect(again.text.contains("the name bob is already in use: per_"), "\(again.text)")
            let contact = try await run(
                suite, "person", "contact", "bob", "--mail", "bob@example.test", "--remove",
                "+60123450002")
            #expect(contact.text == "contact points: bob@example.test\n")
            let shown = try await run(suite, "circle", "show", "My Family").text
            #expect(shown.contains("guardian  Bob") && shown.contains("bob@example.test"))

            #expect(try await run(suite, "device", "add", "Bob", "pixel").status == 0)
            let device = try await run(suite, "device", "setup", "Bob/pixel", "--json").text
            let token = try #require(try JSON.parse(Array(device.utf8))["token"]?.string)
            #expect(try suite.http.send("GET", "/v1/circles", token: token).status == 403)
            #expect(try await run(suite, "device", "remove", "Bob/pixel").status == 0)
            #expect(try suite.http.send("GET", "/v1/circles", token: token).status == 401)

            // For two people with one name the ids are shown.
            #expect(try await run(suite, "person", "add", "Bob").status == 0)
            let both = try await run(suite, "person", "show", "Bob")
            #expect(both.status == 1)
            #expect(both.text.matches(of: #/per_[0-9a-z]{26} \(Bob\)/#).count == 2)
            #expect(await suite.stop() == 0)
        }

        @Test func `accepts names wherever ids are`() async throws {
            let suite = try await started()
            for name in ["Bob", "Cara"] {
                #expect(try await run(suite, "person", "add", name).status == 0)
            }
            #expect(try await run(suite, "device", "add", "Bob", "pixel").status == 0)
            // The access log is the person's alone; the operator finds the person, and is denied.
            #expect(try await run(suite, "access", "bob").text.contains("status 403"))
            #expect(try await run(suite, "quarantine", "--device", "Bob/pixel").status == 0)
            let other = try await run(suite, "quarantine", "--device", "Bob/nokia").text
            #expect(other.contains("there is no phone with the name or id nokia"), "\(other)")
            #expect(try await run(suite, "held", "send", "bob").text.contains("the id per_"))
            let ward = try await run(suite, "ward", "join", "Cara", "--person", "Bob").text
            #expect(ward.contains("there is no such ward"), "\(ward)")
            let revoked = try await run(suite, "credential", "revoke", "x", "--person", "Bob").text
            #expect(revoked.contains("there is no credential with the name or id x"), "\(revoked)")
            #expect(await suite.stop() == 0)
        }

        @Test func `shows whom to call, acknowledges and resolves, also after a second demo`()
            async throws
        {
            let suite = try await started()
            #expect(try await run(suite, "demo").status == 0)
            let demo = try await run(suite, "demo")
            #expect(demo.status == 0, "\(demo.text)")
            #expect(demo.text.hasSuffix("/v1/emergencies\n\n"), "the command to paste is last")
            #expect(
                try await run(suite, "explain", "Anna", "--access-reason", "try it out").status == 0
            )
            #expect(try await run(suite, "emergency").text == "No active emergencies.\n")
            let token = try suite.tokenOfDemo("anna")
            let call = try suite.http.send(
                "POST", "/v1/emergencies", ["trigger": "panic", "countdown": 0],
                token: token)
            let id = try call.json.text("id")
            var shown = ""
            let isShown = try await eventually {
                shown = try await run(suite, "emergency", "show", "anna").text
                return shown.contains("sms to +15550000102: ")
            }
            #expect(isShown, "\(shown)")
            #expect(shown.contains("Ben (guardian of Demo): +15550000102, ben@jaga.example"))
            #expect(shown.contains("jaga emergency acknowledge \(id)"))
            #expect(!suite.log.contains("+15550000102"))
            let code = try #require(shown.firstMatch(of: #/code +(\d+)/#)?.output.1)
            let acknowledged = try await run(suite, "emergency", "acknowledge", String(code))
            #expect(
                acknowledged.text.hasPrefix("acknowledged by the operator"),
                "\(acknowledged.text)")
            #expect(try await run(suite, "emergency", "resolve", "Anna").status == 0)
            #expect(try await run(suite, "emergency", "list", "--ended").text.contains(id))
            #expect(await suite.stop() == 0)
        }

        @Test
        func `up reloads gateways by SIGHUP, and keeps the old ones if the new ones are invalid`()
            async throws
        {
            let suite = try await started()
            let up = try #require(suite.up)
            let gateway = [
                "JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_URL": "http://127.0.0.1:9/",
                "JAGA_SMS_USER": "jaga", "JAGA_SMS_PASSWORD_FILE": "secrets/sms.password",
            ]
            try suite.write(gateway)
            up.process.send(SIGHUP)
            let isRejected = await eventually {
                suite.log.contains("service=notifier") && suite.log.contains("operation=reload")
            }
            #expect(isRejected, "\(suite.log)")
            #expect(try await run(suite, "gateway").text.contains("sink"))
            try Files.write(
                Array("s3cret\n".utf8), to: suite.home + "/secrets/sms.password", mode: 0o600)
            up.process.send(SIGHUP)
            var shown = ""
            let isNew = try await eventually {
                shown = try await run(suite, "gateway").text
                return shown.contains("kannel")
            }
            #expect(isNew, "\(shown)")
            #expect(await suite.stop() == 0)
        }
    }
}
