import Model
import Parsing
import Testing

@testable import JagaCLI

@Suite struct `What jaga emergency shows` {
    private let now = Timestamp("2026-11-20T10:20:00Z")!

    private func emergency(_ id: String, _ name: String, code: String) -> JSON {
        [
            "id": .string(id), "reference": .string(code),
            "person": ["id": "per_1", "name": .string(name)], "state": "open", "trigger": "panic",
            "raised": "2026-11-20T10:10:00Z", "acknowledged": nil, "notified": 1, "held": false,
            "note": nil, "contacts": [["channel": "sms", "address": "+15550000101"]],
            "recipients": [
                [
                    "person": ["id": "per_2", "name": "Ben"], "notified": true,
                    "circles": [["name": "Family", "role": "guardian"]],
                    "contacts": [["channel": "sms", "address": "+15550000102"]],
                    "messages": [
                        [
                            "channel": "sms", "to": "+15550000102", "state": "refused",
                            "answer": "no credit",
                        ],
                        [
                            "channel": "sms", "to": "+15550000102", "state": "accepted",
                            "answer": "",
                        ],
                    ],
                ],
                [
                    "person": ["id": "per_3", "name": "Cara"], "notified": false, "circles": [],
                    "contacts": [], "messages": [],
                ],
            ],
        ]
    }

    @Test func `is whom to call, what became of each message, and the next command`() {
        let lines = EmergencyCommand.lines(of: emergency("emg_1", "Anna", code: "4202"), now: now)
        let text = lines.joined(separator: "\n")
        #expect(text.contains("Anna: open, panic, 10 min ago"))
        #expect(text.contains("  responder  nobody"))
        #expect(text.contains("  reach      +15550000101"))
        #expect(text.contains("  Ben (guardian of Family): +15550000102"))
        // The newest message alone.
        #expect(text.contains("sms to +15550000102: refused (no credit)"))
        #expect(!text.contains("accepted"))
        #expect(text.contains("not notified yet\n  Cara: no contact point"))
        #expect(text.hasSuffix("jaga emergency acknowledge emg_1"))
    }

    @Test func `is found by the name of the person, or the code of its messages`() throws {
        let active = [
            emergency("emg_1", "Anna", code: "4202"), emergency("emg_2", "Ben", code: "1111"),
            emergency("emg_3", "Ben", code: "2222"),
        ]
        #expect(try EmergencyCommand.find("anna", among: active) == "emg_1")
        #expect(try EmergencyCommand.find("2222", among: active) == "emg_3")
        let error = #expect(throws: CommandError.self) {
            try EmergencyCommand.find("Ben", among: active)
        }
        #expect(error?.hint == "say one of emg_2 (Ben), emg_3 (Ben)")
        #expect(throws: CommandError.self) { try EmergencyCommand.find("Cara", among: active) }
    }
}
