import Model
import Store
import Wire

// Streams in backups: listing, verification without the service, and new incarnations after a
// restore.
extension SQLiteBusStore {
    /// All streams in the store, ordered by code.
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

    /// Applied positions of followed streams, ordered by code.
    public func cursors() throws -> [(stream: StreamName, position: Position)] {
        try database.all("SELECT stream, incarnation, sequence, hash FROM cursor") { row in
            StreamName(text: row.text(0)).map { ($0, SQLiteBusStore.position(row, 1)) }
        }.compactMap(\.self).sorted { $0.stream.code < $1.stream.code }
    }

    /// Reads all records of a stream and verifies every hash.
    ///
    /// - Returns: a sentence about the first fault; nil if the chain is intact
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
                    return "\(extent.stream) has a wrong hash at \(end.sequence)"
                }
            }
        }
        return nil
    }

    /// Gives every stream a new incarnation after a restore.
    ///
    /// New records reuse sequences that consumers may know with other content; the incarnation lets
    /// them detect it. All acknowledgements are removed, so nothing is pruned until consumers
    /// acknowledge again.
    public func assignNewIncarnations(_ newIncarnation: () -> ID128) throws {
        for code in try database.all("SELECT code FROM stream", as: { $0.int(0) }) {
            try database.run(
                "UPDATE stream SET incarnation = ? WHERE code = ?", .id(newIncarnation()),
                .integer(code))
        }
        try database.run("DELETE FROM consumer")
    }
}
