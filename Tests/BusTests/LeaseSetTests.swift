import Model
import Testing
import Wire

@testable import Bus

@Suite struct `A lease set` {
    private let member = ID128(high: 1, low: 2)
    private let partitions = (0..<4).compactMap { Partition($0) }

    private func leaseSet() -> LeaseSet { LeaseSet(member: member, logic: 1...2) }

    private func list(_ numbers: Int..., epoch: UInt64 = 1) -> [Assignment] {
        numbers.map { Assignment(partition: partitions[$0], epoch: epoch) }
    }

    /// Requests sent within a period, each with the tenth of a second at which it was sent.
    private func requests(_ leaseSet: inout LeaseSet, from start: Int, to end: Int) -> [(
        Int, Control
    )] {
        var found: [(Int, Control)] = []
        for tenth in start * 10..<end * 10 {
            let now = Duration.milliseconds(tenth * 100)
            guard let request = leaseSet.request(now) else { continue }
            found.append((tenth, request))
            leaseSet.requestSent(now)
        }
        return found
    }

    @Test func `joins at once, and every second until it has a list`() {
        var leaseSet = leaseSet()
        let first = requests(&leaseSet, from: 0, to: 3)
        #expect(first.map(\.0) == [0, 10, 20])
        #expect(first.allSatisfy { $0.1 == .join(member: member, logic: 1...2) })
        #expect(leaseSet.apply([], for: member).isEmpty)
        #expect(leaseSet.hasJoined)
        let then = requests(&leaseSet, from: 3, to: 5)
        #expect(then.map(\.0) == [30, 40])
        #expect(
            then.allSatisfy { $0.1 == .renew(member: member, logic: 1...2, leases: []) })
    }

    @Test func `repeats a request until it can be sent`() {
        let leaseSet = leaseSet()
        #expect(leaseSet.request(.seconds(1)) != nil)
        #expect(leaseSet.request(.seconds(1)) != nil)
    }

    @Test func `equals the last assignment list`() {
        var leaseSet = leaseSet()
        #expect(
            leaseSet.apply(list(0, 2), for: member) == [
                .assigned(partitions[0]), .assigned(partitions[2]),
            ])
        #expect(leaseSet.apply(list(0, 2), for: member).isEmpty)
        #expect(
            leaseSet.apply(list(3, 2, 1, epoch: 2), for: member) == [
                .revoked(partitions[0]), .assigned(partitions[1]), .assigned(partitions[3]),
            ])
        #expect(leaseSet.leases.map(\.partition) == Array(partitions[1...]))
        #expect(leaseSet.leases.allSatisfy { $0.epoch == 2 && $0.state == .restoring })
        #expect(leaseSet.apply(list(), for: member).count == 3)
        #expect(leaseSet.leases.isEmpty)
    }

    @Test func `ignores lists for other members`() {
        var leaseSet = leaseSet()
        #expect(leaseSet.apply(list(0), for: ID128(high: 9, low: 9)).isEmpty)
        #expect(!leaseSet.hasJoined)
    }

    @Test func `keeps the state of a partition while it is assigned`() {
        var leaseSet = leaseSet()
        _ = leaseSet.apply(list(0, 1, 2), for: member)
        #expect(leaseSet.restoring == Set(partitions[..<3]))
        leaseSet.markLive(partitions[0])
        leaseSet.markFailed(partitions[1], because: "newer")
        #expect(leaseSet.apply(list(0, 1, 2), for: member).isEmpty)
        #expect(leaseSet.leases.map(\.state) == [.live, .failed, .restoring])
        // A failed partition restarts when it is assigned with a new epoch.
        let changes = leaseSet.apply(list(0, 1, 2, epoch: 5), for: member)
        #expect(changes == [.revoked(partitions[1]), .assigned(partitions[1])])
        #expect(leaseSet.leases.map(\.state) == [.live, .restoring, .restoring])
        #expect(leaseSet.leases.map(\.epoch) == [5, 5, 5])
        #expect(leaseSet.restoring == Set(partitions[1...2]))
        leaseSet.markRestoring(partitions[0])
        #expect(!leaseSet.isLive(partitions[0]))
        // Assigned again, it restarts; the failure is remembered.
        _ = leaseSet.apply([], for: member)
        _ = leaseSet.apply(list(1), for: member)
        #expect(leaseSet.leases.map(\.state) == [.restoring])
        #expect(leaseSet.failures == [partitions[1]: "newer"])
        leaseSet.markLive(partitions[1])
        #expect(leaseSet.failures.isEmpty, "it is live again")
    }

    @Test func `renews sooner after a change, but not continuously`() {
        var leaseSet = leaseSet()
        _ = leaseSet.apply(list(0, 1), for: member)
        #expect(leaseSet.request(.zero) != nil)
        leaseSet.requestSent(.zero)
        #expect(leaseSet.request(.milliseconds(500)) == nil)
        leaseSet.markLive(partitions[0])
        #expect(leaseSet.request(.milliseconds(50)) == nil)
        guard case .renew(_, _, let leases) = leaseSet.request(.milliseconds(100)) else {
            Issue.record("a renewal was expected")
            return
        }
        #expect(leases.map(\.state) == [.live, .restoring])
        leaseSet.requestSent(.milliseconds(100))
        leaseSet.markLive(partitions[0])
        #expect(leaseSet.request(.milliseconds(900)) == nil, "nothing changed")
    }

    @Test func `renews at once over a new connection`() {
        var leaseSet = leaseSet()
        leaseSet.requestSent(.seconds(1))
        leaseSet.requestAgain()
        #expect(leaseSet.request(.seconds(1)) != nil)
    }

    @Test func `ends by leaving`() {
        var leaseSet = leaseSet()
        _ = leaseSet.apply(list(0), for: member)
        #expect(leaseSet.leave() == .leave(member: member))
        #expect(leaseSet.leave() == nil)
        #expect(leaseSet.request(.seconds(9)) == nil)
        #expect(leaseSet.apply([], for: member).isEmpty)
        #expect(leaseSet.leases.count == 1)
    }

    @Test func `allows a partition to be recomputed a few times within a period`() {
        var leaseSet = leaseSet()
        _ = leaseSet.apply(list(0, 1), for: member)
        func may(_ number: Int, _ seconds: Int) -> Bool {
            leaseSet.shouldRecompute(partitions[number], now: .seconds(seconds))
        }
        #expect((0..<3).allSatisfy { may(0, $0) })
        #expect(!may(0, 3))
        #expect(may(1, 3), "each partition is counted separately")
        // The last of them is ten minutes old.
        #expect(may(0, 604))
    }
}

