import IngestCore
import Model
import Store

/// The tables `partition` and `sequence`, and the configuration of each partition.
struct SequencingTable {
    let database: Database

    func write(_ effect: SequencingEffect) throws {
        switch effect {
        case .savePartition(let partition):
            try database.run(
                "INSERT OR IGNORE INTO partition (number) VALUES (?)", .integer(partition.number))
        case .saveTime(let time):
            try database.run(
                """
                INSERT INTO sequence (one, time) VALUES (1, ?)
                ON CONFLICT (one) DO UPDATE SET time = excluded.time
                """, .time(time))
        case .saveLogic(let version):
            try database.run("UPDATE sequence SET logic = ?", .integer(version))
        }
    }

    func write(_ effect: ConfigurationEffect) throws {
        switch effect {
        case .saveCircle(let row):
            try database.run(
                "INSERT OR REPLACE INTO configured_circle VALUES (?, ?, ?)",
                .id(row.circle), .integer(row.partition.number), .id(row.digest))
        case .removeCircle(let circle, let partition):
            try database.run(
                "DELETE FROM configured_circle WHERE circle = ? AND partition = ?", .id(circle),
                .integer(partition.number))
        case .savePerson(let row):
            try database.run(
                "INSERT OR REPLACE INTO configured_person (person, digest) VALUES (?, ?)",
                .id(row.person), .id(row.digest))
        case .removePerson(let person):
            try database.run("DELETE FROM configured_person WHERE person = ?", .id(person))
        case .savePage(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO configured_page (owner, page, partition, digest)
                VALUES (?, ?, ?, ?)
                """, .id(row.set), .integer(row.page), .integer(row.partition.number),
                .id(row.digest))
        case .removePage(let set, let page, let partition):
            try database.run(
                "DELETE FROM configured_page WHERE owner = ? AND partition = ? AND page = ?",
                .id(set), .integer(partition.number), .integer(page))
        case .saveSet(let set, let partition):
            try database.run(
                "INSERT OR IGNORE INTO configured_set (owner, partition) VALUES (?, ?)", .id(set),
                .integer(partition.number))
        case .removeSet(let set, let partition):
            for table in ["configured_set", "configured_page"] {
                try database.run(
                    "DELETE FROM \(table) WHERE owner = ? AND partition = ?", .id(set),
                    .integer(partition.number))
            }
        }
    }

    func load(into stored: inout Core.Stored) throws {
        stored.partitions = try database.all("SELECT number FROM partition") { row in
            partition(row.int(0))
        }
        let sequence = try database.first("SELECT time, logic FROM sequence") { row in
            (time: row.time(0), logic: UInt16(row.int(1)))
        }
        if let sequence { (stored.time, stored.logic) = sequence }
        stored.configuredCircles = try database.all(
            "SELECT circle, partition, digest FROM configured_circle"
        ) { row in
            ConfiguredCircleRow(
                circle: row.id(0), partition: partition(row.int(1)), digest: row.id(2))
        }
        stored.configuredPeople = try database.all("SELECT person, digest FROM configured_person") {
            row in
            ConfiguredPersonRow(person: row.id(0), digest: row.id(1))
        }
        stored.configuredSets = try database.all("SELECT owner, partition FROM configured_set") {
            row in
            ConfiguredSetRow(set: row.id(0), partition: partition(row.int(1)))
        }
        stored.configuredPages = try database.all(
            "SELECT owner, page, partition, digest FROM configured_page"
        ) { row in
            ConfiguredPageRow(
                set: row.id(0), page: row.int(1), partition: partition(row.int(2)),
                digest: row.id(3))
        }
    }

    private func partition(_ number: Int) -> Partition {
        guard let partition = Partition(number) else {
            fatalError("the store must contain partitions 0 to 63, not \(number)")
        }
        return partition
    }
}

extension SequencingTable {
    /// 2: configuration as of checkpoints; that of older stores is complete in the partition's log,
    /// which was never pruned. 4: pages and complete sets of zones that a partition has; versions
    /// of pages are ordered between those of circles and people.
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE partition (
                    number INTEGER PRIMARY KEY
                ) STRICT;
                CREATE TABLE sequence (
                    one INTEGER PRIMARY KEY CHECK (one = 1),
                    time INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE configured_circle (
                    circle BLOB NOT NULL,
                    partition INTEGER NOT NULL,
                    digest BLOB NOT NULL,
                    PRIMARY KEY (circle, partition)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE configured_person (
                    person BLOB PRIMARY KEY,
                    digest BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 2,
            sql: """
                ALTER TABLE sequence ADD COLUMN logic INTEGER NOT NULL DEFAULT 1;
                -- part: 0 the logic, 1 a circle, 2 a person; sequence: of the record in the log.
                CREATE TABLE configuration_record (
                    number INTEGER PRIMARY KEY,
                    partition INTEGER NOT NULL,
                    part INTEGER NOT NULL,
                    subject TEXT NOT NULL,
                    sequence INTEGER NOT NULL,
                    kind INTEGER NOT NULL,
                    schema INTEGER NOT NULL,
                    id BLOB NOT NULL,
                    payload BLOB NOT NULL,
                    UNIQUE (partition, part, subject, sequence)
                ) STRICT;
                INSERT INTO configuration_record
                    (partition, part, subject, sequence, kind, schema, id, payload)
                    SELECT place >> 48,
                        CASE WHEN kind = 12 THEN 0 WHEN kind >= 10 THEN 1 ELSE 2 END,
                        coalesce(json_extract(CAST(payload AS TEXT), '$.data.circle'),
                            json_extract(CAST(payload AS TEXT), '$.data.person'), ''),
                        place & 281474976710655, kind, schema, id, payload
                    FROM outbox WHERE place < 64 << 48 AND kind BETWEEN 8 AND 12;
                """),
        Migration(
            number: 4,
            sql: """
                CREATE TABLE configured_page (
                    owner BLOB NOT NULL,
                    page INTEGER NOT NULL,
                    partition INTEGER NOT NULL,
                    digest BLOB NOT NULL,
                    PRIMARY KEY (owner, partition, page)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE configured_set (
                    owner BLOB NOT NULL,
                    partition INTEGER NOT NULL,
                    PRIMARY KEY (owner, partition)
                ) STRICT, WITHOUT ROWID;
                -- part: 0 the logic, 1 a circle, 2 a page of a set, 3 a person.
                UPDATE configuration_record SET part = 3 WHERE part = 2;
                """),
    ]
}
