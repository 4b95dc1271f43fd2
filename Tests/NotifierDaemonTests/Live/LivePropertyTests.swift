import Directory
import DirectoryViews
import Hashing
import Model
import Parsing
import TestSupport
import Testing

@testable import NotifierDaemon

/// Apps that lose their connections at every point, against snapshots.
@Suite struct `Live streams of random changes` {
    @Test(arguments: UInt64(1)...16)
    func `lead to the state of a snapshot, and show nothing else`(seed: UInt64) throws {
        let world = try RandomDirectory(seed: seed)
        let host = world.host
        let clients = (UInt64(1)...4).map { LiveClient(host, $0) }
        for client in clients {
            try client.readSnapshot()
            try client.connect(isFresh: true)
        }
        for _ in 0..<80 {
            try world.change()
            try world.check(clients)
            if world.chance(1, in: 30) {
                for client in clients { client.disconnect() }
                try host.restart()
            }
            if world.chance(1, in: 40) { try world.rollBack() }
            try world.check(clients)
            for client in clients { try step(client, world) }
            try world.check(clients)
        }
        for client in clients {
            if client.request.map({ host.isCut($0) }) ?? true {
                client.disconnect()
                try client.connect()
            }
            try host.turn { _ in }
            try client.receive()
            #expect(client.view == OwnView(of: client.person, in: host.replica))
            #expect(client.resets == 0)
        }
    }

    /// Reads some events, and perhaps loses the connection or returns.
    private func step(_ client: LiveClient, _ world: RandomDirectory) throws {
        guard let request = client.request else {
            if world.chance(1, in: 3) { try client.connect() }
            return
        }
        switch world.number(below: 6) {
        case 0: break
        case 1:
            try client.receive(world.number(below: 3))
            client.disconnect()
        default: try client.receive()
        }
        if world.host.isCut(request) { client.disconnect() }
    }
}

