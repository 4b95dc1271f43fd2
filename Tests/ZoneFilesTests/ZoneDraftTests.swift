import Model
import Parsing
import Testing
import ZoneFiles

@Suite struct `A draft of a zone` {
    private static let circle = ZoneShape.circle(center: coordinate(1, 2), radiusCentimetres: 500)
    private let zone = Zone(
        id: ZoneID(ID128(high: 1, low: 2)), owner: .circle(CircleID(ID128(high: 3, low: 4))),
        name: "n", shape: circle,
        prepared: PreparedGeometry(
            origin: coordinate(1, 2), coefficients: [], radiusCentimetres: 500, polygons: [],
            inradiusCentimetres: 500, reachCentimetres: 500))

    @Test func `specifies transitions only if other fields do not imply them`() {
        #expect(ZoneDraft(zone).transitions == nil)
        var near = zone
        near.alertDistanceMetres = 50
        near.dwellSeconds = 60
        #expect(ZoneDraft(near).transitions == [.enter, .exit])
        near.transitions = [.dwell, .approach, .exit, .enter]
        #expect(ZoneDraft(near).transitions == nil)
        near.absentByMinute = 480
        #expect(ZoneDraft(near).transitions?.count == 4)
        near.transitions.append(.absent)
        #expect(ZoneDraft(near).transitions == nil)
    }

    @Test func `reports the transitions that its fields imply`() throws {
        var draft = ZoneDraft(name: "n", shape: Self.circle)
        let none = try ZoneTimes([], at: "properties")
        #expect(draft.effectiveTransitions(none) == [.enter, .exit])
        draft.alertDistanceMetres = 5
        draft.dwellSeconds = 5
        #expect(draft.effectiveTransitions(none) == [.enter, .exit, .approach, .dwell])
        let late = try ZoneTimes([JSON.Member("absentBy", "08:00")], at: "properties")
        #expect(draft.effectiveTransitions(late).last == .absent)
        draft.transitions = []
        #expect(draft.effectiveTransitions(late).isEmpty)
    }
}
