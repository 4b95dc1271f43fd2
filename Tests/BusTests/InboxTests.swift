import Model
import Testing
import Wire

@testable import Bus

@Suite struct `The inbox rule` {
    private let life = ID128(high: 1, low: 1)

    private func records(_ count: Int, tag: String = "") -> [Record] {
        (0..<count).map { Node.record(.sos, UInt64($0 + 1), tag: tag) }
    }

    private func batch(_ records: [Record], _ range: Range<Int>) -> Batch {
        let whole = Batch(
            stream: .sos, after: .start(of: life), records: records,
            head: UInt64(records.count), published: .zero)
        return Batch(
            stream: .sos, after: whole.position(after: range.lowerBound),
            records: Array(records[range]), head: whole.head, published: .zero)
    }

    private func inbox(_ records: [Record], after count: Int) -> Inbox {
        Inbox(position: batch(records, 0..<records.count).position(after: count))
    }

    /// Every batch of a stream of six at every position, compared with the rule in one sentence.
    @Test func `accepts a batch that starts at or before its end and goes beyond`() {
        let log = records(6)
        for position in 0...6 {
            for from in 0..<6 {
                for to in (from + 1)...6 {
                    let verdict = inbox(log, after: position).verdict(on: batch(log, from..<to))
                    let expected: Inbox.Verdict =
                        from > position
                        ? .ahead
                        : to <= position
                            ? .seen
                            : .next(skipping: position - from)
                    #expect(verdict == expected, "\(from)..<\(to) at \(position)")
                }
            }
        }
    }

    @Test func `detects other records at known sequences`() {
        let log = records(6)
        let other = records(3) + records(3, tag: "other")
        var foreign = other
        foreign[3] = Node.record(.sos, 4, tag: "other")
        let inbox = inbox(log, after: 5)
        #expect(inbox.verdict(on: batch(foreign, 0..<6)) == .foreign)
        #expect(inbox.verdict(on: batch(foreign, 4..<6)) == .foreign)
        #expect(inbox.verdict(on: batch(foreign, 0..<5)) == .foreign)
        // A batch that ends before our position cannot be compared.
        #expect(inbox.verdict(on: batch(foreign, 0..<4)) == .seen)
    }

    @Test func `accepts nothing of another incarnation`() {
        let log = records(2)
        var other = inbox(log, after: 0)
        other.position.incarnation = ID128(high: 9, low: 9)
        #expect(other.verdict(on: batch(log, 0..<2)) == .foreign)
        #expect(Inbox(position: .unknown).verdict(on: batch(log, 0..<2)) == .foreign)
    }

    @Test func `learns from a head whether it is behind`() {
        let log = records(4)
        let end = batch(log, 0..<4).last
        #expect(inbox(log, after: 4).verdict(onHead: end) == .current)
        #expect(inbox(log, after: 3).verdict(onHead: end) == .behind)
        #expect(inbox(log, after: 4).verdict(onHead: batch(log, 0..<3).last) == .foreign)
        var other = end
        other.hash ^= 1
        #expect(inbox(log, after: 4).verdict(onHead: other) == .foreign)
        other = end
        other.incarnation = .zero
        #expect(inbox(log, after: 3).verdict(onHead: other) == .foreign)
    }
}
