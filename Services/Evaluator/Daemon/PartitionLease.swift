import Model
import Wire

/// What the daemon knows about an owned partition besides the core's state.
struct PartitionLease {
    /// A stored checkpoint.
    struct StoredCheckpoint {
        var input: Position
        var at: Timestamp
    }

    /// A newer checkpoint than the one it started from, to compare with on the way.
    var audit: PartitionSnapshot.Audit?
    /// The last stored checkpoint, of any owner.
    var lastCheckpoint: StoredCheckpoint?
    /// Why its decisions are in doubt; nil = they are not.
    var problem: String?

    /// The audit that the state at a position must equal. An audit that was passed, or belongs to
    /// another chain, is dropped.
    mutating func popAudit(at position: Position) -> PartitionSnapshot.Audit? {
        guard let audit, position.sequence >= audit.input.sequence else { return nil }
        self.audit = nil
        return audit.input == position ? audit : nil
    }
}
