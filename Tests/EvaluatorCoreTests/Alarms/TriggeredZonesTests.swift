import Model
import Testing

@testable import EvaluatorCore

@Suite struct TriggeredZonesTests {
    private let fix = Fix(time: .zero, position: World.middle)

    private func message(_ number: UInt64) -> MessageID { MessageID(ID128(high: 6, low: number)) }

    @Test func `zones triggered together give one list with each message once`() {
        var expired = TriggeredZones()
        expired.add(.alarming(2, priority: 9), .enter, messages: [message(7), message(3)])
        expired.add(.alarming(1, priority: 50), .enter, messages: [message(3)])
        expired.add(.alarming(4, priority: 9, name: "A"), .exit, messages: [message(1)])
        let due = expired.drain(for: World.person, fix: fix)
        #expect(due?.person == World.person)
        #expect(due?.zones.map(\.raw.low) == [4, 2, 1])
        #expect(due?.zoneNames == ["A", "Zone 2", "Zone 1"])
        #expect(due?.transitions == [.exit, .enter, .enter])
        #expect(due?.messages == [message(1), message(3), message(7)])
        #expect(due?.fix == fix)
        // Reported once.
        #expect(expired.drain(for: World.person, fix: fix) == nil)
    }

    @Test func `zones without messages are skipped, and a zone triggered twice counts once`() {
        var expired = TriggeredZones()
        expired.add(.alarming(1), .enter, messages: [])
        #expect(expired.drain(for: World.person, fix: fix) == nil)
        expired.add(.alarming(2), .enter, messages: [message(1)])
        expired.add(.alarming(2), .enter, messages: [message(1)])
        #expect(expired.drain(for: World.person, fix: fix)?.zones.count == 1)
    }
}
