import Wire

/// The rule by which records of one stream are taken: none missing, none doubled, none of another
/// life.
struct Inbox: Hashable {
    /// What a batch is to somebody at a position.
    enum Verdict: Hashable {
        /// It goes on right here; its first so many records are known already.
        case next(skipping: Int)
        /// Nothing in it is new.
        case seen
        /// Something before it is missing.
        case ahead
        /// It is of another life, or reached by other records: ask the writer.
        case foreign
    }

    /// What a writer's head is to somebody at a position.
    enum HeadVerdict: Hashable { case current, behind, foreign }

    var position: Position

    func judge(_ batch: Batch) -> Verdict {
        guard batch.previous.incarnation == position.incarnation else { return .foreign }
        guard batch.previous.sequence <= position.sequence else { return .ahead }
        let known = position.sequence - batch.previous.sequence
        guard known <= UInt64(batch.records.count) else { return .seen }
        guard batch.position(after: Int(known)).hash == position.hash else { return .foreign }
        return known == UInt64(batch.records.count) ? .seen : .next(skipping: Int(known))
    }

    func judge(head: Position) -> HeadVerdict {
        if head == position { return .current }
        let isOfThisLife = head.incarnation == position.incarnation
        return isOfThisLife && head.sequence > position.sequence ? .behind : .foreign
    }
}
