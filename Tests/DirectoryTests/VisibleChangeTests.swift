import Directory
import Model
import Testing

/// What an event changes for whom.
@Suite struct `Visible changes` {
    private var family: Replica {
        var replica = Replica()
        for event in [
            aPerson(1), aPerson(2), aPerson(3), aDevice(1, of: 1),
            aCredential(1, hash: "h1", of: 1), aCredential(2, hash: "h2", of: 1, device: 1),
            aCircle(1, [member(1, .admin), member(2), member(3, invited: true)]),
            aZone(1, of: .circle(circle(1))), aZone(2, of: .person(person(1))),
        ] {
            replica.apply(event)
        }
        return replica
    }

    private static func both(_ number: UInt64) -> [VisibleChange] {
        [.circle(circle(number), to: .members), .circle(circle(number), to: .invited)]
    }

    @Test func `of a circle concern its people, and those who lose it`() {
        let changed = VisibleChange.changes(by: aCircle(1, [member(1, .admin)]), in: family)
        #expect(
            changed == Self.both(1) + [
                .circleGone(circle(1), for: person(2)), .circleGone(circle(1), for: person(3)),
            ])
        let removed = VisibleChange.changes(
            by: .circleRemoved(CircleRemoval(circle: circle(1))), in: family)
        let gone = (UInt64(1)...3).map { VisibleChange.circleGone(circle(1), for: person($0)) }
        #expect(removed == [.circle(circle(1), to: .members)] + gone)
    }

    @Test func `of a person concern circles only by the name`() {
        #expect(
            VisibleChange.changes(by: aPerson(1, plan: .paid), in: family) == [.person(person(1))])
        let renamed = EventBody.personChanged(Person(id: person(1), name: "New"))
        #expect(
            VisibleChange.changes(by: renamed, in: family) == [.person(person(1))] + Self.both(1))
    }

    @Test func `of zones concern those who see them`() {
        #expect(
            VisibleChange.changes(by: .zoneRemoved(ZoneRemoval(zone: zone(1))), in: family)
                == [.circle(circle(1), to: .members)])
        #expect(
            VisibleChange.changes(by: .zoneRemoved(ZoneRemoval(zone: zone(2))), in: family) == [])
        #expect(
            VisibleChange.changes(by: aZone(3, of: .circle(circle(1))), in: family)
                == [.circle(circle(1), to: .members)])
    }

    @Test func `of credentials concern their person`() {
        let removal = { (number: UInt64) in
            EventBody.credentialRemoved(CredentialRemoval(credential: credential(number)))
        }
        #expect(
            VisibleChange.changes(by: removal(1), in: family)
                == [.person(person(1)), .credentialGone(credential(1), of: person(1))])
        #expect(
            VisibleChange.changes(by: removal(2), in: family)
                == [.credentialGone(credential(2), of: person(1))])
        #expect(VisibleChange.changes(by: removal(9), in: family) == [])
    }

    @Test func `do not exist for devices and repetitions`() {
        #expect(VisibleChange.changes(by: aDevice(1, of: 1, platform: .ios), in: family) == [])
        #expect(VisibleChange.changes(by: aPerson(1), in: family) == [])
        #expect(
            VisibleChange.changes(by: .personRemoved(PersonRemoval(person: person(9))), in: family)
                == [])
    }

    @Test func `of a removed person concern their circles`() {
        let changes = VisibleChange.changes(
            by: .personRemoved(PersonRemoval(person: person(2))), in: family)
        #expect(
            changes == Self.both(1) + [
                .circleGone(circle(1), for: person(2)), .personGone(person(2)),
            ])
    }

    @Test func `of zones change their digest`() {
        var replica = family
        let owner = ZoneOwner.circle(circle(1))
        let before = replica.zones.digest(of: owner)
        replica.apply(aZone(3, of: owner))
        let more = replica.zones.digest(of: owner)
        #expect(before != more)
        guard var zone = replica.zone(zone(3)) else { return }
        zone.version += 1
        replica.apply(.zoneChanged(zone))
        #expect(replica.zones.digest(of: owner) != more)
        replica.apply(.zoneRemoved(ZoneRemoval(zone: zone.id)))
        #expect(replica.zones.digest(of: owner) == before)
    }
}
