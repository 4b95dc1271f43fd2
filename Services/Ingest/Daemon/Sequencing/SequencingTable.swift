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
