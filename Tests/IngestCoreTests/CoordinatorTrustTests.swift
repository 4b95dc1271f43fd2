import Model
import Testing
import Wire

@testable import IngestCore

@Suite struct `A member that does not do its work` {
    private let distrust = Int(Limits.distrustSeconds)

    private func pair() -> Party {
        var party = Party()
        party.join(1)
        party.join(2)
        party.settle()
        return party
    }

    @Test(arguments: Coordinator.Revocation.allCases)
    func `loses its partitions at once, and gets a share when the distrust ends`(
        cause: Coordinator.Revocation
    ) {
        var party = pair()
        #expect(party.partitions(of: 2).count == 32)
        party.handle(.revoke(member: member(2), cause))
        #expect(party.partitions(of: 1) == Partition.all)
        #expect(party.partitions(of: 2).isEmpty)
        party.wait(seconds: distrust - 5)
        #expect(party.partitions(of: 1) == Partition.all, "whatever it claims")
        party.wait(seconds: 10)
        party.settle()
        #expect(party.isEven)
    }

    @Test func `does not come back under another id while others are there`() {
        var party = pair()
        party.handle(.revoke(member: member(2), .idle))
        party.leave(2)
        for number in 3...40 as ClosedRange<UInt64> { party.join(number) }
        party.settle()
        party.wait(seconds: 60)
        #expect(party.partitions(of: 1) == Partition.all)
        party.stop(1)
        party.wait(seconds: 5)
        party.settle()
        #expect(party.coordinator.unowned.isEmpty, "better somebody than nobody")
    }

    @Test func `keeps its partitions while it is idle and the only member`() {
        var party = Party()
        party.join(1)
        party.settle()
        party.handle(.revoke(member: member(1), .idle))
        party.wait(seconds: 5)
        #expect(party.partitions(of: 1) == Partition.all)
        party.join(2)
        #expect(party.partitions(of: 2) == Partition.all)
        #expect(party.partitions(of: 1).isEmpty)
    }

    @Test func `gets nothing after an invalid proposal, even as the only member`() {
        var party = Party()
        party.join(1)
        party.settle()
        party.handle(.revoke(member: member(1), .invalidProposal))
        party.wait(seconds: 5)
        #expect(party.coordinator.unowned == Partition.all)
        party.join(2)
        #expect(party.partitions(of: 2) == Partition.all)
    }

    @Test func `makes room for another member when there are too many`() {
        var party = Party(partitions: 2)
        for number in 1...UInt64(Limits.membersMax) { party.join(number) }
        party.join(9999)
        #expect(!party.coordinator.knows(member(9999)))
        party.handle(.revoke(member: member(7), .idle))
        party.join(9999)
        #expect(party.coordinator.knows(member(9999)))
        #expect(!party.coordinator.knows(member(7)))
    }
}