@Suite struct `A checkpoint sender` {
    private static let position = Position(
        incarnation: ID128(high: 1, low: 1), sequence: 2, hash: 3)
    private let checkpoint = Checkpoint(
        partition: Partition.all[5], input: position, output: position, logic: 1, stateHash: 4,
        state: [UInt8](repeating: 6, count: 600_000))

    private func reply(_ verdict: CheckpointVerdict) -> CheckpointReply {
        CheckpointReply(partition: checkpoint.partition, id: checkpoint.id, verdict: verdict)
    }

    private func sender() -> CheckpointSender {
        CheckpointSender(checkpoint, by: ID128(high: 7, low: 7), epoch: 8)
    }

    @Test func `sends each requested piece, and repeats the last one without a reply`() {
        var sender = sender()
        for (number, offset) in [0, 262_144, 524_288].enumerated() {
            let now = Duration.seconds(number)
            let piece = sender.nextPiece(now)
            #expect(piece?.offset == UInt32(offset))
            #expect(piece?.epoch == 8)
            sender.pieceSent(now)
            #expect(sender.nextPiece(now) == nil)
            if offset < 524_288 {
                #expect(sender.handle(reply(.more(next: UInt32(offset + 262_144)))) == nil)
            }
        }
        #expect(sender.nextPiece(.milliseconds(3900)) == nil)
        #expect(sender.nextPiece(.seconds(4))?.offset == 524_288)
        #expect(sender.handle(reply(.stored)) == .stored)
    }

    @Test func `sends nothing twice for a duplicate reply`() {
        var sender = sender()
        sender.pieceSent(.zero)
        _ = sender.handle(reply(.more(next: 262_144)))
        #expect(sender.nextPiece(.zero)?.offset == 262_144)
        sender.pieceSent(.zero)
        _ = sender.handle(reply(.more(next: 262_144)))
        #expect(sender.nextPiece(.zero) == nil)
    }

    @Test func `restarts at the offset that the publisher requests`() {
        var sender = sender()
        sender.pieceSent(.zero)
        _ = sender.handle(reply(.more(next: 524_288)))
        sender.pieceSent(.zero)
        _ = sender.handle(reply(.more(next: 0)))
        #expect(sender.nextPiece(.zero)?.offset == 0)
    }

    @Test func `ignores replies about other checkpoints, and before it started`() {
        var sender = sender()
        #expect(sender.handle(reply(.stored)) == nil)
        sender.pieceSent(.zero)
        var other = reply(.stored)
        other.id = .zero
        #expect(sender.handle(other) == nil)
        sender.resend()
        #expect(sender.nextPiece(.zero)?.offset == 0)
    }
}
