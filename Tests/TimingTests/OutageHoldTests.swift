import Model
import Testing
import Timing

@Suite struct `An outage hold` {
    private static func at(_ second: Int64) -> Timestamp { Timestamp(seconds: second) }

    /// The items that are held after each was due at its second, in the same second of now.
    private func held(
        _ items: [(item: Int, due: Int64)], at now: Int64, in hold: inout OutageHold<Int>
    ) -> [Int] {
        items.filter { hold.hold($0.item, due: Self.at($0.due), at: Self.at(now)) }.map(\.item)
    }

    private func ended(_ hold: inout OutageHold<Int>, at now: Int64) -> [Int]? {
        hold.end(at: Self.at(now))?.map(\.item)
    }

    private let outage = Outage(from: at(10), until: at(20), holdEnds: at(30))

    @Test func `holds what was due by the end of the outage, until the hold ends`() {
        var hold = OutageHold<Int>(after: outage)
        #expect(hold.isActive(at: Self.at(29)) && !hold.isActive(at: Self.at(30)))
        #expect(hold.covers(Self.at(20)) && !hold.covers(Self.at(21)))
        #expect(held([(1, 20), (2, 5), (3, 21)], at: 21, in: &hold) == [1, 2])
        #expect(held([(4, 5)], at: 30, in: &hold) == [])
        #expect(hold.items.map(\.item) == [2, 1])
        #expect(hold.items.map(\.due) == [Self.at(5), Self.at(20)])
        #expect(hold.count == 2 && hold.ends == Self.at(30))
    }

    @Test func `releases single items`() {
        var hold = OutageHold<Int>(after: outage)
        #expect(held([(1, 12)], at: 20, in: &hold) == [1])
        let due = [hold.remove(1), hold.remove(1)]
        #expect(due == [Self.at(12), nil])
        #expect(hold.count == 0 && hold.ends == nil)
    }

    @Test func `ends once, even if the clock is set back`() {
        var hold = OutageHold<Int>(after: outage)
        #expect(held([(4, 15), (3, 15), (5, 15)], at: 20, in: &hold) == [4, 3, 5])
        #expect(ended(&hold, at: 29) == nil && hold.count == 3)
        #expect(ended(&hold, at: 30) == [3, 4, 5])
        #expect(hold.count == 0 && hold.active == nil && hold.outage == outage)
        #expect(hold.covers(Self.at(20)) && !hold.isActive(at: Self.at(25)))
        #expect(held([(6, 15)], at: 25, in: &hold) == [] && ended(&hold, at: 31) == nil)
    }

    @Test func `holds nothing without an outage`() {
        var hold = OutageHold<Int>()
        #expect(!hold.isActive(at: .zero) && !hold.covers(.zero))
        #expect(held([(1, 0)], at: 0, in: &hold) == [] && ended(&hold, at: 99) == nil)
    }
}
