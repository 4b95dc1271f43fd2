import Hosting
import Model
import Parsing
import Testing

@testable import NotifierDaemon

struct SealedTests {
    private static let request = RequestedMessage(
        channel: .sms, address: "+60129999999", sender: "Aisha", locale: "en", code: "004711")

    private func event(_ number: UInt64, key: [UInt8]) throws -> Event {
        let sealed = SealedText.seal(try JSON.encode(Self.request).serialized(), key: key)
        return Event(
            id: EventID(ID128(high: 30, low: number)), time: noon,
            body: .messageRequested(
                SealedMessage(expires: noon + .seconds(1800), sealed: sealed)))
    }

    private func outbox(_ house: House) throws -> [String] {
        try house.get("/v1/outbox").json["items"]?.array?.compactMap { $0["text"]?.string } ?? []
    }

    @Test func `a sealed message is opened and sent once, over restarts`() throws {
        let house = try House()
        let event = try event(1, key: house.messageKey.establish())
        #expect(!"\(event)".contains("004711"))
        for _ in 1...2 {
            try house.tell(event, on: .directory)
            try house.restart()
        }
        let texts = try outbox(house)
        #expect(texts.count == 1)
        #expect(texts.first?.contains("004711") == true)
        #expect(!"\(house.published)".contains("004711"))
        let rows = try house.get("/v1/notifications").json.text
        #expect(!rows.contains("004711") && !rows.contains("9999999"))
    }

    @Test func `what another key sealed is passed over, and so is what came before the key`() throws
    {
        let house = try House()
        let other = [UInt8](repeating: 3, count: 32)
        try house.tell(event(1, key: other), on: .directory)
        let key = try house.messageKey.establish()
        try house.tell(event(2, key: other), on: .directory)
        try house.tell(event(3, key: key), on: .directory)
        #expect(try outbox(house).count == 1)
    }
}
