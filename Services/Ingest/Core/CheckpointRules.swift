import Wire

/// A checkpoint that is kept, without its state.
public struct CheckpointRow: Hashable, Sendable {
    /// Of the last record of `in/p` that it includes.
    public var sequence: UInt64
    public var stateHash: UInt64

    public init(sequence: UInt64, stateHash: UInt64) {
        self.sequence = sequence
        self.stateHash = stateHash
    }
}

/// Why a checkpoint is not kept.
public enum CheckpointRefusal: String, Sendable, CaseIterable {
    /// The log of the partition never had that record at that place.
    case otherInput
    /// What was decided up to there is something else, or has not arrived yet.
    case otherOutput
    /// At that place another version of the logic is in force.
    case otherLogic
    /// Somebody else computed another state from the same records.
    case otherState
    /// A newer one is kept.
    case older

    /// For the log of who sent it.
    public var explanation: String {
        switch self {
        case .otherInput: "its place is not in this partition's log"
        case .otherOutput: "its outputs are not those that are kept"
        case .otherLogic: "another version of the logic is in force there"
        case .otherState: "another state is known for the same place"
        case .older: "a newer one is kept"
        }
    }
}

/// What becomes of a whole checkpoint.
public enum CheckpointDecision: Hashable, Sendable {
    case keep
    /// It is kept already.
    case known
    case refuse(CheckpointRefusal)
}

/// Decides which checkpoints are kept. Everything that takes the store to find out comes as input.
public enum CheckpointRules {
    /// - Parameters:
    ///   - kept: of the partition
    ///   - isInput: whether the log has the checkpoint's record at its place
    ///   - isOutput: the same of what was decided
    ///   - logic: version in force at that place; nil where nothing is known of it
    public static func decide(
        on checkpoint: Checkpoint, kept: [CheckpointRow], isInput: Bool, isOutput: Bool,
        logic: UInt16?
    ) -> CheckpointDecision {
        guard isInput, checkpoint.input.sequence > 0 else { return .refuse(.otherInput) }
        guard isOutput else { return .refuse(.otherOutput) }
        guard checkpoint.logic == logic else { return .refuse(.otherLogic) }
        if let same = kept.first(where: { $0.sequence == checkpoint.input.sequence }) {
            return same.stateHash == checkpoint.stateHash ? .known : .refuse(.otherState)
        }
        let newest = kept.map(\.sequence).max() ?? 0
        return checkpoint.input.sequence > newest ? .keep : .refuse(.older)
    }

    /// The checkpoint that a new owner begins with: the older one, if the way to the newer one is
    /// short enough to compare with it.
    ///
    /// - Parameter kept: ascending
    /// - Returns: nil if there is none
    public static func choose(
        from kept: [CheckpointRow]
    ) -> (begin: CheckpointRow, audit: CheckpointRow?)? {
        guard let newest = kept.last else { return nil }
        guard kept.count > 1, let older = kept.dropLast().last,
            newest.sequence - older.sequence <= Limits.auditRecords
        else { return (newest, nil) }
        return (older, newest)
    }

    /// What two states that differ at one place are told by.
    public static func text(of stateHash: UInt64) -> String {
        let text = String(stateHash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
