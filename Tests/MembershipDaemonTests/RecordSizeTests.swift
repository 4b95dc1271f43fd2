import DirectoryViews
import Model
import Parsing
import Testing
import Wire
import ZoneFiles

@testable import MembershipCore

/// The largest entities within the limits fit into one record of a stream.
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
            name: name(Limits.nameCharactersMax), category: name(ZoneLimits.categoryCharactersMax),
            shape: .polygons([Polygon(outer: Array(repeating: far, count: vertices))]),
            prepared: PreparedGeometry(
                origin: far, coefficients: Array(repeating: .min, count: 8),
                radiusCentimetres: .max,
                polygons: [[Array(repeating: offset, count: vertices)]],
                inradiusCentimetres: .max, reachCentimetres: .max), version: .max)
    }

    @Test func `the largest zone`() throws {
        var zone = scheduled
        zone.shape = self.zone(vertices: 10_000).shape
        zone.prepared = self.zone(vertices: 10_000).prepared
        zone.audience = ZoneAudience(
            roles: Role.allCases,
            people: Array(repeating: PersonID(.zero), count: ZoneLimits.audiencePeopleMax))
        zone.extra = Array(
            repeating: name(ZoneLimits.extraCharactersMax), count: ZoneLimits.extraRowsMax)
        #expect(try size(.zoneChanged(zone)) < WireLimits.recordBytesMax - 64)
    }

    @Test func `the largest circle`() throws {
        let withheld = Limits.withheldPerCircleMax / Limits.suite.members
        let member = Membership(
            person: PersonID(.zero), role: .guardian, joined: .distantFuture,
            sharing: .pausedUntil(.distantFuture), trackerID: "AA", managed: true,
            membersSee: false, agreedHistoryDays: FieldLimits.historyDays.upperBound,
            withheldFrom: Array(repeating: PersonID(.zero), count: withheld))
        let tier = EscalationTier(
            roles: Role.allCases,
            people: Array(repeating: PersonID(.zero), count: Limits.escalationPeopleMax))
        let circle = Circle(
            id: CircleID(.zero), name: name(Limits.nameCharactersMax),
            members: Array(repeating: member, count: Limits.suite.members),
            escalation: Array(repeating: tier, count: Limits.escalationTiersMax))
        #expect(try size(.circleChanged(circle)) < WireLimits.recordBytesMax - 64)
    }

    @Test func `the largest circle with all its zones for evaluators`() throws {
        let points = Limits.verticesPerOwnerMax / Limits.suite.zones
        for zone in [
            zone(vertices: points), zone(vertices: 10_000), zone(vertices: 0), scheduled,
        ] {
            var load = ZoneLoad(of: .circle(CircleID(.zero)), [])
            var zones: [ConfiguredZone] = []
            while zones.count < Limits.suite.zones, load.add(zone) == nil {
                zones.append(ConfiguredZone(zone))
            }
            #expect(zones.count > 1)
            let circle = ConfiguredCircle(circle: CircleID(.zero), zones: zones)
            #expect(try size(.inputCircle(circle)) < WireLimits.recordBytesMax - 64)
        }
    }

    /// A page has about 20 zones, many of which may have the maximum size.
    @Test func `a page of a set`() throws {
        for zone in [zone(vertices: Limits.verticesPerZoneOfSetMax), scheduled] {
            var load = ZoneLoad(of: .set(ZoneSetID(.zero)), [])
            #expect(load.add(zone) == nil)
            let page = ConfiguredSet(
                set: ZoneSetID(.zero), page: 511,
                zones: Array(repeating: ConfiguredZone(zone), count: 50))
            #expect(try size(.inputSet(page)) < WireLimits.recordBytesMax - 64)
        }
        var load = ZoneLoad(of: .set(ZoneSetID(.zero)), [])
        let large = zone(vertices: Limits.verticesPerZoneOfSetMax + 1)
        #expect(load.add(large)?.field == "geometry")
    }

    /// All fields but the outline.
    private var scheduled: Zone {
        var zone = zone(vertices: 0)
        zone.clock = ZoneClock(
            timeZone: "America/Argentina/ComodRivadavia", firstOffset: -43_200,
            offsets: Array(
                repeating: ZoneOffset(at: -10_000_000_000, offset: -43_200), count: 28))
        zone.schedule = ZoneSchedule(
            windows: Array(
                repeating: ZoneWindow(start: 10_079, end: 11_519),
                count: ZoneLimits.scheduleWindowsMax),
            exceptions: Array(repeating: -100_000, count: ZoneLimits.scheduleExceptionsMax))
        zone.absentByMinute = 1439
        zone.alertDistanceMetres = ZoneLimits.alertDistanceMetresMax
        zone.dwellSeconds = ZoneLimits.dwellSecondsMax
        zone.transitions = Transition.allCases
        zone.alarm = ZoneAlarm(
            sound: name(ZoneLimits.soundCharactersMax), cycleSeconds: 3600, sleepSeconds: 86_400)
        zone.messages = Array(repeating: MessageID(.zero), count: ZoneLimits.messagesMax)
        return zone
    }
}
