import Model
import Wire

// Streams kept here, for whoever reads them in this process.
extension Bus {
    /// What lasts of a stream; nil if it is not kept here.
    public func extent(of stream: StreamName) -> Extent? { outbox.extent(of: stream) }

    /// What lasts of a stream after a sequence, in its order: as many records as have that many
    /// bytes together, at least one if there is any.
    ///
    /// - Throws: errors of the store
    public func lasting(
        _ stream: StreamName, after sequence: UInt64, bytesMax: Int
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

    /// The chain hash of what lasts of a stream at a sequence; nil where that is not known.
    ///
    /// - Throws: errors of the store
    public func lastingHash(of stream: StreamName, at sequence: UInt64) throws -> UInt64? {
        guard let extent = outbox.extent(of: stream), sequence >= extent.base.sequence,
            sequence <= extent.head.sequence
        else { return nil }
        return try outbox.hash(of: stream, at: sequence)
    }

    /// After which sequence of a stream kept here records were appended at a time or later.
    ///
    /// Halves the stream again and again: the clock by which records were appended may have gone
    /// back meanwhile, and then the answer is one of those that are true.
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
