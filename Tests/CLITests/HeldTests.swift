import Parsing
import Testing

@testable import JagaCLI

@Suite struct `The list of held items` {
    private let timer: JSON = [
        "items": [["kind": "watch", "what": "watch-expiry", "id": "wat_1", "due": "2026"]],
        "shownElsewhere": ["emg_1", "emg_1", "emg_2"],
    ]
    private let nothing: JSON = ["items": [], "shownElsewhere": []]

    @Test func `mentions items that are not listed yet`() {
        #expect(HeldCommand.hidden(by: [nothing, nothing]) == nil)
        let hidden: JSON = ["items": [], "shownElsewhere": ["emg_1"]]
        let words = HeldCommand.hidden(by: [hidden, nothing])
        #expect(words?.hasPrefix("1 emergency is held but not listed yet") == true)
    }

    @Test func `ends with the number of emergencies that it does not list`() {
        let notifier: JSON = [
            "items": [
                [
                    "kind": "emergency", "what": "panic", "id": "emg_1", "emergency": "emg_1",
                    "due": "2026",
                ]
            ], "shownElsewhere": [],
        ]
        func last(_ documents: [JSON]) -> String {
            HeldCommand.lines(of: documents) { _ in nil }.last ?? ""
        }
        #expect(last([timer, nothing]).hasPrefix("2 emergencies are held but not listed yet"))
        #expect(last([timer, notifier]).hasPrefix("1 emergency is held but not listed yet"))
        #expect(last([nothing, notifier]).contains("jaga held drop"))
    }

    @Test func `warns that a restore may send messages twice`() {
        let item: JSON = ["kind": "message", "what": "zone-news", "id": "msg_1", "due": "2026"]
        let notifier: JSON = ["items": [item], "shownElsewhere": []]
        func text(_ documents: [JSON]) -> String {
            HeldCommand.lines(of: documents) { _ in nil }.joined(separator: "\n")
        }
        #expect(text([notifier]).contains("a second time"))
        #expect(!text([timer]).contains("a second time"))
    }
}
