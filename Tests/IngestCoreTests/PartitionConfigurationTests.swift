import Directory
import Hashing
import Model
import TestSupport
import Testing

@testable import IngestCore

/// What evaluators know of the configuration after reading `in/p`, and whether it came in order.
struct Configured: Equatable {
    struct Share: Equatable {
        var circles: [CircleID: ConfiguredCircle] = [:]
        var people: [PersonID: ConfiguredPerson] = [:]
        /// Pages with zones.
        var sets: [ZoneSetID: [Int: ConfiguredSet]] = [:]

        mutating func forgetEmptySets() { sets = sets.filter { !$0.value.isEmpty } }
    }

    var shares: [Partition: Share] = [:]

    /// What it should be.
    init(_ directory: Replica, first: Table<PersonID, DeviceID>) {
        for person in directory.sortedPeople {
            let circles = directory.circles(of: person.id)
            let partition = Partition.of(person.id)
            shares[partition, default: Share()].people[person.id] = ConfiguredPerson(
                person: person.id,
                primaryDevice: directory.primaryDevice(of: person.id, first: first[person.id]),
                circles: circles, zones: directory.zones(of: person.id).map { ConfiguredZone($0) },
                sets: directory.sets(applyingTo: person.id),
                unshared: circles.compactMap { circle in
                    switch directory.circle(circle)?.member(person.id)?.sharing {
                    case .off: UnsharedCircle(circle: circle)
                    case .pausedUntil(let end): UnsharedCircle(circle: circle, until: end)
                    default: nil
                    }
                }, zoneOptOuts: person.zoneOptOuts)
            for set in directory.sets(applyingTo: person.id) {
                let pages = Dictionary(grouping: directory.zones(of: set)) {
                    ConfiguredSet.page(of: $0.id)
                }
                shares[partition, default: Share()].sets[set] = Dictionary(
                    uniqueKeysWithValues: pages.map { page, zones in
                        let zones = zones.map { ConfiguredZone($0) }
                        return (page, ConfiguredSet(set: set, page: page, zones: zones))
                    })
            }
            for circle in circles {
                shares[partition, default: Share()].circles[circle] = ConfiguredCircle(
                    circle: circle, zones: directory.zones(of: circle).map { ConfiguredZone($0) })
            }
        }
        for partition in shares.keys {
            shares[partition]?.forgetEmptySets()
        }
    }

    /// What the records say.
    init(_ input: [(partition: Partition, event: Event)]) {
        for (partition, event) in input {
            apply(event.body, to: &shares[partition, default: Share()])
        }
        for partition in shares.keys {
            shares[partition]?.forgetEmptySets()
        }
        shares = shares.filter {
            !$0.value.circles.isEmpty || !$0.value.people.isEmpty || !$0.value.sets.isEmpty
        }
    }

    private func apply(_ body: EventBody, to share: inout Share) {
        switch body {
        case .inputCircle(let circle):
            #expect(share.circles[circle.circle] != circle, "only differences")
            share.circles[circle.circle] = circle
        case .inputPerson(let person):
            #expect(share.people[person.person] != person, "only differences")
            #expect(person.circles.allSatisfy { share.circles[$0] != nil }, "circles first")
            share.people[person.person] = person
        case .inputPersonRemoved(let removal):
            #expect(share.people[removal.person] != nil)
            share.people[removal.person] = nil
        case .inputCircleRemoved(let removal):
            #expect(share.circles[removal.circle] != nil)
            let isUsed = share.people.values.contains { $0.circles.contains(removal.circle) }
            #expect(!isUsed, "a circle leaves after the last of its members")
            share.circles[removal.circle] = nil
        case .inputSet(let page):
            #expect(share.sets[page.set]?[page.page] != page, "only differences")
            #expect(!page.zones.isEmpty || share.sets[page.set]?[page.page] != nil)
            share.sets[page.set, default: [:]][page.page] = page.zones.isEmpty ? nil : page
        case .inputSetRemoved(let removal):
            let isUsed = share.people.values.contains { $0.sets.contains(removal.set) }
            #expect(!isUsed, "a set leaves after the last person to whom it applies")
            share.sets[removal.set] = nil
        default: break
        }
    }
}

extension Bench {
    var placed: Configured { Configured(input) }
    var wanted: Configured { Configured(directory, first: core.reports.firstDevices) }
}

@Suite struct PartitionConfigurationTests {
    @Test func `all people are distributed once with their circles`() {
        var bench = Bench()
        #expect(bench.placed == bench.wanted)
        #expect(bench.bodies(.inputPerson).count == 5)
        let count = bench.input.count
        bench.restart()
        bench.endTurns()
        #expect(bench.input.count == count)
    }

