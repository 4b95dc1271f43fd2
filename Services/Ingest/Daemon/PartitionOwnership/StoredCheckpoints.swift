import IngestCore
import Model
import Store
import Wire

/// A stored checkpoint without its state.
struct StoredCheckpoint: Hashable {
    var partition: Partition
    var row: CheckpointRow
    /// Chain hash of `in/p` at its sequence.
    var hash: UInt64
    var outputSequence: UInt64
    var outputHash: UInt64
    var logic: UInt16
    /// Size of the state, bytes.
    var size: Int

    /// Its position in an incarnation of the log. An incarnation that began with a backup has the
    /// records of the one before, and so the same chain.
    func input(in life: ID128) -> Position {
        Position(incarnation: life, sequence: row.sequence, hash: hash)
    }

    func output(in life: ID128) -> Position {
        Position(incarnation: life, sequence: outputSequence, hash: outputHash)
    }
}

/// The stored checkpoints of all partitions.
struct StoredCheckpoints {
    let database: Database

    private static let columns = """
        partition, sequence, hash, output_sequence, output_hash, logic, state_hash, received,
        length(state), proven
        """

    /// The checkpoints of one partition, ascending.
    func of(_ partition: Partition) throws -> [StoredCheckpoint] {
        try database.all(
            """
            SELECT \(StoredCheckpoints.columns) FROM checkpoint WHERE partition = ?
            ORDER BY sequence
            """, .integer(partition.number)
        ) { read($0, partition) }
    }

    /// All checkpoints by partition.
    func all() throws -> [Partition: [StoredCheckpoint]] {
        var found: [Partition: [StoredCheckpoint]] = [:]
        try database.rows(
            "SELECT \(StoredCheckpoints.columns) FROM checkpoint ORDER BY partition, sequence"
        ) { row in
            guard let partition = Partition(row.int(0)) else { return }
            found[partition, default: []].append(read(row, partition))
        }
        return found
    }

    /// Sequence of the newest checkpoint of each partition.
    func newest() throws -> [Partition: UInt64] {
        var found: [Partition: UInt64] = [:]
        try database.rows(
            "SELECT partition, max(sequence) FROM checkpoint GROUP BY partition"
        ) { row in
            guard let partition = Partition(row.int(0)) else { return }
            found[partition] = UInt64(row.int64(1))
        }
        return found
    }

    private func read(_ row: Row, _ partition: Partition) -> StoredCheckpoint {
        StoredCheckpoint(
            partition: partition,
            row: CheckpointRow(
                sequence: UInt64(row.int64(1)), stateHash: UInt64(bitPattern: row.int64(6)),
                received: row.time(7), isProven: row.int(9) != 0),
            hash: UInt64(bitPattern: row.int64(2)), outputSequence: UInt64(row.int64(3)),
            outputHash: UInt64(bitPattern: row.int64(4)), logic: UInt16(row.int(5)),
            size: row.int(8))
    }

    func state(of checkpoint: StoredCheckpoint) throws -> [UInt8] {
        try database.first(
            "SELECT state FROM checkpoint WHERE partition = ? AND sequence = ?",
            .integer(checkpoint.partition.number), .integer(checkpoint.row.sequence)
        ) { $0.blob(0) } ?? []
    }

    /// Stores a checkpoint newer than the existing ones, and deletes outdated ones.
    func keep(_ checkpoint: Checkpoint, at time: Timestamp) throws {
        try database.run(
            """
            INSERT INTO checkpoint (partition, sequence, hash, output_sequence, output_hash, logic,
                state_hash, received, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(checkpoint.partition.number), .integer(checkpoint.input.sequence),
            .integer(Int64(bitPattern: checkpoint.input.hash)),
            .integer(checkpoint.output.sequence),
            .integer(Int64(bitPattern: checkpoint.output.hash)), .integer(checkpoint.logic),
            .integer(Int64(bitPattern: checkpoint.stateHash)), .time(time),
            .blob(checkpoint.state))
        let kept = try of(checkpoint.partition).map(\.row)
        for row in CheckpointRules.outdated(of: kept, at: time) {
            try database.run(
                "DELETE FROM checkpoint WHERE partition = ? AND sequence = ?",
                .integer(checkpoint.partition.number), .integer(row.sequence))
        }
    }

    /// Marks a checkpoint as proven.
    func prove(_ sequence: UInt64, of partition: Partition) throws {
        try database.run(
            "UPDATE checkpoint SET proven = 1 WHERE partition = ? AND sequence = ?",
            .integer(partition.number), .integer(sequence))
    }
}

extension StoredCheckpoints {
    /// 3: whether a checkpoint is proven.
    static let migrations = [
        Migration(
            number: 2,
            sql: """
                CREATE TABLE checkpoint (
                    number INTEGER PRIMARY KEY,
                    partition INTEGER NOT NULL,
                    sequence INTEGER NOT NULL,
                    hash INTEGER NOT NULL,
                    output_sequence INTEGER NOT NULL,
                    output_hash INTEGER NOT NULL,
                    logic INTEGER NOT NULL,
                    state_hash INTEGER NOT NULL,
                    received INTEGER NOT NULL,
                    state BLOB NOT NULL,
                    UNIQUE (partition, sequence)
                ) STRICT;
                """),
        Migration(
            number: 3,
            sql: """
                ALTER TABLE checkpoint ADD COLUMN proven INTEGER NOT NULL DEFAULT 0;
                """),
    ]
}
