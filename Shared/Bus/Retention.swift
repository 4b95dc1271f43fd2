import Model
import Wire

/// What of a stream its keeper may forget: what everybody has who must have it, and what is old.
public struct Retention: Hashable, Sendable {
    /// Who must have it, by the name under which they acknowledge. One that is not there, or never
    /// was, keeps everything that it has not acknowledged.
    public var required: [String]
    /// Records stay so long in any case.
    public var ageMin: Duration
    /// Whether the owner of the bus says besides how far, by ``Bus/Hooks/pruneFloor``.
    public var hasFloor: Bool

    public init(required: [String], ageMin: Duration, hasFloor: Bool = false) {
        self.required = required
        self.ageMin = ageMin
        self.hasFloor = hasFloor
    }

    /// A record counts as held back when somebody is missing it for so much longer than it has to
    /// be kept anyway.
    public static let patience = Duration.seconds(3600)

    /// The last sequence that nobody needs, however old it is.
    ///
    /// - Parameters:
    ///   - head: of the stream
    ///   - acknowledged: up to where each has it on its disk; who is not named has nothing
    ///   - floor: the owner's word; nil while it gives none
    func bound(head: UInt64, acknowledged: [String: UInt64], floor: UInt64?) -> UInt64 {
        if hasFloor, floor == nil { return 0 }
        let least = required.map { acknowledged[$0] ?? 0 }.min() ?? head
        return min(head, least, floor ?? head)
    }

    /// How many of the oldest records may go now, of those that nobody needs.
    ///
    /// - Parameter oldest: in their order, with when they were appended and how long they are
    func count(of oldest: [RecordAge], now: Timestamp) -> Int {
        var bytes = 0
        var count = 0
        for record in oldest {
            bytes += record.bytes
            guard now - record.appended >= ageMin, count == 0 || bytes <= BusLimits.prunedBytes
            else { break }
            count += 1
        }
        return count
    }

    /// Whether somebody who has not acknowledged a record holds it back.
    func isHeldBack(_ record: RecordAge, now: Timestamp) -> Bool {
        now - record.appended >= ageMin + Retention.patience
    }
}

/// When a record was appended, and how much room it takes.
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

/// A consumer whose absence keeps a stream from being pruned.
public struct Holdback: Hashable, Sendable, CustomStringConvertible {
    public var consumer: String
    public var stream: StreamName
    /// Records that it has not acknowledged.
    public var records: UInt64
    /// Age of the oldest of them.
    public var age: Duration

    public var description: String {
        "\(consumer) holds back \(records) records of \(stream), the oldest for "
            + "\(age.components.seconds / 3600) h"
    }
}
