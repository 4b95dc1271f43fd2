import Model
import Parsing
import Testing

@testable import JagaCLI

@Suite struct `The output of jaga emergency` {
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
                            "channel": "sms", "to": "+15550000102", "state": "rejected",
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

    @Test func `has contact points, message states and the next command`() {
        let lines = EmergencyCommand.lines(of: emergency("emg_1", "Anna", code: "4202"), now: now)
        let text = lines.joined(separator: "\n")
        #expect(text.contains("Anna: open, panic, 10 min ago"))
        #expect(text.contains("  responder  nobody"))
        #expect(text.contains("  reach      +15550000101"))
        #expect(text.contains("  Ben (guardian of Family): +15550000102"))
        // Only the newest message.
        #expect(text.contains("sms to +15550000102: rejected (no credit)"))
        #expect(!text.contains("accepted"))
        #expect(text.contains("not notified yet\n  Cara: no contact points"))
        #expect(text.hasSuffix("jaga emergency acknowledge emg_1"))
    }

    @Test func `escapes line breaks, so that they forge no line`() {
        let forged = "ok\nresponder  Ben\n\u{1B}[2J"
        func deadLetter(_ json: JSON) -> JSON {
            switch json {
            case .string: .string(forged)
            case .array(let items): .array(items.map(deadLetter))
            case .object(let members):
                .object(members.map { .init($0.key, deadLetter($0.value)) })
            default: json
            }
        }
        let item = deadLetter(emergency("emg_1", "Anna", code: "4202"))
        let messages: [JSON] = [["at": .string(forged), "text": .string(forged)]]
        let all =
            EmergencyCommand.lines(of: item, now: now)
            + EmergencyCommand.table(of: [item], now: now).lines
            + [DeviceLog.line(for: ["reason": .string(forged), "client": .string(forged)])]
            + DeviceTopics.lines(of: [
                "problem": .string(forged), "rejected": [.string(forged)],
                "unknown": [.string(forged)], "topics": [["topic": .string(forged)]],
            ])
            + [PersonCommand.contacts(of: ["contacts": [["address": .string(forged)]]])]
            + CircleReachability([
                "items": [["reachable": false, "name": .string(forged), "reason": "dead"]]
            ]).unreachable
        #expect(all.allSatisfy { !$0.contains { $0.isNewline } }, "\(all)")
        #expect(all.contains { $0.contains(#"ok\nresponder"#) })
        // Lines of a text stay lines, each indented.
        for message in messages {
            let lines = OutboxCommand.text(of: message).split(separator: "\n").dropFirst()
            #expect(lines.allSatisfy { $0.hasPrefix("    ") } && lines.count == 3)
        }
        let report = Gateway.report([
            "request": .string(forged), "response": .string(forged), "rule": .string(forged),
            "outcome": "accepted", "answer": .string(forged),
        ])
        #expect(report.allSatisfy { !$0.contains { $0.isNewline } })
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
        #expect(error?.hint == "use one of the ids emg_2 (Ben), emg_3 (Ben)")
        #expect(throws: CommandError.self) { try EmergencyCommand.find("Cara", among: active) }
    }

    private func unprocessed(_ id: String, _ name: String, raised: JSON = .null) -> JSON {
        [
            "id": .string(id), "emergency": .string("emg_\(id)"),
            "person": ["id": .string("per_\(name)"), "name": .string(name)], "trigger": "panic",
            "received": "2026-11-20T10:10:00Z", "reason": "disk", "tries": 3, "raised": raised,
            "body": .string("{\"note\":\"by the bridge\"}\n\u{1B}[2J"), "query": "",
            "contacts": [["channel": "sms", "address": "+15550000101"]],
            "others": [
                [
                    "person": ["id": "per_2", "name": "Ben"],
                    "circles": [["name": "Family", "role": "guardian"]],
                    "contacts": [["channel": "sms", "address": "+15550000102"]],
                ]
            ],
        ]
    }

    @Test func `that is unprocessed has what was sent, whom to call and the next step`() {
        let lines = UnprocessedCalls.lines(of: unprocessed("upc_1", "Anna"), now: now)
        let text = lines.joined(separator: "\n")
        #expect(text.contains("Anna: nobody is notified, panic, 10 min ago"))
        #expect(text.contains("  reach      +15550000101"))
        #expect(text.contains("  Ben (guardian of Family): +15550000102"))
        #expect(text.contains("by the bridge"))
        #expect(text.contains("Jaga has notified nobody"))
        #expect(lines.allSatisfy { !$0.contains { $0.isNewline } })
        let raised = unprocessed("upc_1", "Anna", raised: "2026-11-20T10:12:00Z")
        #expect(
            UnprocessedCalls.lines(of: raised, now: now).last
                == "Go on with: jaga emergency show emg_upc_1")
    }

    @Test func `that is unprocessed is found by the person, and warned about while it waits`()
        throws
    {
        let raised = unprocessed("upc_3", "Ben", raised: "2026-11-20T10:12:00Z")
        let items = [unprocessed("upc_1", "Anna"), unprocessed("upc_2", "Anna"), raised]
        #expect(try UnprocessedCalls.find("anna", among: items) == ["upc_1", "upc_2"])
        #expect(try UnprocessedCalls.find("Ben", among: items) == ["upc_3"])
        #expect(throws: CommandError.self) { try UnprocessedCalls.find("Cara", among: items) }
        #expect(
            UnprocessedCalls.warning(about: items)?.hasPrefix(
                "2 emergency requests cannot be processed") == true)
        #expect(UnprocessedCalls.warning(about: [raised]) == nil)
    }
}
