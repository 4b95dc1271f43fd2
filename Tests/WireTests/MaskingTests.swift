import Model
import Parsing
import Testing
import WireSamples

@testable import Wire

/// What is hidden of events from whoever may not know.
@Suite struct `Masking of events` {
    private func members(_ json: JSON, into found: inout Set<String>) {
        switch json {
        case .object(let members):
            for member in members {
                found.insert(member.key)
                self.members(member.value, into: &found)
            }
        case .array(let values): for value in values { members(value, into: &found) }
        default: break
        }
    }

    /// What `jaga tail --json` and `/v1/tail/…` make of an event.
    private func told(_ event: Event) throws -> JSON {
        try EventCodec.cloudEvent(
            event, stream: .sos, position: Position(incarnation: .zero, sequence: 7, hash: 0))
    }

    @Test func `shows no member that no event has`() throws {
        var found: Set<String> = []
        for event in EventSamples.events { members(try told(event), into: &found) }
        let dead = Masking.harmless.union(Masking.traces).subtracting(found)
        #expect(dead.isEmpty, "\(dead.sorted())")
    }

    @Test func `hides what nobody has decided about, of any form`() {
        let json: JSON = [
            "id": "evt_1", "jagaseq": 7, "absent": .null,
            "data": ["fix": ["bearing": 12.5, "time": "now"], "words": ["a"], "wifi": ["id": 1]],
        ]
        let masked: JSON = [
            "id": "evt_1", "jagaseq": 7, "absent": .null,
            "data": ["fix": ["bearing": "***", "time": "now"], "words": "***", "wifi": "***"],
        ]
        #expect(Masking.mask(json) == masked)
    }

    @Test func `shows the request that Jaga named, not the name that a phone gave it`() {
        let own = ID128(high: 1, low: 2).text
        for member in ["jagatrace", "trace"] {
            for (trace, shown) in [
                (own, own), ("", ""), ("anna-iphone", "***"), (own + "a", "***"),
            ] {
                let json = JSON.object([.init(member, .string(trace))])
                #expect(Masking.mask(json)[member]?.string == shown)
            }
        }
    }

    @Test func `leaves nothing private in any sample`() throws {
        for event in EventSamples.events {
            let text = Masking.mask(try told(event)).text
            for secret in EventSamples.secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }
}
