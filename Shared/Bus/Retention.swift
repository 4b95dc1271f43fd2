import Model
import Wire

/// Retention rule of a stream: records are pruned when all required consumers have them and they
/// are old enough.
public struct Retention: Hashable, Sendable {
    /// Consumers that must have acknowledged a record before it is pruned, by name. A consumer that
    /// never acknowledged keeps all records.
    public var required: [String]
    /// The minimum age of pruned records.
    public var ageMin: Duration
    /// Whether ``Bus/Hooks/pruneFloor`` limits pruning further.
    public var hasFloor: Bool

    public init(required: [String], ageMin: Duration, hasFloor: Bool = false) {
        self.required = required
        self.ageMin = ageMin
        self.hasFloor = hasFloor
    }

    /// How long beyond ``ageMin`` a consumer may keep a record before it is reported.
    public static let patience = Duration.seconds(3600)

    /// Returns the last sequence that may be pruned regardless of age.
    ///
    /// - Parameters:
    ///   - head: the stream's last sequence
    ///   - acknowledged: the acknowledged sequence of each consumer; missing = 0
    ///   - floor: the owner's limit; nil = prune nothing if ``hasFloor``
    func bound(head: UInt64, acknowledged: [String: UInt64], floor: UInt64?) -> UInt64 {
        if hasFloor, floor == nil { return 0 }
        let least = required.map { acknowledged[$0] ?? 0 }.min() ?? head
        return min(head, least, floor ?? head)
    }

    /// Returns how many of the oldest records are old enough, within the limit of a turn.
    ///
    /// - Parameter oldest: ages of records in order
    func count(of oldest: [RecordAge], now: Timestamp) -> Int {
        var bytes = 0
        var count = 0
        for record in oldest {
            bytes += record.bytes
            guard now - record.appended >= ageMin,
                count == 0 || bytes <= BusLimits.prunedBytesPerTurn
            else { break }
            count += 1
        }
        return count
    }

    /// Whether an unacknowledged record has been kept for too long.
    func isHeldBack(_ record: RecordAge, now: Timestamp) -> Bool {
        now - record.appended >= ageMin + Retention.patience
    }
}

/// Time of append and size of a record.
public struct RecordAge: Hashable, Sendable {
    public var sequence: UInt64
    public var hash: UInt64
    public var appended: Timestamp
    public var bytes: Int

    public init(sequence: UInt64, hash: UInt64, appended: Timestamp, bytes: Int) {
        self.sequence = sequence
        self.hash = hash
        self.appended = appended
        self.bytes = bytes
    }
}

/// A consumer that keeps records from being pruned.
public struct Holdback: Hashable, Sendable, CustomStringConvertible {
    public var consumer: String
    public var stream: StreamName
    /// The number of records that it has not acknowledged.
    public var records: UInt64
    /// Age of the oldest of them.
    public var age: Duration

    public var description: String {
        "\(consumer) holds back \(records) records of \(stream), the oldest for "
            + "\(age.components.seconds / 3600) h"
    }
}