    @Test func `an invitation distributes nothing, its acceptance does`() {
        var bench = Bench()
        let count = bench.input.count
        bench.change(aCircle(2, [member(4, .admin), member(1), member(5, invited: true)]))
        bench.endTurns()
        #expect(bench.input.count == count)
        bench.change(aCircle(2, [member(4, .admin), member(1), member(5)]))
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
        #expect(bench.input.suffix(2).map(\.event.kind) == [.inputCircle, .inputPerson])
    }

    @Test func `a changed zone is one record per partition`() {
        var bench = Bench()
        let before = bench.bodies(.inputCircle).count
        let people = bench.bodies(.inputPerson).count
        bench.change(aZone(1, of: .circle(circle(1)), version: 2))
        bench.endTurns()
        let partitions = Set([1, 2, 3].map { Partition.of(person($0)) })
        #expect(bench.bodies(.inputCircle).count == before + partitions.count)
        #expect(bench.bodies(.inputPerson).count == people)
        #expect(bench.placed == bench.wanted)
    }

    @Test func `a private zone goes to its person only`() {
        var bench = Bench()
        let count = bench.input.count
        bench.change(aZone(9, of: .person(person(2))))
        bench.endTurns()
        #expect(bench.input.count == count + 1)
        #expect(bench.placed == bench.wanted)
    }

    @Test func `a circle's zones are removed after its last member`() {
        var bench = Bench()
        bench.change(aCircle(2, [member(4, .admin)]))
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
        bench.change(.circleRemoved(CircleRemoval(circle: circle(1))))
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
        bench.change(.personRemoved(PersonRemoval(person: person(4))))
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
        #expect(bench.bodies(.inputPersonRemoved).count == 1)
    }

    @Test func `a large fan-out is split into turns and continues after a crash`() {
        var bench = Bench([])
        let zones = (1...100).map { aZone($0, of: .circle(circle(1))) }
        let people = (1...200).map { number in
            EventBody.personChanged(Person(id: person(number), name: "P\(number)"))
        }
        for change in people + [aCircle(1, (1...200).map { member($0) })] + zones {
            bench.change(change)
        }
        bench.handle(.turnEnd)
        let first = bench.bodies(.inputCircle).count
        #expect(first > 0 && first <= Limits.configurationWorkPerTurn / 100)
        #expect(bench.core.hasWork)
        bench.restart()
        var turns = 0
        while bench.core.hasWork {
            let before = bench.bodies(.inputCircle).count
            bench.handle(.turnEnd)
            #expect(bench.bodies(.inputCircle).count - before <= 20)
            turns += 1
        }
        #expect(turns > 2)
        #expect(bench.placed == bench.wanted)
    }

    @Test(arguments: 1...20)
    func `partitions get changes of the directory in order`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bench = Bench([])
        for step in 0..<300 {
            bench.change(randomChange(&random, step: step))
            switch Int.random(in: 0..<12, using: &random) {
            case 0: bench.restart()
            case 1...4: bench.handle(.turnEnd)
            case 5:
                let number = UInt64.random(in: 1...12, using: &random)
                if bench.directory.device(device(number))?.person == person(number) {
                    bench.deliver([observation(at: Int64(step))], from: number)
                }
            default: break
            }
            bench.now = bench.now + .milliseconds(1)
        }
        bench.endTurns()
        let isAsWanted = bench.placed == bench.wanted
        #expect(isAsWanted)
    }

    private func randomChange(_ random: inout SeededGenerator, step: Int) -> EventBody {
        let number = UInt64.random(in: 1...12, using: &random)
        let other = UInt64.random(in: 1...4, using: &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 10: return .setChanged(ZoneSet(id: zoneSet(other), name: "S\(step)"))
        case 11: return .setRemoved(SetRemoval(set: zoneSet(other)))
        case 12, 13:
            return aZone(100 + number, of: .set(zoneSet(other)), version: Int64(step))
        case 0: return .personRemoved(PersonRemoval(person: person(number)))
        case 1: return .deviceRemoved(DeviceRemoval(device: device(number)))
        case 2: return .circleRemoved(CircleRemoval(circle: circle(other)))
        case 3:
            let isOfSet = Bool.random(using: &random)
            return .zoneRemoved(ZoneRemoval(zone: zone(number + (isOfSet ? 100 : 0))))
        case 4: return aDevice(number, of: number)
        case 5: return aZone(number, of: .circle(circle(other)), version: Int64(step))
        case 6: return aZone(number, of: .person(person(number)), version: Int64(step))
        case 7:
            let isChosen = Bool.random(using: &random)
            return .personChanged(
                Person(
                    id: person(number), name: "P", primaryDevice: isChosen ? device(number) : nil))
        default:
            let members = (1...12).filter { _ in Bool.random(using: &random) }
            return aCircle(
                other,
                members.map {
                    let sharing: [Sharing] = [.on, .off, .pausedUntil(start + .seconds(60))]
                    return member(
                        UInt64($0), invited: Int.random(in: 0..<4, using: &random) == 0,
                        sharing: sharing[Int.random(in: 0..<3, using: &random)])
                },
                sets: (1...4).filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        }
    }
}
