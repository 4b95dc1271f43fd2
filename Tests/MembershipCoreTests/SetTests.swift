import Directory
import MembershipCore
import Model
import Testing

private func set(_ number: Int) -> ZoneSetID { ZoneSetID(ID128(high: 7, low: UInt64(number))) }

@Suite struct SetTests {
    private let scene = Scene(circle: true)
    private let floods = ZoneOwner.set(set(1))

    init() {
        scene.ask(.operator, .createSet(set(1), name: "Floods"))
        scene.ask(.operator, .createZone(floods, zone(1), zonePatch("River")))
    }

    private var family: Circle? { scene.family }

    @Test func `sets are the operator's, and an admin subscribes`() {
        #expect(scene.ask(anna, .createSet(set(2), name: "Mine")).denial == .operatorOnly)
        #expect(scene.ask(anna, .updateSet(set(1), name: "Mine")).denial == .operatorOnly)
        #expect(scene.ask(anna, .removeSet(set(1))).denial == .operatorOnly)
        let create = Change.createZone(floods, zone(2), zonePatch("Lake"))
        #expect(scene.ask(anna, create).denial == .operatorOnly)
        #expect(scene.ask(ben, .subscribe(circle(1), set(1))).denial == .roleTooLow)
        let version = family?.version ?? 0
        #expect(
            scene.ask(anna, ifVersion: version, .subscribe(circle(1), set(1))).circle?.sets
                == [set(1)])
        #expect(family?.version == version + 1)
        #expect(scene.core.directory.sets(applyingTo: person(3)) == [set(1)])
        // A second subscription changes nothing.
        #expect(scene.ask(anna, .subscribe(circle(1), set(1))).circle?.version == version + 1)
        #expect(scene.ask(anna, .subscribe(circle(1), set(9))).rejection?.reason == .missing)
        #expect(scene.ask(ben, .unsubscribe(circle(1), set(1))).denial == .roleTooLow)
        #expect(scene.ask(anna, .unsubscribe(circle(1), set(1))).circle?.sets.isEmpty == true)
    }

    @Test func `removing a set removes its zones and subscriptions`() {
        scene.ask(anna, .subscribe(circle(1), set(1)))
        let version = family?.version ?? 0
        #expect(scene.ask(.operator, .removeSet(set(1))) == .gone)
        #expect(family?.sets.isEmpty == true)
        #expect(family?.version == version + 1)
        #expect(scene.core.directory.zone(zone(1)) == nil)
        #expect(scene.published.last == .setRemoved(SetRemoval(set: set(1))))
    }

    @Test func `a set is renamed under a new version`() {
        guard case .set(let renamed) = scene.ask(.operator, .updateSet(set(1), name: "Rivers"))
        else {
            Issue.record("no set")
            return
        }
        #expect(renamed == ZoneSet(id: set(1), name: "Rivers", version: 2))
        let stale = scene.ask(.operator, ifVersion: 1, .updateSet(set(1), name: "X"))
        #expect(stale.rejection?.reason == .outdated)
    }

    @Test func `one command creates up to 10,000 zones of a set`() {
        let zones = (2...Limits.zonesPerSetMax).map {
            NewZone(id: zone($0), patch: zonePatch("Z"))
        }
        let more = zones + [NewZone(id: zone(99_999), patch: zonePatch("Z"))]
        #expect(scene.ask(.operator, .createZones(floods, more)).rejection?.reason == .conflict)
        #expect(scene.core.directory.zones(of: floods).count == 1)
        #expect(scene.ask(.operator, .createZones(floods, zones)).rejection == nil)
        #expect(scene.core.directory.zones(of: floods).count == 10_000)
    }

    @Test func `a zone of a set has few vertices, a role audience and no messages`() {
        let large = zonePatch("Z", vertices: Limits.verticesPerZoneOfSetMax + 1)
        #expect(
            scene.ask(.operator, .createZone(floods, zone(2), large)).rejection?.field == "geometry"
        )
        let restricted = zonePatch("Z") {
            $0.audience = ZoneAudience(roles: [], people: [person(1)])
        }
        #expect(
            scene.ask(.operator, .createZone(floods, zone(2), restricted)).rejection?.field
                == "properties.audience.people")
        let texts = zonePatch("Z") { $0.messages = [message(1)] }
        #expect(
            scene.ask(.operator, .createZone(floods, zone(2), texts)).rejection?.field
                == "properties.messages")
    }
}

