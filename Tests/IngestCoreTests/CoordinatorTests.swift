import Model
import Testing
import Wire

@testable import IngestCore

@Suite struct CoordinatorTests {
    private let first = Partition.all[0]

    @Test func `the first member of an empty store gets all partitions at once`() {
        var party = Party()
        party.join(1)
        #expect(party.partitions(of: 1) == Partition.all)
    }

    @Test func `a second member takes over half, each partition once it is live`() {
        var party = Party()
        party.join(1)
        party.settle()
        party.join(2)
        #expect(party.partitions(of: 1).count == 64)
        #expect(party.partitions(of: 2).count == 32)
        #expect(party.coordinator.moves == 32)
        party.settle()
        #expect(party.partitions(of: 1).count == 32)
        #expect(Set(party.partitions(of: 1)).isDisjoint(with: party.partitions(of: 2)))
        #expect(party.coordinator.moves == 32)
    }

    @Test func `the owner keeps a partition while its successor restores it`() {
        var party = Party(partitions: 2)
        party.join(1)
        party.settle()
        party.join(2)
        let moved = party.partitions(of: 2)
        #expect(moved.count == 1)
        party.wait(seconds: 20)
        #expect(moved.allSatisfy { party.owner(of: $0) == 1 })
        party.becomeLive(2)
        #expect(moved.allSatisfy { party.owner(of: $0) == 2 })
    }

    @Test func `a member without contact for three seconds loses its partitions`() {
        var party = Party()
        party.join(1)
        party.join(2)
        party.settle()
        party.stop(2)
        party.wait(seconds: 3)
        #expect(party.shares[2] == 32)
        party.wait(seconds: 1)
        #expect(party.shares == [1: 64])
    }

    @Test func `a member that leaves is replaced at once`() {
        var party = Party()
        for number in 1...3 { party.join(UInt64(number)) }
        party.settle()
        let before = party.owners
        party.leave(3)
        #expect(party.shares == [1: 32, 2: 32])
        for (partition, owner) in before where owner != 3 {
            #expect(party.owner(of: partition) == owner)
        }
    }

    @Test func `a resumed member gets its share back with new epochs`() {
        var party = Party()
        party.join(1)
        party.join(2)
        party.settle()
        let before = Set(party.partitions(of: 2))
        let epochs = party.players[2]?.leases.map(\.epoch).max() ?? 0
        party.stop(2)
        party.wait(seconds: 15)
        party.settle()
        party.go(on: 2)
        #expect(Set(party.partitions(of: 2)) == before)
        #expect(party.players[2]?.leases.allSatisfy { $0.epoch > epochs } == true)
    }

    @Test func `a failed partition goes to another member for ten minutes at most`() {
        var party = Party(partitions: 4)
        party.join(1)
        party.join(2)
        party.settle()
        let partition = party.partitions(of: 1)[0]
        party.fail(1, at: partition)
        #expect(party.owner(of: partition) == 2)
        party.leave(2)
        #expect(party.owner(of: partition) == nil)
        #expect(party.partitions(of: 1).count == 3)
        party.wait(seconds: Int(Limits.failedSeconds) - 1)
        #expect(party.owner(of: partition) == nil)
        party.wait(seconds: 2)
        #expect(party.owner(of: partition) == 1)
        party.fail(1, at: partition)
        party.join(3)
        #expect(party.owner(of: partition) == 3)
    }

    @Test func `a member that gave up may retry with another checkpoint at once`() {
        var party = Party(partitions: 2)
        party.join(1)
        party.settle()
        #expect(party.lived == party.partitions)
        party.fail(1, at: first)
        #expect(party.failed == [first])
        #expect(party.owner(of: first) == nil)
        party.handle(.retry(first))
        #expect(party.owner(of: first) == 1)
        #expect(party.players[1]?.held[first]?.state == .restoring)
        party.settle()
        #expect(party.lived.filter { $0 == first }.count == 2)
    }

    @Test func `reports about an earlier assignment do not count against this one`() {
        var party = Party(partitions: 1)
        party.join(1)
        let old = party.players[1]?.held
        party.fail(1, at: first)
        party.handle(.retry(first))
        var late = old
        late?[first]?.state = .failed
        party.handle(
            .renewed(
                member: member(1), logic: 1...1, leases: Array((late ?? [:]).values)))
        #expect(party.owner(of: first) == 1)
    }

    @Test func `a partition stuck in restoring moves to an idle member, and not back`() {
        var party = Party(partitions: 2)
        party.join(1)
        party.join(2)
        party.settle()
        let partition = party.partitions(of: 1)[0]
        party.players[1]?.held[partition]?.state = .restoring
        party.wait(seconds: Int(Limits.restoringSeconds))
        #expect(!party.partitions(of: 2).contains(partition))
        party.wait(seconds: 2)
        #expect(party.owner(of: partition) == 1, "it keeps it until the other one is live")
        #expect(party.partitions(of: 2).contains(partition))
        party.becomeLive(2)
        #expect(party.owner(of: partition) == 2)
        party.wait(seconds: Int(Limits.failedSeconds) / 2)
        #expect(party.owner(of: partition) == 2)
        party.leave(2)
        #expect(party.owner(of: partition) == 1, "better slowly than not at all")
    }

