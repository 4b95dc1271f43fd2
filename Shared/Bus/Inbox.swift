import Wire

/// Acceptance rule of one stream: no gaps, no duplicates, one incarnation.
struct Inbox: Hashable {
    /// The relation of a batch to the current position.
    enum Verdict: Hashable {
        /// The batch continues at the position, after skipping known records.
        case next(skipping: Int)
        /// All its records are known.
        case seen
        /// Records before it are missing.
        case ahead
        /// It is of another incarnation or chain: ask the publisher.
        case foreign
    }

    /// The relation of a publisher's head to the current position.
    enum HeadVerdict: Hashable { case current, behind, foreign }

    var position: Position

    func verdict(on batch: Batch) -> Verdict {
        guard batch.previous.incarnation == position.incarnation else { return .foreign }
        guard batch.previous.sequence <= position.sequence else { return .ahead }
        let known = position.sequence - batch.previous.sequence
        guard known <= UInt64(batch.records.count) else { return .seen }
        guard batch.position(after: Int(known)).hash == position.hash else { return .foreign }
        return known == UInt64(batch.records.count) ? .seen : .next(skipping: Int(known))
    }

    func verdict(onHead head: Position) -> HeadVerdict {
        if head == position { return .current }
        let isSameIncarnation = head.incarnation == position.incarnation
        return isSameIncarnation && head.sequence > position.sequence ? .behind : .foreign
    }
}
