import Directory
import Model
import TestSupport
import Testing

@Suite struct ReplicaTests {
    @Test func `a token's hash identifies its principal`() {
        let replica = replica(family)
        #expect(replica.principal(tokenHash: "h1", at: .zero) == .device(device(1), of: person(1)))
        #expect(replica.principal(tokenHash: "h3", at: .zero) == .person(person(1)))
        #expect(replica.principal(tokenHash: "h4", at: .zero) == .operator)
        #expect(replica.principal(tokenHash: "h5", at: .zero) == nil)
        #expect(replica.operatorCredentials.map(\.id) == [credential(4)])
    }

    @Test func `an open invitation is not a circle of the person`() {
        let replica = replica(family)
        #expect(replica.circles(of: person(1)) == [circle(1), circle(2)])
        #expect(replica.circles(of: person(2)) == [circle(1)])
        #expect(replica.invitations(of: person(2)) == [circle(2)])
        #expect(replica.circles(of: person(9)).isEmpty)
    }

    @Test func `removing a person removes everything that belongs to them`() {
        var replica = replica(family)
        let steps = replica.apply(.personRemoved(PersonRemoval(person: person(1))))
        #expect(replica.person(person(1)) == nil)
        #expect(replica.device(device(1)) == nil)
        #expect(replica.principal(tokenHash: "h1", at: .zero) == nil)
        #expect(replica.principal(tokenHash: "h3", at: .zero) == nil)
        #expect(replica.zones(of: person(1)).isEmpty)
        #expect(replica.circles(of: person(1)).isEmpty)
        #expect(replica.circle(circle(1))?.members.map(\.person) == [person(2)])
        #expect(replica.circle(circle(1))?.escalation.first?.people == [person(2)])
        #expect(replica.circle(circle(2))?.members.map(\.person) == [person(2)])
        #expect(replica.zones(of: circle(1)).count == 1)
        #expect(
            steps.map(\.kind) == [
                .credentialRemoved, .credentialRemoved, .deviceRemoved, .zoneRemoved,
                .circleChanged, .circleChanged, .personRemoved,
            ])
    }

    @Test func `a removed device is not the primary one any more, and its credential is gone`() {
        var replica = replica(family)
        replica.apply(.deviceRemoved(DeviceRemoval(device: device(1))))
        #expect(replica.person(person(1))?.primaryDevice == nil)
        #expect(replica.principal(tokenHash: "h1", at: .zero) == nil)
        #expect(replica.principal(tokenHash: "h3", at: .zero) == .person(person(1)))
        #expect(replica.devices(of: person(1)).isEmpty)
        #expect(replica.devices(of: person(2)).map(\.id) == [device(2)])
    }

    @Test func `removing a circle removes its zones and no others`() {
        var replica = replica(family)
        replica.apply(.circleRemoved(CircleRemoval(circle: circle(1))))
        #expect(replica.zone(zone(1)) == nil)
        #expect(replica.zone(zone(2)) != nil)
        #expect(replica.zone(zone(3)) != nil)
        #expect(replica.circles(of: person(2)).isEmpty)
    }

    @Test func `a rotated credential is known by its new hash only`() {
        var replica = replica(family)
        replica.apply(aCredential(1, hash: "new", of: 1, device: 1))
        #expect(replica.principal(tokenHash: "h1", at: .zero) == nil)
        #expect(replica.principal(tokenHash: "new", at: .zero) == .device(device(1), of: person(1)))
        #expect(replica.credentials(of: device(1)).map(\.hash) == ["new"])
    }

    @Test func `known events and events of other streams change nothing`() {
        var replica = replica(family)
        let before = replica
        for event in family { #expect(replica.apply(event).isEmpty) }
        let ghost = person(99)
        #expect(replica.apply(.personRemoved(PersonRemoval(person: ghost))).isEmpty)
        #expect(replica.apply(.inputPersonRemoved(PersonRemoval(person: person(1)))).isEmpty)
        #expect(replica == before)
    }

    @Test func `a snapshot builds the same replica, owners before what they own`() {
        let original = replica(family)
        let events = DirectorySnapshot(of: original).events
        #expect(replica(events) == original)
        #expect(events.count == family.count)
        #expect(events.map(\.kind.rawValue) == events.map(\.kind.rawValue).sorted())
        #expect(Replica().isEmpty)
        #expect(!original.isEmpty)
    }

    @Test func `a pause ends automatically`() {
        let end = now + .seconds(60)
        #expect(!Sharing.pausedUntil(end).isOn(at: now))
        #expect(Sharing.pausedUntil(end).isOn(at: end))
        #expect(Sharing.on.isOn(at: now))
        #expect(!Sharing.off.isOn(at: now))
    }
}

