import Hosting
import Model
import Parsing
import Testing

@testable import NotifierDaemon

struct SealedTests {
    private static let request = RequestedMessage(
        channel: .sms, address: "+60129999999", sender: "Aisha", locale: "en",
        content: .consentCode("004711"))

    private func event(_ number: UInt64, key: [UInt8]) throws -> Event {
        let sealed = SealedText.seal(try JSON.encode(Self.request).serialized(), key: key)
        return Event(
            id: EventID(ID128(high: 30, low: number)), time: noon,
            body: .messageRequested(
                SealedMessage(expires: noon + .seconds(1800), sealed: sealed)))
    }

    private func outbox(_ host: TestHost) throws -> [String] {
        try host.get("/v1/outbox").json["items"]?.array?.compactMap { $0["text"]?.string } ?? []
    }

    @Test func `a sealed message is opened and sent once, over restarts`() throws {
        let host = try TestHost()
        let event = try event(1, key: host.messageKey.loadOrCreate())
        #expect(!"\(event)".contains("004711"))
        for _ in 1...2 {
            try host.receive(event, on: .directory)
            try host.restart()
        }
        let texts = try outbox(host)
        #expect(texts.count == 1)
        #expect(texts.first?.contains("004711") == true)
        #expect(!"\(host.published)".contains("004711"))
        let rows = try host.get("/v1/notifications").json.text
        #expect(!rows.contains("004711") && !rows.contains("9999999"))
    }

    @Test func `a message sealed with another key is dropped, and so is one before the key`() throws
    {
        let host = try TestHost()
        let other = [UInt8](repeating: 3, count: 32)
        try host.receive(event(1, key: other), on: .directory)
        let key = try host.messageKey.loadOrCreate()
        try host.receive(event(2, key: other), on: .directory)
        try host.receive(event(3, key: key), on: .directory)
        #expect(try outbox(host).count == 1)
    }
}
