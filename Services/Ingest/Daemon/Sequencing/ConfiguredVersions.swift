import Model
import Store
import Wire

/// Configuration records of each partition, in every version that a checkpoint may need: the log
/// itself is pruned.
struct ConfiguredVersions {
    let database: Database

    /// The part of the configuration that a version is of; circles and sets come before the people
    /// who need them.
    private enum Part: Int {
        case logic = 0
        case circle = 1
        case page = 2
        case person = 3
    }

    /// Pages of sets that were appended before the set was removed: uses `one` and the sequence in
    /// parameter 2.
    private static let isOfRemovedSet = """
        one.part = 2 AND EXISTS (
            SELECT 1 FROM configuration_record AS gone
            WHERE gone.partition = one.partition AND gone.part = 2
                AND gone.subject = substr(one.subject, 1, 30)
                AND gone.sequence > one.sequence AND gone.sequence <= ?2)
        """

    /// Stores a record that was just appended, if it is configuration.
    func record(
        _ body: EventBody, _ record: Record, at sequence: UInt64, in partition: Partition
    ) throws {
        let part: Part
        let subject: String
        switch body {
        case .inputLogic: (part, subject) = (.logic, "")
        case .inputCircle(let configured):
            (part, subject) = (.circle, configured.circle.description)
        case .inputCircleRemoved(let removal):
            (part, subject) = (.circle, removal.circle.description)
        case .inputSet(let configured):
            (part, subject) = (.page, "\(configured.set) \(configured.page)")
        case .inputSetRemoved(let removal): (part, subject) = (.page, removal.set.description)
        case .inputPerson(let configured):
            (part, subject) = (.person, configured.person.description)
        case .inputPersonRemoved(let removal):
            (part, subject) = (.person, removal.person.description)
        default: return
        }
        try database.run(
            """
            INSERT INTO configuration_record
                (partition, part, subject, sequence, kind, schema, id, payload)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(partition.number), .integer(part.rawValue), .text(subject),
            .integer(sequence), .integer(record.kind), .integer(record.schema), .id(record.id),
            .blob(record.payload))
    }

    /// The records that make up a partition's configuration as of a sequence: circles, then sets,
    /// then people, each ordered by id.
    func configuration(of partition: Partition, asOf sequence: UInt64) throws -> [Record] {
        try database.all(
            """
            SELECT kind, schema, id, payload FROM configuration_record AS one
            WHERE partition = ?1 AND part > 0 AND sequence <= ?2 AND kind IN (?3, ?4, ?5)
                AND NOT EXISTS (
                    SELECT 1 FROM configuration_record AS newer
                    WHERE newer.partition = ?1 AND newer.part = one.part
                        AND newer.subject = one.subject
                        AND newer.sequence > one.sequence AND newer.sequence <= ?2)
                AND NOT (\(ConfiguredVersions.isOfRemovedSet))
            ORDER BY part, subject
            """,
            .integer(partition.number), .integer(sequence),
            .integer(EventKind.inputCircle.rawValue), .integer(EventKind.inputSet.rawValue),
            .integer(EventKind.inputPerson.rawValue), as: record)
    }

    /// The version of the logic in force as of a sequence; nil if the log has no records.
    func logic(of partition: Partition, asOf sequence: UInt64) throws -> UInt16? {
        let found = try database.first(
            """
            SELECT kind, schema, id, payload FROM configuration_record
            WHERE partition = ? AND part = 0 AND sequence <= ? ORDER BY sequence DESC LIMIT 1
            """,
            .integer(partition.number), .integer(sequence), as: record)
        guard let found, case .inputLogic(let logic) = try EventCodec.decode(found).body else {
            return nil
        }
        return UInt16(exactly: logic.version)
    }

    private func record(_ row: Row) -> Record {
        Record(
            kind: UInt16(row.int(0)), schema: UInt16(row.int(1)), id: row.id(2),
            payload: row.blob(3))
    }

    /// Deletes versions that no owner needs who starts at a sequence or later.
    func forget(in partition: Partition, before sequence: UInt64) throws {
        try database.run(
            """
            DELETE FROM configuration_record WHERE number IN (
                SELECT number FROM (
                    SELECT number, sequence, max(sequence) OVER (
                        PARTITION BY part, subject) AS newest
                    FROM configuration_record WHERE partition = ?1 AND sequence <= ?2)
                WHERE sequence < newest)
            """, .integer(partition.number), .integer(sequence))
        try database.run(
            """
            DELETE FROM configuration_record AS one
            WHERE partition = ?1 AND sequence <= ?2 AND (\(ConfiguredVersions.isOfRemovedSet))
            """, .integer(partition.number), .integer(sequence))
        try database.run(
            """
            DELETE FROM configuration_record
            WHERE partition = ? AND sequence <= ? AND kind IN (?, ?, ?)
            """, .integer(partition.number), .integer(sequence),
            .integer(EventKind.inputCircleRemoved.rawValue),
            .integer(EventKind.inputSetRemoved.rawValue),
            .integer(EventKind.inputPersonRemoved.rawValue))
    }
}