/// Random events from a seed.
struct Chance {
    private var generator: SeededGenerator
    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ limit: UInt64) -> UInt64 { generator.next() % limit }

    /// A random event about few entities, so that events collide.
    mutating func event() -> EventBody {
        let number = below(3) + 1
        switch below(11) {
        case 0, 1: return aPerson(number, leading: below(2) == 0 ? device(below(3) + 1) : nil)
        case 2: return aDevice(number, of: below(3) + 1)
        case 3:
            return aCredential(number, hash: "h\(number)-\(below(3))", of: below(3) + 1)
        case 4: return aCircle(number, (1...below(3) + 1).map { member($0, invited: $0 == 2) })
        case 5: return aZone(number, of: .circle(circle(below(3) + 1)))
        case 6: return aZone(number, of: .person(person(below(3) + 1)))
        case 7: return .personRemoved(PersonRemoval(person: person(number)))
        case 8: return .circleRemoved(CircleRemoval(circle: circle(number)))
        case 9: return .deviceRemoved(DeviceRemoval(device: device(number)))
        default: return .credentialRemoved(CredentialRemoval(credential: credential(number)))
        }
    }

    mutating func replica(events: Int) -> Replica {
        var replica = Replica()
        for _ in 0..<events { replica.apply(event()) }
        return replica
    }
}

@Suite struct ReplicaProperties {
    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `the difference of any two replicas turns one into the other`(seed: UInt64) {
        var chance = Chance(seed: seed)
        var old = chance.replica(events: 30)
        let new = chance.replica(events: 30)
        for event in DirectorySnapshot(of: new).difference(from: old) { old.apply(event) }
        #expect(old == new)
        #expect(DirectorySnapshot(of: new).difference(from: new).isEmpty)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `the steps of a change, applied row by row, equal the change`(seed: UInt64) {
        var chance = Chance(seed: seed)
        var whole = chance.replica(events: 30)
        var rows = Set(DirectorySnapshot(of: whole).events)
        for _ in 0..<20 {
            for step in whole.apply(chance.event()) {
                rows = rows.filter { key(of: $0) != key(of: step) }
                if !isRemoval(step) { rows.insert(step) }
            }
            #expect(rows == Set(DirectorySnapshot(of: whole).events))
        }
    }

    private func isRemoval(_ body: EventBody) -> Bool { body.kind.type.hasSuffix("-removed") }

    /// The row that an event changes.
    private func key(of body: EventBody) -> ID128 {
        switch body {
        case .personChanged(let value): value.id.raw
        case .deviceChanged(let value): value.id.raw
        case .credentialChanged(let value): value.id.raw
        case .circleChanged(let value): value.id.raw
        case .zoneChanged(let value): value.id.raw
        case .personRemoved(let value): value.person.raw
        case .deviceRemoved(let value): value.device.raw
        case .credentialRemoved(let value): value.credential.raw
        case .circleRemoved(let value): value.circle.raw
        case .zoneRemoved(let value): value.zone.raw
        default: .zero
        }
    }
}
