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
        let changed = family.visibleChanges(by: aCircle(1, [member(1, .admin)]))
        #expect(
            changed == Self.both(1) + [
                .circleGone(circle(1), for: person(2)), .circleGone(circle(1), for: person(3)),
            ])
        let removed = family.visibleChanges(by: .circleRemoved(CircleRemoval(circle: circle(1))))
        let gone = (UInt64(1)...3).map { VisibleChange.circleGone(circle(1), for: person($0)) }
        #expect(removed == [.circle(circle(1), to: .members)] + gone)
    }

    @Test func `of a person concern circles only by the name`() {
        #expect(
            family.visibleChanges(by: aPerson(1, plan: .paid)) == [.person(person(1))])
        let renamed = EventBody.personChanged(Person(id: person(1), name: "New"))
        #expect(family.visibleChanges(by: renamed) == [.person(person(1))] + Self.both(1))
    }

    @Test func `of zones concern those who see them`() {
        #expect(
            family.visibleChanges(by: .zoneRemoved(ZoneRemoval(zone: zone(1))))
                == [.circle(circle(1), to: .members)])
        #expect(family.visibleChanges(by: .zoneRemoved(ZoneRemoval(zone: zone(2)))) == [])
        #expect(
            family.visibleChanges(by: aZone(3, of: .circle(circle(1))))
                == [.circle(circle(1), to: .members)])
    }

    @Test func `of credentials concern their person`() {
        let removal = { (number: UInt64) in
            EventBody.credentialRemoved(CredentialRemoval(credential: credential(number)))
        }
        #expect(
            family.visibleChanges(by: removal(1))
                == [.person(person(1)), .credentialGone(credential(1), of: person(1))])
        #expect(
            family.visibleChanges(by: removal(2))
                == [.credentialGone(credential(2), of: person(1))])
        #expect(family.visibleChanges(by: removal(9)) == [])
    }

    @Test func `do not exist for devices and repetitions`() {
        #expect(family.visibleChanges(by: aDevice(1, of: 1, platform: .ios)) == [])
        #expect(family.visibleChanges(by: aPerson(1)) == [])
        #expect(family.visibleChanges(by: .personRemoved(PersonRemoval(person: person(9)))) == [])
    }

    @Test func `of a removed person concern their circles`() {
        let changes = family.visibleChanges(
            by: .personRemoved(PersonRemoval(person: person(2))))
        #expect(
            changes == Self.both(1) + [
                .circleGone(circle(1), for: person(2)), .personGone(person(2)),
            ])
    }

    @Test func `of zones change their digest`() {
        var replica = family
        let owner = ZoneOwner.circle(circle(1))
        let before = replica.zonesDigest(of: owner)
        replica.apply(aZone(3, of: owner))
        let more = replica.zonesDigest(of: owner)
        #expect(before != more)
        guard var zone = replica.zone(zone(3)) else { return }
        zone.version += 1
        replica.apply(.zoneChanged(zone))
        #expect(replica.zonesDigest(of: owner) != more)
        replica.apply(.zoneRemoved(ZoneRemoval(zone: zone.id)))
        #expect(replica.zonesDigest(of: owner) == before)
    }
}
