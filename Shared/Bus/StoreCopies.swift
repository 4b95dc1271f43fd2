import Model
import Store
import Wire

// What a backup says of the streams in a store, how they are checked without their keeper, and how
// they begin a new life.
extension SQLiteBusStore {
    /// Every stream kept in the store, in the order of their codes.
    public func extents() throws -> [Extent] {
        let bases = try database.all(
            "SELECT code, incarnation, base_sequence, base_hash FROM stream ORDER BY code"
        ) { (code: $0.int(0), base: SQLiteBusStore.position($0, 1)) }
        return try bases.compactMap { code, base in
            guard let stream = StreamName(code: code) else { return nil }
            return Extent(
                stream: stream, base: base, head: try head(of: stream, base: base),
                isSnapshotable: false)
        }
    }

    /// How far the streams of others are applied, in the order of their codes.
    public func cursors() throws -> [(stream: StreamName, position: Position)] {
        try database.all("SELECT stream, incarnation, sequence, hash FROM cursor") { row in
            StreamName(text: row.text(0)).map { ($0, SQLiteBusStore.position(row, 1)) }
        }.compactMap(\.self).sorted { $0.stream.code < $1.stream.code }
    }

    /// Reads all records of a stream and recomputes every hash.
    ///
    /// - Returns: what is wrong with the chain, in words; nil if nothing is
    public func chainFault(of extent: Extent) throws -> String? {
        var end = extent.base
        while end.sequence < extent.head.sequence {
            let found = try records(
                of: extent.stream, after: end.sequence, through: extent.head.sequence,
                bytesMax: WireLimits.batchBytesMax)
            guard !found.isEmpty else { return "\(extent.stream) ends at \(end.sequence)" }
            for stored in found {
                end = end.advanced(by: stored.record)
                guard end.hash == stored.hash else {
                    return "\(extent.stream) is another one from \(end.sequence) on"
                }
            }
        }
        return nil
    }

    /// Gives every stream of the store a new life, so that whoever followed the one before notices:
    /// the next records will have numbers that others had there. Who acknowledged what is
    /// forgotten, as nobody has anything of the new life: nothing is pruned until they have.
    public func beginNewLives(_ newIncarnation: () -> ID128) throws {
        for code in try database.all("SELECT code FROM stream", as: { $0.int(0) }) {
            try database.run(
                "UPDATE stream SET incarnation = ? WHERE code = ?", .id(newIncarnation()),
                .integer(code))
        }
        try database.run("DELETE FROM consumer")
    }
}
