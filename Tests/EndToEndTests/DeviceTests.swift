import Foundation
import Hashing
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `A phone of a person` {
        private func jaga(_ suite: RunningSuite, _ words: String...) async throws -> String {
            let capture = try suite.run(words)
            _ = await eventually(within: 60) {
                _ = (suite.log, capture.text)
                return capture.process.reap() != nil
            }
            #expect(capture.process.exitStatus == 0, "\(words): \(capture.text)")
            return capture.text
        }

        /// Encrypts like OwnTracks.
        private func sealed(_ message: String, _ passphrase: String) -> String {
            let key =
                Array(passphrase.utf8) + [UInt8](repeating: 0, count: 32 - passphrase.utf8.count)
            let bytes = SecretBox.seal(
                Array(message.utf8), key: key, nonce: SecureRandom.bytes(SecretBox.nonceBytes))
            return #"{"_type":"encrypted","data":"\#(Base64.encode(bytes))"}"#
        }

        @Test func `is set up, logged, and loses nothing when it is set up again`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let anna = try #require(
                suite.http.send(
                    "POST", "/v1/people", ["name": "Anna"], token: suite.operatorToken()
                ).json["id"]?.string)
            let created = try JSON.parse(
                Array(try await jaga(suite, "device", "add", anna, "Phone", "--json").utf8))
            let device = try #require(created["device"]?.string)
            let token = try #require(created["token"]?.string)
            #expect(created["apps"]?.array?.count == 5)

            // The app reports, then with a key that Jaga does not have.
            let place = "/osmand?id=\(token)&lat=3.1&lon=101.7&accuracy=8"
            #expect(try suite.http.send("POST", place, token: nil).status == 200)
            let message = #"{"_type":"location","lat":3.2,"lon":101.7,"tst":1795000000}"#
            let body = Array(sealed(message, "correct horse").utf8)
            #expect(try suite.http.send("POST", "/pub", body: body, token: token).text == "[]")
            #expect(try await jaga(suite, "quarantine").contains("encrypted"))
            let deviceLog = try await jaga(suite, "device", "log", device)
            #expect(deviceLog.contains("osmand 200 accepted: 1 accepted"), "\(deviceLog)")
            #expect(
                deviceLog.contains("200 quarantined (encrypted): 1 quarantined"), "\(deviceLog)")
            #expect(!deviceLog.contains("101.7"))

            // Now Jaga has the key, and the quarantine is read again.
            let key = "/v1/people/\(anna)/devices/\(device)/encryption-key"
            #expect(
                try suite.http.send(
                    "PUT", key, ["passphrase": "correct horse"], token: suite.operatorToken()
                ).status == 204)
            let retried = try await jaga(suite, "quarantine", "retry", "--reason", "encrypted")
            #expect(retried.contains("accepted: 1 new"), "\(retried)")
            #expect(try await jaga(suite, "quarantine").contains("empty"))

            // During a new set-up the phone keeps its reports until it has the new credential.
            let setup = try await jaga(suite, "device", "setup", device, "--app", "overland")
            #expect(setup.contains("overland://setup?url="), "\(setup)")
            #expect(setup.contains("█"))
            let renewed = try #require(setup.firstMatch(of: /secret (\S{43})/)?.output.1)
            #expect(try suite.http.send("POST", place, token: nil).status == 503)
            let now = "/osmand?id=\(renewed)&lat=3.1&lon=101.8"
            #expect(try suite.http.send("POST", now, token: nil).status == 200)
            let end = try await jaga(suite, "device", "log", device)
            #expect(end.contains("503 rejected (replaced-credentials)"), "\(end)")
            #expect(end.contains("200 retried: 1 accepted"), "\(end)")
            #expect(await suite.stop() == 0)
            for secret in [token, String(renewed), "correct horse", "101.7"] {
                #expect(!suite.log.contains(secret))
            }
        }
    }
}
