import Model
import Wire

/// A stored checkpoint without its state.
public struct CheckpointRow: Hashable, Sendable {
    /// Sequence of the last record of `in/p` that it includes.
    public var sequence: UInt64
    public var stateHash: UInt64
    public var received: Timestamp
    /// A member started from it and caught up with the log.
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

/// Why a checkpoint is rejected.
public enum CheckpointRejection: String, Sendable, CaseIterable {
    /// The partition's log has no such record at this sequence.
    case otherInput
    /// The events up to there differ, or have not arrived yet.
    case otherOutput
    /// Another version of the logic is in force at this sequence.
    case otherLogic
    /// Another member computed another state from the same records.
    case otherState
    /// A newer checkpoint is stored.
    case older
    /// The partition is not assigned to its sender.
    case stranger
    /// The state does not have the hash that the checkpoint claims.
    case stateHash

    /// Text for the sender's log.
    public var explanation: String {
        switch self {
        case .otherInput: "the checkpoint's input record is not in this partition's log"
        case .otherOutput: "the checkpoint's outputs differ from the stored events"
        case .otherLogic: "another logic version is in force at this sequence"
        case .otherState: "another state is stored for the same sequence"
        case .older: "a newer checkpoint is stored"
        case .stranger: "the partition is not assigned to the sender"
        case .stateHash: "the state does not match its hash"
        }
    }
}

/// The decision on a complete checkpoint.
public enum CheckpointDecision: Hashable, Sendable {
    case keep
    /// It is already stored.
    case known
    case reject(CheckpointRejection)
}

/// Decides which checkpoints are stored. Facts from the store are passed as arguments.
public enum CheckpointRules {
    /// - Parameters:
    ///   - kept: stored checkpoints of the partition
    ///   - isInput: whether the log has the checkpoint's input record at its sequence
    ///   - isOutput: whether the stored events match the checkpoint's outputs
    ///   - logic: version in force at this sequence; nil = unknown
    public static func decide(
        on checkpoint: Checkpoint, kept: [CheckpointRow], isInput: Bool, isOutput: Bool,
        logic: UInt16?
    ) -> CheckpointDecision {
        guard isInput, checkpoint.input.sequence > 0 else { return .reject(.otherInput) }
        guard isOutput else { return .reject(.otherOutput) }
        guard checkpoint.logic == logic else { return .reject(.otherLogic) }
        if let same = kept.first(where: { $0.sequence == checkpoint.input.sequence }) {
            return same.stateHash == checkpoint.stateHash ? .known : .reject(.otherState)
        }
        let newest = kept.map(\.sequence).max() ?? 0
        return checkpoint.input.sequence > newest ? .keep : .reject(.older)
    }

    /// Chooses the checkpoint for a new owner: the older one if the newer one is close enough to be
    /// compared with it. If the older one failed, the newest, then any other.
    ///
    /// - Parameters:
    ///   - kept: ascending
    ///   - failed: sequences of checkpoints from which a member started that gave the partition up
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

    /// Stored checkpoints that can be deleted. The two newest stay. If neither is proven, the
    /// newest proven one stays for an hour as well, with the log since.
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

    /// A state hash as 16 hexadecimal digits.
    public static func text(of stateHash: UInt64) -> String {
        let text = String(stateHash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
