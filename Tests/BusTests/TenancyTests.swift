import Model
import Testing
import Wire

@testable import Bus

@Suite struct `A tenancy` {
    private let member = ID128(high: 1, low: 2)
    private let partitions = (0..<4).compactMap { Partition($0) }

    private func tenancy() -> Tenancy { Tenancy(member: member, logic: 1...2) }

    private func list(_ numbers: Int..., epoch: UInt64 = 1) -> [Assignment] {
        numbers.map { Assignment(partition: partitions[$0], epoch: epoch) }
    }

    /// What is said in so many seconds, at the second at which it is.
    private func said(_ tenancy: inout Tenancy, from start: Int, to end: Int) -> [(Int, Control)] {
        var found: [(Int, Control)] = []
        for tenth in start * 10..<end * 10 {
            let now = Duration.milliseconds(tenth * 100)
            guard let question = tenancy.question(now) else { continue }
            found.append((tenth, question))
            tenancy.said(now)
        }
        return found
    }

    @Test func `joins at once, and every second until it has a list`() {
        var tenancy = tenancy()
        let first = said(&tenancy, from: 0, to: 3)
        #expect(first.map(\.0) == [0, 10, 20])
        #expect(first.allSatisfy { $0.1 == .join(member: member, logic: 1...2) })
        #expect(tenancy.take([], for: member).isEmpty)
        #expect(tenancy.hasJoined)
        let then = said(&tenancy, from: 3, to: 5)
        #expect(then.map(\.0) == [30, 40])
        #expect(
            then.allSatisfy { $0.1 == .renew(member: member, logic: 1...2, holdings: []) })
    }

    @Test func `is tried again until the question can go`() {
        let tenancy = tenancy()
        #expect(tenancy.question(.seconds(1)) != nil)
        #expect(tenancy.question(.seconds(1)) != nil)
    }

    @Test func `is the whole of the last list`() {
        var tenancy = tenancy()
        #expect(
            tenancy.take(list(0, 2), for: member) == [
                .gained(partitions[0]), .gained(partitions[2]),
            ])
        #expect(tenancy.take(list(0, 2), for: member).isEmpty)
        #expect(
            tenancy.take(list(3, 2, 1, epoch: 2), for: member) == [
                .lost(partitions[0]), .gained(partitions[1]), .gained(partitions[3]),
            ])
        #expect(tenancy.holdings.map(\.partition) == Array(partitions[1...]))
        #expect(tenancy.holdings.allSatisfy { $0.epoch == 2 && $0.state == .restoring })
        #expect(tenancy.take(list(), for: member).count == 3)
        #expect(tenancy.holdings.isEmpty)
    }

    @Test func `takes no list for somebody else`() {
        var tenancy = tenancy()
        #expect(tenancy.take(list(0), for: ID128(high: 9, low: 9)).isEmpty)
        #expect(!tenancy.hasJoined)
    }

    @Test func `keeps what it says of a partition while it has it`() {
        var tenancy = tenancy()
        _ = tenancy.take(list(0, 1, 2), for: member)
        #expect(tenancy.restoring == Set(partitions[..<3]))
        tenancy.isCaughtUp(partitions[0])
        tenancy.fails(partitions[1], because: "newer")
        #expect(tenancy.take(list(0, 1, 2), for: member).isEmpty)
        #expect(tenancy.holdings.map(\.state) == [.live, .failed, .restoring])
        // Given by a new ownership, what failed is to be begun once more.
        let changes = tenancy.take(list(0, 1, 2, epoch: 5), for: member)
        #expect(changes == [.lost(partitions[1]), .gained(partitions[1])])
        #expect(tenancy.holdings.map(\.state) == [.live, .restoring, .restoring])
        #expect(tenancy.holdings.map(\.epoch) == [5, 5, 5])
        #expect(tenancy.restoring == Set(partitions[1...2]))
        tenancy.restores(partitions[0])
        #expect(!tenancy.isLive(partitions[0]))
        // Given again, it is tried again; what failed is remembered all the same.
        _ = tenancy.take([], for: member)
        _ = tenancy.take(list(1), for: member)
        #expect(tenancy.holdings.map(\.state) == [.restoring])
        #expect(tenancy.failures == [partitions[1]: "newer"])
        tenancy.isCaughtUp(partitions[1])
        #expect(tenancy.failures.isEmpty, "it is live again")
    }

    @Test func `says news sooner, but not all the time`() {
        var tenancy = tenancy()
        _ = tenancy.take(list(0, 1), for: member)
        #expect(tenancy.question(.zero) != nil)
        tenancy.said(.zero)
        #expect(tenancy.question(.milliseconds(500)) == nil)
        tenancy.isCaughtUp(partitions[0])
        #expect(tenancy.question(.milliseconds(50)) == nil)
        guard case .renew(_, _, let holdings) = tenancy.question(.milliseconds(100)) else {
            Issue.record("news were expected")
            return
        }
        #expect(holdings.map(\.state) == [.live, .restoring])
        tenancy.said(.milliseconds(100))
        tenancy.isCaughtUp(partitions[0])
        #expect(tenancy.question(.milliseconds(900)) == nil, "that is no news")
    }

    @Test func `says it at once over a new way`() {
        var tenancy = tenancy()
        tenancy.said(.seconds(1))
        tenancy.sayAgain()
        #expect(tenancy.question(.seconds(1)) != nil)
    }

    @Test func `ends with leaving`() {
        var tenancy = tenancy()
        _ = tenancy.take(list(0), for: member)
        #expect(tenancy.leave() == .leave(member: member))
        #expect(tenancy.leave() == nil)
        #expect(tenancy.question(.seconds(9)) == nil)
        #expect(tenancy.take([], for: member).isEmpty)
        #expect(tenancy.holdings.count == 1)
    }

    @Test func `lets a partition be computed anew a few times within a while`() {
        var tenancy = tenancy()
        _ = tenancy.take(list(0, 1), for: member)
        func may(_ number: Int, _ seconds: Int) -> Bool {
            tenancy.mayComputeAnew(partitions[number], now: .seconds(seconds))
        }
        #expect((0..<3).allSatisfy { may(0, $0) })
        #expect(!may(0, 3))
        #expect(may(1, 3), "each for itself")
        // The last of them is ten minutes old.
        #expect(may(0, 604))
    }
}

