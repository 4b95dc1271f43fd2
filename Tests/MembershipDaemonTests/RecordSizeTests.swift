import MembershipCore
import Model
import Parsing
import Testing
import Wire

/// The largest things that the limits let through still fit into one record of a stream.
@Suite struct RecordSizeTests {
    private let far = Coordinate(latitudeE7: -899_999_999, longitudeE7: -1_799_999_999)

    private func size(_ body: EventBody) throws -> Int {
        let event = Event(
            id: EventID(.zero), time: .distantFuture, trace: String(repeating: "t", count: 64),
            body: body)
        return try EventCodec.encode(event).payload.count
    }

    private func name(_ count: Int) -> String { String(repeating: "😀", count: count) }

    private func zone(vertices: Int) -> Zone {
        let offset = VertexOffset(longitudeE7: -179_999_999, latitudeE7: -179_999_999)
        return Zone(
            id: ZoneID(.zero), owner: .circle(CircleID(.zero)),
            name: name(Limits.nameCharactersMax), category: name(Limits.categoryCharactersMax),
            shape: .polygons([Polygon(outer: Array(repeating: far, count: vertices))]),
            prepared: PreparedGeometry(
                origin: far, coefficients: Array(repeating: .min, count: 8),
                radiusCentimetres: .max,
                polygons: [[Array(repeating: offset, count: vertices)]],
                inradiusCentimetres: .max, reachCentimetres: .max), version: .max)
    }

    @Test func `the largest zone`() throws {
        #expect(try size(.zoneChanged(zone(vertices: 10_000))) < WireLimits.recordBytesMax - 64)
    }

    @Test func `the largest circle`() throws {
        let member = Membership(
            person: PersonID(.zero), role: .guardian, joined: .distantFuture,
            sharing: .pausedUntil(.distantFuture), trackerID: "AA")
        let tier = EscalationTier(
            roles: Role.allCases,
            people: Array(repeating: PersonID(.zero), count: Limits.escalationPeopleMax))
        let circle = Circle(
            id: CircleID(.zero), name: name(Limits.nameCharactersMax),
            members: Array(repeating: member, count: Limits.suite.members),
            escalation: Array(repeating: tier, count: Limits.escalationTiersMax))
        #expect(try size(.circleChanged(circle)) < WireLimits.recordBytesMax - 64)
    }

    @Test func `the largest circle with all its zones, as evaluators get it`() throws {
        let vertices = Limits.verticesPerCircleMax / Limits.suite.zones
        let placed = PlacedZone(zone(vertices: vertices))
        let circle = PlacedCircle(
            circle: CircleID(.zero), zones: Array(repeating: placed, count: Limits.suite.zones))
        #expect(try size(.inputCircle(circle)) < WireLimits.recordBytesMax - 64)
    }
}