@Suite struct PrivateZoneTests {
    private let scene = Scene(circle: true)
    private let own = ZoneOwner.person(person(3))

    @Test func `only its person has access to a private zone`() {
        let create = Change.createZone(own, zone(1), zonePatch("Dairy"))
        for principal in [anna, ben, .operator] {
            #expect(scene.ask(principal, create).denial == .notYours)
        }
        #expect(scene.ask(citra, create).zone?.owner == own)
        let none = Change.createZone(.person(person(9)), zone(2), zonePatch("Z"))
        #expect(scene.ask(citra, none).denial == .notYours, "as if it were somebody else's")
        let restricted = zonePatch("Z") { $0.audience = ZoneAudience() }
        #expect(
            scene.ask(citra, .createZone(own, zone(2), restricted)).rejection?.field
                == "properties.audience")
    }

    @Test func `the plan limits private zones`() {
        let limit = Limits.allowance(of: .trial).privateZones
        let zones = (1...limit).map { NewZone(id: zone($0), patch: zonePatch("Z")) }
        #expect(scene.ask(citra, .createZones(own, zones)).rejection == nil)
        let rejection = scene.ask(citra, .createZone(own, zone(99), zonePatch("Z"))).rejection
        #expect(rejection?.detail == "no more than 20 zones of a person are allowed")
        scene.ask(.operator, .updatePerson(person(3), personPatch { $0.plan = .paid }))
        #expect(scene.ask(citra, .createZone(own, zone(99), zonePatch("Z"))).rejection == nil)
    }

    @Test func `an adult opts out of an applicable zone and in again`() {
        scene.ask(anna, .createZone(.circle(circle(1)), zone(1), zonePatch("Pub")))
        #expect(scene.ask(anna, .optOut(person(3), zone(1))).denial == .notYours)
        #expect(scene.ask(.operator, .optOut(person(3), zone(1))).denial == .notYours)
        #expect(scene.ask(citra, .optOut(person(3), zone(9))).rejection?.reason == .missing)
        let version = scene.core.directory.person(person(3))?.version ?? 0
        #expect(scene.ask(citra, .optOut(person(3), zone(1))) == .gone)
        #expect(scene.core.directory.person(person(3))?.zoneOptOuts == [zone(1)])
        #expect(scene.core.directory.person(person(3))?.version == version + 1)
        #expect(scene.ask(citra, .optOut(person(3), zone(1))) == .gone)
        #expect(scene.published.isEmpty)
        #expect(scene.ask(citra, .optIn(person(3), zone(1))) == .gone)
        #expect(scene.core.directory.person(person(3))?.zoneOptOuts == [])
    }

    @Test func `opting out of a foreign zone or an own zone is rejected`() {
        scene.ask(.operator, .createCircle(circle(2), circlePatch { $0.name = "Others" }))
        scene.ask(.operator, .createZone(.circle(circle(2)), zone(1), zonePatch("Theirs")))
        scene.ask(citra, .createZone(own, zone(2), zonePatch("Mine")))
        #expect(scene.ask(citra, .optOut(person(3), zone(1))).rejection?.reason == .missing)
        #expect(scene.ask(citra, .optOut(person(3), zone(2))).rejection?.reason == .conflict)
    }

    @Test func `opt-outs of removed zones are dropped`() {
        for number in 1...2 {
            scene.ask(anna, .createZone(.circle(circle(1)), zone(number), zonePatch("Z")))
        }
        scene.ask(citra, .optOut(person(3), zone(1)))
        scene.ask(anna, .removeZone(.circle(circle(1)), zone(1)))
        scene.ask(citra, .optOut(person(3), zone(2)))
        #expect(scene.core.directory.person(person(3))?.zoneOptOuts == [zone(2)])
    }
}
