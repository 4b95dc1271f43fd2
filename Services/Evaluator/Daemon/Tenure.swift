import Model
import Wire

/// What the daemon knows about a partition that it owns, beside what the core decided.
struct Tenure {
    /// A checkpoint that was kept.
    struct Kept {
        var input: Position
        var at: Timestamp
    }

    /// A newer checkpoint than the one that it began with, to compare with on the way.
    var audit: PartitionSnapshot.Audit?
    /// The last that was kept, by whichever owner.
    var kept: Kept?
    /// Why what it decides is in doubt.
    var trouble: String?

    /// Whether the state here must equal the audit's. One that is passed, or of another chain, is
    /// of no use any more.
    mutating func takeAudit(at position: Position) -> PartitionSnapshot.Audit? {
        guard let audit, position.sequence >= audit.input.sequence else { return nil }
        self.audit = nil
        return audit.input == position ? audit : nil
    }
}
