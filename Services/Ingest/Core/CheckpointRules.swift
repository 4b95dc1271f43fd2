import Model
import Wire

/// A checkpoint that is kept, without its state.
public struct CheckpointRow: Hashable, Sendable {
    /// Of the last record of `in/p` that it includes.
    public var sequence: UInt64
    public var stateHash: UInt64
    public var received: Timestamp
    /// Somebody began with it and came to the end of the log.
    public var isProven: Bool

    public init(
        sequence: UInt64, stateHash: UInt64, received: Timestamp = .zero, isProven: Bool = false
    ) {
        self.sequence = sequence
        self.stateHash = stateHash
        self.received = received
        self.isProven = isProven
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
    /// Its sender neither has the partition nor is to have it.
    case stranger
    /// Its bytes do not give the hash of the state that it names.
    case stateHash

    /// For the log of who sent it.
    public var explanation: String {
        switch self {
        case .otherInput: "its place is not in this partition's log"
        case .otherOutput: "its outputs are not those that are kept"
        case .otherLogic: "another version of the logic is in force there"
        case .otherState: "another state is known for the same place"
        case .older: "a newer one is kept"
        case .stranger: "the partition is not its sender's"
        case .stateHash: "its state does not give the hash that it names"
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
    /// short enough to compare with it. Where that led to nothing, the newest; then whatever is
    /// left.
    ///
    /// - Parameters:
    ///   - kept: ascending
    ///   - failed: sequences of those with which somebody began who gave the partition up
    /// - Returns: nil if there is none
    public static func choose(
        from kept: [CheckpointRow], failed: Set<UInt64> = []
    ) -> (begin: CheckpointRow, audit: CheckpointRow?)? {
        guard let newest = kept.last else { return nil }
        if let older = kept.dropLast().last, !failed.contains(older.sequence),
            newest.sequence - older.sequence <= Limits.auditRecords
        {
            return (older, newest)
        }
        return (kept.last { !failed.contains($0.sequence) } ?? newest, nil)
    }

    /// Those of which nothing is to be kept any more. The two newest stay. Neither of them may ever
    /// have been of use to anybody: then the newest that was stays, too, for an hour, and so
    /// does the log since.
    ///
    /// - Parameter kept: ascending
    public static func outdated(of kept: [CheckpointRow], at now: Timestamp) -> [CheckpointRow] {
        let newest = kept.suffix(Limits.checkpointsKept)
        var others = kept.dropLast(Limits.checkpointsKept)
        guard !newest.contains(where: \.isProven), let proven = others.last(where: \.isProven),
            now - proven.received <= .seconds(Limits.provenSeconds)
        else { return Array(others) }
        others.removeAll { $0 == proven }
        return Array(others)
    }

    /// What two states that differ at one place are told by.
    public static func text(of stateHash: UInt64) -> String {
        let text = String(stateHash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
