import Parsing
import Testing

@testable import JagaCLI

@Suite struct `What a release shows` {
    private let timer: JSON = [
        "items": [["kind": "watch", "what": "watch-expiry", "id": "wat_1", "due": "2026"]],
        "shownElsewhere": ["emg_1", "emg_1", "emg_2"],
    ]
    private let nothing: JSON = ["items": [], "shownElsewhere": []]

    @Test func `is nothing only where nothing waits out of sight`() {
        #expect(ReleaseCommand.hidden(by: [nothing, nothing]) == nil)
        let hidden: JSON = ["items": [], "shownElsewhere": ["emg_1"]]
        let words = ReleaseCommand.hidden(by: [hidden, nothing])
        #expect(words?.hasPrefix("1 emergency is held and not shown yet") == true)
    }

    @Test func `says below a list that more is held, as far as that is not in it`() {
        let notifier: JSON = [
            "items": [
                [
                    "kind": "emergency", "what": "panic", "id": "emg_1", "emergency": "emg_1",
                    "due": "2026",
                ]
            ], "shownElsewhere": [],
        ]
        func last(_ documents: [JSON]) -> String {
            ReleaseCommand.lines(of: documents) { _ in nil }.last ?? ""
        }
        #expect(last([timer, nothing]).hasPrefix("2 emergencies are held and not shown yet"))
        #expect(last([timer, notifier]).hasPrefix("1 emergency is held and not shown yet"))
        #expect(last([nothing, notifier]).contains("--drop"))
    }

    @Test func `says that a restore may have it sent twice, where it is told to people`() {
        let item: JSON = ["kind": "message", "what": "zone-news", "id": "msg_1", "due": "2026"]
        let notifier: JSON = ["items": [item], "shownElsewhere": []]
        func text(_ documents: [JSON]) -> String {
            ReleaseCommand.lines(of: documents) { _ in nil }.joined(separator: "\n")
        }
        #expect(text([notifier]).contains("a second time"))
        #expect(!text([timer]).contains("a second time"))
    }
}