/// A directory that changes at random. Nobody is removed, so that everybody keeps a stream.
final class RandomDirectory {
    let host: TestHost
    private var generator: SeededGenerator
    private var created: UInt64 = 0
    /// How many steps of a response were checked.
    private var checked: [UInt64: Int] = [:]

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        host = try TestHost()
        _ = try host.messageKey.loadOrCreate()
        try host.change(.personChanged(Person(id: person(9), name: "Nobody")))
    }

    func number(below end: Int) -> Int { Int.random(in: 0..<end, using: &generator) }
    func chance(_ count: Int, in total: Int) -> Bool { number(below: total) < count }

    /// Makes one or several changes in one turn.
    func change() throws {
        try host.turn { service in
            for _ in 0...number(below: 3) {
                let time = host.now + .milliseconds(1)
                host.now = time
                try host.apply([next()], at: time, to: service)
            }
        }
    }

    /// Checks that everything sent since the last call is what each person sees now: nothing else
    /// may ever be sent.
    func check(_ clients: [LiveClient]) throws {
        for client in clients {
            guard let request = client.request else { continue }
            let steps = host.steps[request] ?? []
            for case .piece(let bytes) in steps.dropFirst(checked[request] ?? 0) {
                for event in ReceivedEvent.all(in: String(decoding: bytes, as: UTF8.self)) {
                    try check(event, of: client.person)
                }
            }
            checked[request] = steps.count
        }
    }

    private func check(_ event: ReceivedEvent, of person: PersonID) throws {
        let data = try JSON.parse(Array(event.data.utf8))
        let now = OwnView(of: person, in: host.replica)
        switch event.name {
        case "circle":
            let circle = try #require(data["circle"])
            #expect(now.circles[circle["id"]?.string ?? ""] == circle)
        case "circle-gone": #expect(now.circles[data["id"]?.string ?? ""] == nil)
        case "person": #expect(data["person"] == now.person)
        case "credential-gone":
            let id = try #require(CredentialID(data["id"]?.string ?? ""))
            #expect(host.replica.credential(id)?.person != person)
        default: Issue.record("an unknown kind: \(event.name)")
        }
    }

    /// Makes changes in a turn that is rolled back.
    func rollBack() throws {
        try host.rolledBackTurn { service in
            try host.apply([next()], at: host.now + .milliseconds(1), to: service)
            try service.tick()
        }
        try host.turn { _ in }
    }

    private func next() -> EventBody {
        let person = NotifierDaemonTests.person(UInt64(1 + number(below: 4)))
        let circles = host.replica.sortedCircles
        let circle = circles[number(below: circles.count)]
        created += 1
        switch number(below: 13) {
        case 0: return renamed(person)
        case 1:
            var changed = host.replica.person(person)!
            changed.locale = "l\(created)"
            changed.version += 1
            return .personChanged(changed)
        case 2:
            return .credentialChanged(
                Credential(
                    id: CredentialID(ID128(high: 70, low: created % 5)), hash: "h\(created % 5)",
                    kind: .session, person: person, created: noon))
        case 3:
            let id = CredentialID(ID128(high: 70, low: UInt64(number(below: 5))))
            return .credentialRemoved(CredentialRemoval(credential: id))
        case 4, 5: return changed(circle) { self.toggle(person, in: &$0) }
        case 6: return changed(circle) { $0.name = "C\(self.created)" }
        case 7:
            return changed(circle) {
                guard let index = $0.members.indices.randomElement(using: &self.generator) else {
                    return
                }
                $0.members[index].sharing = self.chance(1, in: 2) ? .on : .off
            }
        case 8: return zone(of: .circle(circle.id))
        case 9: return zone(of: .person(person))
        case 10:
            guard let zone = host.replica.sortedZones.randomElement(using: &generator) else {
                return renamed(person)
            }
            return .zoneRemoved(ZoneRemoval(zone: zone.id))
        case 11 where circles.count < 6:
            let id = CircleID(ID128(high: 33, low: created))
            return .circleChanged(
                Circle(id: id, name: "C\(created)", members: [member(person, joined: true)]))
        case 11 where circles.count > 2:
            return .circleRemoved(CircleRemoval(circle: circle.id))
        default:
            return .deviceChanged(
                Device(
                    id: DeviceID(ID128(high: 2, low: created % 7)), person: person,
                    name: "D\(created)"))
        }
    }

    private func renamed(_ id: PersonID) -> EventBody {
        var changed = host.replica.person(id)!
        changed.name = "N\(created)"
        changed.version += 1
        return .personChanged(changed)
    }

    private func changed(_ circle: Circle, _ change: (inout Circle) -> Void) -> EventBody {
        var circle = circle
        change(&circle)
        circle.version += 1
        return .circleChanged(circle)
    }

    /// Invites, joins or removes a person.
    private func toggle(_ person: PersonID, in circle: inout Circle) {
        guard let index = circle.members.firstIndex(where: { $0.person == person }) else {
            return circle.members.append(member(person, joined: chance(1, in: 2)))
        }
        if circle.members[index].joined == nil, chance(2, in: 3) {
            circle.members[index].joined = noon
        } else {
            circle.members.remove(at: index)
        }
    }

    private func member(_ person: PersonID, joined: Bool) -> Membership {
        Membership(
            person: person, role: .member, joined: joined ? noon : nil, trackerID: "T\(created)")
    }

    private func zone(of owner: ZoneOwner) -> EventBody {
        var zone = host.replica.zone(ZoneID(.zero)) ?? prototype
        zone.owner = owner
        zone.id = ZoneID(ID128(high: 55, low: created % 20))
        zone.version = Int64(created)
        return .zoneChanged(zone)
    }

    private var prototype: Zone {
        let place = TestHost.fix.position
        return Zone(
            id: ZoneID(.zero), owner: .circle(family), name: "Z",
            shape: .circle(center: place, radiusCentimetres: 20_000),
            prepared: PreparedGeometry(
                origin: place, coefficients: [], radiusCentimetres: 20_000, polygons: [],
                inradiusCentimetres: 20_000, reachCentimetres: 20_000))
    }
}
