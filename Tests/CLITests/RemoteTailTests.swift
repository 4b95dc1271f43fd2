import Hosting
import Model
import Parsing
import Testing
import Wire

@testable import JagaCLI

/// `jaga tail` over HTTP.
@Suite struct `jaga tail over HTTP` {
    private func filter(_ words: String...) throws -> EventFilter {
        try EventFilter(
            Call(words, of: Tail.syntax, environment: [:]),
            now: try #require(Timestamp("2026-11-20T10:20:00Z")))
    }

    private func query(_ service: ServiceName, _ filter: EventFilter) -> String {
        filter.query(of: service, service.served.filter(filter.includes))
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    @Test func `parses events wherever they were split`() {
        let text =
            ": ingest\n\nevent: gap\ndata: {\"from\":1}\n\nid: sos@2.00ff\ndata: {}\n\n:\nid: x\n\n"
        let whole = Array(text.utf8)
        for size in 1...whole.count {
            var lines = EventLines()
            var received: [String] = []
            for start in stride(from: 0, to: whole.count, by: size) {
                lines.read(Array(whole[start..<min(start + size, whole.count)])) { name, id, data in
                    received.append("\(name)|\(id ?? "-")|\(data)")
                }
            }
            #expect(received == ["|-|", "gap|-|{\"from\":1}", "|sos@2.00ff|{}", "|x|"])
        }
    }

    @Test func `shows problems of services, but not of proxies`() {
        func words(_ text: String) -> String? { EventSource.detail(of: Array(text.utf8)) }
        #expect(words(#"{"title":"Not now","detail":"too many follow"}"#) == "too many follow")
        #expect(words(#"{"title":"Not now"}"#) == "Not now")
        #expect(words("<html>503 Service Temporarily Unavailable</html>") == nil)
        #expect(words("") == nil)
    }

    @Test func `requests the matching streams of each service`() throws {
        #expect(query(.ingest, try filter()) == "")
        #expect(query(.ingest, try filter("events", "sos")) == "stream=events&stream=sos")
        #expect(query(.ingest, try filter("--stream", "events/17")) == "stream=events/17")
        #expect(query(.timer, try filter("zone")) == "type=jaga.zone")
        #expect(query(.ingest, try filter("sos", "jaga.zone")) == "", "either is enough")
        #expect(
            query(.notifier, try filter("--since", "10m", "--type", "jaga.notification"))
                == "type=jaga.notification&since=2026-11-20T10:10:00.000Z")
    }

    @Test func `shows events that match any parameter`() throws {
        func event(_ type: String, _ stream: String) -> JSON {
            ["type": .string(type), "jagastream": .string(stream), "jagaseq": 1]
        }
        let either = try filter("sos", "jaga.zone")
        #expect(either.includes(event("jaga.sos.raised", "sos")))
        #expect(either.includes(event("jaga.zone.entered", "events/3")))
        #expect(!either.includes(event("jaga.emergency.opened", "events/3")))
        #expect(!either.includes(["type": "jaga.zone.entered"]))
        let typed = try filter("--type", "jaga.deadline")
        #expect(typed.includes(event("jaga.deadline.expired", "deadlines")))
        #expect(!typed.includes(event("jaga.watch.changed", "deadlines")))
    }
}
