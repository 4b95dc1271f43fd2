import Model
import Testing
import Wire

@testable import Bus

@Suite struct `A derived stream producer` {
    private static let life = ID128(high: 1, low: 1)
    private static let stream = StreamName.events(3)
    private static let outputs = (1...60).map { Node.record(stream, UInt64($0)) }
    private let now = Moment(wall: .zero, monotonic: .zero)

    private static func position(_ count: Int, life: ID128 = life) -> Position {
        outputs.prefix(count).reduce(.start(of: life)) { $0.advanced(by: $1) }
    }

    private func extent(_ count: Int, life: ID128 = life) -> Extent {
        Extent(
            stream: Self.stream, base: .start(of: life), head: Self.position(count, life: life),
            isSnapshotable: false)
    }

    /// A producer that starts after a record.
    private func writer(after base: Int, through last: Int) -> DerivedStreamProducer {
        var writer = DerivedStreamProducer(stream: Self.stream, peer: 0)
        writer.restart(at: Self.position(base))
        for output in Self.outputs[base..<last] { _ = writer.append(output) }
        writer.committed()
        return writer
    }

    @Test func `that continues after a checkpoint proposes what the publisher does not have`() {
        var writer = writer(after: 20, through: 30)
        #expect(writer.end.sequence == 30)
        #expect(writer.proposals(now).isEmpty, "the publisher's head is unknown")
        #expect(!writer.isSettled)
        #expect(writer.handle(extent(25)) == .agrees)
        let proposals = writer.proposals(now)
        #expect(proposals.map(\.batch.records) == [Array(Self.outputs[25..<30])])
        #expect(proposals.first?.batch.previous == Self.position(25))
        #expect(writer.handle(extent(30)) == .agrees)
        #expect(writer.isSettled)
        #expect(writer.unacceptedBytes == 0)
    }

    @Test func `that continues after a checkpoint compares with a publisher that is ahead`() {
        var writer = writer(after: 20, through: 30)
        #expect(writer.handle(extent(40)) == .agrees)
        #expect(!writer.isSettled)
        var findings = Set(Self.outputs[30..<39].map { writer.append($0) })
        #expect(findings == [.agrees])
        findings.insert(writer.append(Node.record(Self.stream, 40, tag: "other")))
        #expect(findings.contains(.differs(sequence: 40)))
    }

    @Test func `differs if its first record differs from the publisher's`() {
        var writer = DerivedStreamProducer(stream: Self.stream, peer: 0)
        var other = Self.position(20)
        other.hash ^= 1
        writer.restart(at: other)
        #expect(writer.handle(extent(20)) == .differs(sequence: 20))
        #expect(!writer.hasPublisherRegressed)
    }

    @Test(arguments: [(10, life), (0, ID128(high: 2, low: 2))])
    func `restarts if the publisher confirms that its stream regressed`(
        count: Int, life: ID128
    ) {
        var writer = writer(after: 20, through: 30)
        #expect(writer.handle(extent(25)) == .agrees)
        let back = extent(count, life: life)
        for _ in 0..<9 { #expect(writer.handle(back) == .agrees) }
        #expect(writer.isInDoubt)
        #expect(writer.claim == Self.position(25))
        let other = Control.State(.diverged, on: Self.position(24), back)
        #expect(writer.handle(other) == .agrees, "that was asked before")
        let verdict = Control.State(.diverged, on: Self.position(25), back)
        #expect(writer.handle(verdict) == .differs(sequence: UInt64(count)))
        #expect(writer.hasPublisherRegressed)
        #expect(writer.proposals(now).isEmpty)
    }

    @Test func `clears a doubt when the publisher confirms its position or sends a new head`() {
        var writer = writer(after: 20, through: 30)
        #expect(writer.handle(extent(25)) == .agrees)
        _ = writer.handle(extent(10))
        #expect(writer.handle(extent(26)) == .agrees)
        #expect(!writer.isInDoubt)
        _ = writer.handle(extent(10))
        #expect(writer.handle(Control.State(.ok, on: Self.position(26), extent(27))) == .agrees)
        #expect(!writer.isInDoubt)
        #expect(writer.difference == nil)
        #expect(writer.proposals(now).first?.batch.previous == Self.position(27))
    }

    @Test func `asks about its checkpoint while no newer head is known`() {
        var writer = writer(after: 20, through: 20)
        _ = writer.handle(extent(10))
        #expect(writer.isInDoubt)
        #expect(writer.claim == Self.position(20))
    }

    @Test func `names the input of the last record in each proposal`() {
        var writer = DerivedStreamProducer(stream: Self.stream, peer: 0)
        for number in 1...3 {
            writer.input = Position(incarnation: Self.life, sequence: UInt64(number), hash: 9)
            _ = writer.append(Self.outputs[number - 1])
        }
        writer.input = Position(incarnation: Self.life, sequence: 4, hash: 9)
        writer.committed()
        #expect(writer.handle(extent(0)) == .agrees)
        #expect(writer.proposals(now).map(\.input.sequence) == [3])
    }

    @Test func `returns to the checkpoint when a later turn is rolled back`() {
        var writer = writer(after: 20, through: 20)
        for output in Self.outputs[20..<25] { _ = writer.append(output) }
        writer.rolledBack()
        #expect(writer.end.sequence == 20)
        #expect(writer.unacceptedBytes == 0)
        #expect(writer.handle(extent(20)) == .agrees)
        #expect(writer.isSettled)
    }
}
