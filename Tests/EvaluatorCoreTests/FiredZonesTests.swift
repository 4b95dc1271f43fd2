import Model
import Testing

@testable import EvaluatorCore

@Suite struct FiredZonesTests {
    private let fix = Fix(time: .zero, position: World.middle)

    private func message(_ number: UInt64) -> MessageID { MessageID(ID128(high: 6, low: number)) }

    @Test func `zones that fire together give one list, each message once`() {
        var fired = FiredZones()
        fired.add(.alarming(2, priority: 9), .enter, messages: [message(7), message(3)])
        fired.add(.alarming(1, priority: 50), .enter, messages: [message(3)])
        fired.add(.alarming(4, priority: 9, name: "A"), .exit, messages: [message(1)])
        let due = fired.take(of: World.person, fix: fix)
        #expect(due?.person == World.person)
        #expect(due?.zones.map(\.raw.low) == [4, 2, 1])
        #expect(due?.zoneNames == ["A", "Zone 2", "Zone 1"])
        #expect(due?.transitions == [.exit, .enter, .enter])
        #expect(due?.messages == [message(1), message(3), message(7)])
        #expect(due?.fix == fix)
        // Told once.
        #expect(fired.take(of: World.person, fix: fix) == nil)
    }

    @Test func `zones without messages say nothing, and a zone that fires twice is one`() {
        var fired = FiredZones()
        fired.add(.alarming(1), .enter, messages: [])
        #expect(fired.take(of: World.person, fix: fix) == nil)
        fired.add(.alarming(2), .enter, messages: [message(1)])
        fired.add(.alarming(2), .enter, messages: [message(1)])
        #expect(fired.take(of: World.person, fix: fix)?.zones.count == 1)
    }
}
