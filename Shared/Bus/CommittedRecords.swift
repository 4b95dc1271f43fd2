import Model
import Wire

// Access to committed records of served streams, for services of this process.
extension Bus {
    /// The committed extent of a served stream; nil for other streams.
    public func extent(of stream: StreamName) -> Extent? { outbox.extent(of: stream) }

    /// Returns committed records after a sequence, in order, with at most `bytesMax` bytes in
    /// total; at least one record if there is any.
    ///
    /// - Throws: errors of the store
    public func committedRecords(
        of stream: StreamName, after sequence: UInt64, bytesMax: Int
    ) throws -> [(position: Position, record: Record)] {
        guard let extent = outbox.extent(of: stream), sequence < extent.head.sequence else {
            return []
        }
        let first = max(sequence, extent.base.sequence)
        let found = try outbox.records(
            of: stream, after: first, through: extent.head.sequence, bytesMax: bytesMax)
        return zip((first + 1)..., found).map { sequence, stored in
            let position = Position(
                incarnation: extent.head.incarnation, sequence: sequence, hash: stored.hash)
            return (position, stored.record)
        }
    }

    /// The chain hash of a committed record; nil outside of the extent.
    ///
    /// - Throws: errors of the store
    public func committedHash(of stream: StreamName, at sequence: UInt64) throws -> UInt64? {
        guard let extent = outbox.extent(of: stream), sequence >= extent.base.sequence,
            sequence <= extent.head.sequence
        else { return nil }
        return try outbox.hash(of: stream, at: sequence)
    }

    /// Returns the last sequence whose records were all appended before a time.
    ///
    /// Uses binary search. If the clock was set back meanwhile, the result is one of the possible
    /// answers.
    ///
    /// - Throws: errors of the store
    public func sequence(of stream: StreamName, before time: Timestamp) throws -> UInt64 {
        guard let extent = outbox.extent(of: stream) else { return 0 }
        var low = extent.base.sequence
        var high = extent.head.sequence
        while low < high {
            let middle = low + (high - low) / 2
            let appended = try outbox.appended(of: stream, after: middle)
            if let appended, appended < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Outbox {
    fileprivate func records(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, bytesMax: Int
    ) throws -> [StoredRecord] {
        try store.records(of: stream, after: sequence, through: last, bytesMax: bytesMax)
    }

    /// When the first record after a sequence was appended.
    fileprivate func appended(
        of stream: StreamName, after sequence: UInt64
    ) throws -> Timestamp? {
        try store.ages(of: stream, after: sequence, through: sequence + 1, limit: 1).first?.appended
    }
}