@Suite struct `A sender of a checkpoint` {
    private static let position = Position(
        incarnation: ID128(high: 1, low: 1), sequence: 2, hash: 3)
    private let checkpoint = Checkpoint(
        partition: Partition.all[5], input: position, output: position, logic: 1, stateHash: 4,
        state: [UInt8](repeating: 6, count: 600_000))

    private func answer(_ verdict: CheckpointVerdict) -> CheckpointAnswer {
        CheckpointAnswer(partition: checkpoint.partition, id: checkpoint.id, verdict: verdict)
    }

    private func sender() -> CheckpointSender {
        CheckpointSender(checkpoint, by: ID128(high: 7, low: 7), epoch: 8)
    }

    @Test func `sends each piece when it is wanted, and the last one once more on silence`() {
        var sender = sender()
        for (number, offset) in [0, 262_144, 524_288].enumerated() {
            let now = Duration.seconds(number)
            let piece = sender.piece(now)
            #expect(piece?.offset == UInt32(offset))
            #expect(piece?.epoch == 8)
            sender.sent(now)
            #expect(sender.piece(now) == nil)
            if offset < 524_288 {
                #expect(sender.take(answer(.more(next: UInt32(offset + 262_144)))) == nil)
            }
        }
        #expect(sender.piece(.milliseconds(3900)) == nil)
        #expect(sender.piece(.seconds(4))?.offset == 524_288)
        #expect(sender.take(answer(.kept)) == .kept)
    }

    @Test func `sends nothing twice for an answer that came twice`() {
        var sender = sender()
        sender.sent(.zero)
        _ = sender.take(answer(.more(next: 262_144)))
        #expect(sender.piece(.zero)?.offset == 262_144)
        sender.sent(.zero)
        _ = sender.take(answer(.more(next: 262_144)))
        #expect(sender.piece(.zero) == nil)
    }

    @Test func `begins again where the keeper wants it`() {
        var sender = sender()
        sender.sent(.zero)
        _ = sender.take(answer(.more(next: 524_288)))
        sender.sent(.zero)
        _ = sender.take(answer(.more(next: 0)))
        #expect(sender.piece(.zero)?.offset == 0)
    }

    @Test func `hears nothing about another one, or before it began`() {
        var sender = sender()
        #expect(sender.take(answer(.kept)) == nil)
        sender.sent(.zero)
        var other = answer(.kept)
        other.id = .zero
        #expect(sender.take(other) == nil)
        sender.sendAgain()
        #expect(sender.piece(.zero)?.offset == 0)
    }
}
