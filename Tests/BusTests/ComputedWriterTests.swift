import Model
import Testing
import Wire

@testable import Bus

@Suite struct `A writer of computed outputs` {
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

    /// Computed from an output on.
    private func writer(after base: Int, through last: Int) -> ComputedWriter {
        var writer = ComputedWriter(stream: Self.stream, peer: 0)
        writer.restart(at: Self.position(base))
        for output in Self.outputs[base..<last] { _ = writer.append(output) }
        writer.committed()
        return writer
    }

    @Test func `that goes on after a checkpoint offers what the keeper does not have`() {
        var writer = writer(after: 20, through: 30)
        #expect(writer.end.sequence == 30)
        #expect(writer.offers(now).isEmpty, "nothing is known of the keeper")
        #expect(!writer.isSettled)
        #expect(writer.hear(extent(25)) == .agrees)
        let offers = writer.offers(now)
        #expect(offers.map(\.batch.records) == [Array(Self.outputs[25..<30])])
        #expect(offers.first?.batch.previous == Self.position(25))
        #expect(writer.hear(extent(30)) == .agrees)
        #expect(writer.isSettled)
        #expect(writer.keptBytes == 0)
    }

    @Test func `that goes on after a checkpoint compares with a keeper that is further`() {
        var writer = writer(after: 20, through: 30)
        #expect(writer.hear(extent(40)) == .agrees)
        #expect(!writer.isSettled)
        var findings = Set(Self.outputs[30..<39].map { writer.append($0) })
        #expect(findings == [.agrees])
        findings.insert(writer.append(Node.record(Self.stream, 40, tag: "other")))
        #expect(findings.contains(.differs(sequence: 40)))
    }

    @Test func `whose first output is another than the keeper's differs`() {
        var writer = ComputedWriter(stream: Self.stream, peer: 0)
        var other = Self.position(20)
        other.hash ^= 1
        writer.restart(at: other)
        #expect(writer.hear(extent(20)) == .differs(sequence: 20))
        #expect(!writer.hasKeeperGoneBack)
    }

    @Test(arguments: [(10, life), (0, ID128(high: 2, low: 2))])
    func `believes that its keeper went back when it says so on being asked`(
        count: Int, life: ID128
    ) {
        var writer = writer(after: 20, through: 30)
        #expect(writer.hear(extent(25)) == .agrees)
        let back = extent(count, life: life)
        for _ in 0..<9 { #expect(writer.hear(back) == .agrees) }
        #expect(writer.isInDoubt)
        #expect(writer.claim == Self.position(25))
        let other = Control.State(.diverged, on: Self.position(24), back)
        #expect(writer.judge(other) == .agrees, "that was asked before")
        let verdict = Control.State(.diverged, on: Self.position(25), back)
        #expect(writer.judge(verdict) == .differs(sequence: UInt64(count)))
        #expect(writer.hasKeeperGoneBack)
        #expect(writer.offers(now).isEmpty)
    }

    @Test func `is sure of its keeper again when that says what it has, or on being asked`() {
        var writer = writer(after: 20, through: 30)
        #expect(writer.hear(extent(25)) == .agrees)
        _ = writer.hear(extent(10))
        #expect(writer.hear(extent(26)) == .agrees)
        #expect(!writer.isInDoubt)
        _ = writer.hear(extent(10))
        #expect(writer.judge(Control.State(.ok, on: Self.position(26), extent(27))) == .agrees)
        #expect(!writer.isInDoubt)
        #expect(writer.difference == nil)
        #expect(writer.offers(now).first?.batch.previous == Self.position(27))
    }

    @Test func `asks about its checkpoint while nothing newer is known`() {
        var writer = writer(after: 20, through: 20)
        _ = writer.hear(extent(10))
        #expect(writer.isInDoubt)
        #expect(writer.claim == Self.position(20))
    }

    @Test func `says of each offer which input led to its last output`() {
        var writer = ComputedWriter(stream: Self.stream, peer: 0)
        for number in 1...3 {
            writer.input = Position(incarnation: Self.life, sequence: UInt64(number), hash: 9)
            _ = writer.append(Self.outputs[number - 1])
        }
        writer.input = Position(incarnation: Self.life, sequence: 4, hash: 9)
        writer.committed()
        #expect(writer.hear(extent(0)) == .agrees)
        #expect(writer.offers(now).map(\.input.sequence) == [3])
    }

    @Test func `goes back to the checkpoint with a turn that is undone after it`() {
        var writer = writer(after: 20, through: 20)
        for output in Self.outputs[20..<25] { _ = writer.append(output) }
        writer.rolledBack()
        #expect(writer.end.sequence == 20)
        #expect(writer.keptBytes == 0)
        #expect(writer.hear(extent(20)) == .agrees)
        #expect(writer.isSettled)
    }
}
