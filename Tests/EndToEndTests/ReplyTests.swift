import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `By SMS alone` {
        @Test(.enabled(if: Gateways.areInstalled, "Kannel or Exim is not installed"))
        func `a number confirms, acknowledges, opts out and raises an emergency`() async throws {
            let gateways = try Gateways()
            try await Household.run(
                through: gateways, settings: ["JAGA_SMS_REPLIES": "on"]
            ) { home in
                gateways.kannel.replyAddress = try address(home)
                try await gateways.start()
                try await agree(home, gateways)
                try await help(home, gateways)
                try await stop(home, gateways)
                try await call(home, gateways)
            }
            await gateways.stop()
        }

        @Test(.enabled(if: Gateways.areInstalled, "Kannel or Exim is not installed"))
        func `zones are mailed as a file`() async throws {
            let gateways = try Gateways()
            try await gateways.start()
            try await Household.run(through: gateways) { home in
                let zones = "/v1/people/\(home.anna.id)/zones"
                let created = try home.anna.api.call("POST", zones, Zone.park.feature)
                let sent = try home.anna.api.call(
                    "POST", zones + "/" + created.text("id") + "/mail",
                    ["to": .string(home.bob.mail)])
                #expect(sent["file"] == "Park.pad")
                var mails: [String] = []
                let arrives = await eventually {
                    mails = gateways.mail.mails(of: "bob")
                    return !mails.isEmpty
                }
                #expect(arrives)
                let mail = try #require(mails.first)
                #expect(mail.contains("Subject: Jaga: Anna sent you zones in the file Park.pad"))
                let start = try #require(mail.range(of: "filename=\"Park.pad\"")).upperBound
                let part = mail[start...].components(separatedBy: "\n\n").dropFirst().first ?? ""
                let lines = part.components(separatedBy: "\n--").first ?? ""
                let file = Data(base64Encoded: lines, options: .ignoreUnknownCharacters)
                let text = String(decoding: file ?? Data(), as: UTF8.self)
                #expect(text.hasPrefix("AlertZoneStart"))
                #expect(text.contains("AlertZoneName,Park"))
            }
            await gateways.stop()
        }

        private static let mum = "+15550009999"

        private func address(_ home: Household) throws -> String {
            let gateways = try home.admin.list("/v1/gateways")
            let kannel = gateways.first { $0["name"] == "kannel" }
            return try #require(kannel).text("replies")
        }

        /// The first text to a number that contains these words.
        private func text(
            _ words: String, to number: String, _ gateways: Gateways
        ) async throws -> String {
            var found: String?
            let arrives = await eventually(within: 30) {
                found =
                    gateways.kannel.messages.first {
                        $0.recipient == number && $0.text.contains(words)
                    }?.text
                return found != nil
            }
            guard arrives, let found else { throw TestFailure("no text \(words)") }
            return found
        }

        private func digits(after words: String, in text: String) throws -> String {
            let start = try #require(text.range(of: words)).upperBound
            return String(text[start...].prefix { $0.isNumber })
        }

        /// Anna's mother receives a code and forwards it; her number is confirmed.
        private func agree(_ home: Household, _ gateways: Gateways) async throws {
            let messages = "/v1/people/\(home.anna.id)/messages"
            let created = try home.anna.api.call("POST", messages, ["number": .string(Self.mum)])
            #expect(created["confirmed"] == .null)
            let invitation = try await text("Anna wants to send you", to: Self.mum, gateways)
            let code = try digits(after: "your code ", in: invitation)
            let path = try messages + "/" + created.text("id")
            let done = try home.anna.api.call(
                "POST", path + "/confirmation", ["code": .string(code)])
            #expect(done["confirmed"]?.string != nil)
            #expect(!home.suite.log.contains(code), "no log has the code")
        }

        /// Bob acknowledges Anna's emergency by SMS, possibly repeated by Kannel.
        private func help(_ home: Household, _ gateways: Gateways) async throws {
            let emergency = try await home.button.callForHelp("call 1", countdown: 0)
            let alarm = try await text("Or reply OK", to: home.bob.number, gateways)
            let reference = try digits(after: "Or reply OK ", in: alarm)
            try await gateways.kannel.receive("ok \(reference)", from: Self.mum)
            try await gateways.kannel.receive("On my way", from: home.bob.number)
            try await gateways.kannel.receive("ok \(reference)", from: home.bob.number)
            _ = try await text("You are responding to", to: home.bob.number, gateways)
            _ = try await text(
                "Bob is responding to your emergency", to: home.anna.number, gateways)
            let timeline = try home.cara.api.list("/v1/circles/\(home.circle)/timeline")
            let words = timeline.first { $0["kind"] == "reply" }
            #expect(words?["text"] == "On my way")
            #expect(timeline.count { $0["kind"] == "acknowledged" } == 1)
            try await home.bob.api.insist("POST", "/v1/emergencies/\(emergency)/resolution")
        }

        private func stop(_ home: Household, _ gateways: Gateways) async throws {
            try await gateways.kannel.receive("Stop", from: Self.mum)
            _ = try await text("emergencies only", to: Self.mum, gateways)
            let stops = try home.admin.list("/v1/opt-outs")
            #expect(stops.map { $0["number"] } == [.string(Self.mum)])
        }

        private func call(_ home: Household, _ gateways: Gateways) async throws {
            try await gateways.kannel.receive("SOS at the river", from: home.anna.number)
            _ = try await text("SOS received", to: home.anna.number, gateways)
            let alarm = try await text("by SMS", to: home.bob.number, gateways)
            #expect(alarm.contains("SOS Anna") && alarm.contains("at the river"))
        }
    }
}