    @Test func `nothing is moved while all members are restoring`() {
        var party = Party(partitions: 4)
        party.join(1)
        party.join(2)
        party.wait(seconds: 2 * Int(Limits.restoringSeconds))
        #expect(party.coordinator.moves == 2, "the second one's share")
        party.join(3)
        party.wait(seconds: 2 * Int(Limits.restoringSeconds))
        #expect(party.coordinator.moves <= 4)
    }

    @Test func `the number of members is limited`() {
        var party = Party(partitions: 2)
        for number in 1...UInt64(Limits.membersMax) + 5 { party.join(number) }
        #expect(party.coordinator.memberIDs.count == Limits.membersMax)
        party.leave(1)
        party.join(9999)
        #expect(party.coordinator.memberIDs.contains(member(9999)))
    }

    @Test func `a dead member is removed despite short pauses of the coordinator`() {
        var party = Party()
        party.join(1)
        party.join(2)
        party.settle()
        party.stop(2)
        for _ in 0..<10 {
            party.now = party.now + .milliseconds(1500)
            party.renew(1)
        }
        #expect(party.shares == [1: 64])
    }

    @Test func `a failed successor leaves the partition with its owner`() {
        var party = Party(partitions: 2)
        party.join(1)
        party.settle()
        party.join(2)
        let moved = party.partitions(of: 2)[0]
        party.fail(2, at: moved)
        #expect(party.owner(of: moved) == 1)
        #expect(!party.partitions(of: 2).contains(moved))
        #expect(party.isEven)
    }

    @Test func `after a restart members keep their claims, including running moves`() {
        var party = Party()
        party.join(1)
        party.join(2)
        party.settle()
        party.join(3)
        let owners = party.owners
        let successors = Set(party.partitions(of: 3))
        let held = party.players.mapValues(\.held)
        party.restart()
        for number in [3, 1, 2] as [UInt64] { party.renew(number) }
        #expect(party.owners == owners)
        #expect(Set(party.partitions(of: 3)) == successors)
        party.wait(seconds: 5)
        #expect(party.owners == owners)
        #expect(party.players.mapValues(\.held) == held)
        #expect(party.coordinator.moves == 0)
    }

    @Test func `after a restart no partition is assigned that may still be claimed`() {
        var party = Party()
        party.join(1)
        party.join(2)
        party.settle()
        let mine = party.partitions(of: 1)
        party.restart()
        party.renew(1)
        #expect(party.partitions(of: 1) == mine)
        party.players[2] = nil
        party.wait(seconds: 1)
        #expect(party.partitions(of: 1) == mine)
        party.wait(seconds: 1)
        #expect(party.partitions(of: 1) == Partition.all)
    }

    @Test func `of two claims the older one owns and the newer one succeeds`() {
        for isOlderFirst in [true, false] {
            var party = Party(partitions: 1, isNew: false)
            for number in isOlderFirst ? [1, 2] : [2, 1] as [UInt64] {
                let lease = Lease(partition: first, epoch: number * 10, state: .restoring)
                party.players[number] = .init(logic: 1...1, held: [first: lease])
                party.renew(number)
            }
            #expect(party.owner(of: first) == 1)
            #expect(party.coordinator.assignments[first]?.successor?.member == member(2))
            party.becomeLive(2)
            #expect(party.partitions(of: 1).isEmpty)
            #expect(party.owner(of: first) == 2)
        }
    }

    @Test func `a pause of the coordinator does not count against members`() {
        var party = Party()
        party.join(1)
        party.join(2)
        party.settle()
        let before = party.owners
        party.now = party.now + .seconds(60)
        party.handle(.tick)
        party.wait(seconds: 2)
        #expect(party.owners == before)
    }

    @Test func `a member that cannot run the logic gets no partition`() {
        var party = Party()
        party.join(1, logic: 2...3)
        #expect(party.partitions(of: 1).isEmpty)
        party.join(2, logic: 1...2)
        #expect(party.partitions(of: 2) == Partition.all)
        #expect(party.raised == nil)
    }

    @Test func `the logic switches once all members can run the newer one`() {
        var party = Party()
        party.join(1, logic: 1...1)
        party.join(2, logic: 1...2)
        party.settle()
        #expect(party.raised == nil)
        party.leave(1)
        #expect(party.raised == 2)
        party.raised = nil
        party.handle(.tick)
        #expect(party.raised == 2, "asked for until it is so")
        party.handle(.logic(2))
        party.raised = nil
        party.wait(seconds: 1)
        #expect(party.raised == nil)
        party.join(3, logic: 1...1)
        #expect(party.partitions(of: 3).isEmpty)
    }

    @Test func `the logic never switches to an unknown version`() {
        var party = Party()
        party.join(1, logic: 1...65_535)
        party.settle()
        #expect(party.raised == Party.logicNewest)
        party.handle(.logic(Party.logicNewest))
        party.raised = nil
        party.wait(seconds: 1)
        #expect(party.raised == nil)
        var early = Party()
        early.join(1, logic: 1...2)
        #expect(early.raised == 2)
    }

    @Test func `the logic does not switch while older members may still join`() {
        var party = Party(isNew: false)
        party.join(2, logic: 1...2)
        #expect(party.raised == nil)
        party.join(1, logic: 1...1)
        party.wait(seconds: 3)
        #expect(party.raised == nil)
    }
}
