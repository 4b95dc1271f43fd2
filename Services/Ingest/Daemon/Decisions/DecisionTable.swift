import IngestCore
import Model
import Parsing
import Store

/// The table `decision`: decisions about people and zones, kept for seven days.
struct DecisionTable {
    let database: Database

    func write(_ effect: DecisionEffect) throws {
        switch effect {
        case .save(let row):
            try database.run(
                """
                INSERT INTO decision (event, person, zone, time, kind, circles, exact, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, .id(row.event), .id(row.person), .id(row.zone), .time(row.time),
                .integer(row.kind.rawValue), .blob(IDList.write(row.circles.map(\.raw))),
                .blob(IDList.write(row.exactCircles.map(\.raw))),
                .text(try JSON.encode(row.body).text))
        case .removeAll(let person):
            try database.run("DELETE FROM decision WHERE person = ?", .id(person))
        }
    }
}

extension DecisionTable {
    /// 18: circles with exact sharing at the time of a decision; none for older rows.
    static let migrations = [
        Migration(
            number: 5,
            sql: """
                CREATE TABLE decision (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    event BLOB NOT NULL,
                    person BLOB NOT NULL,
                    zone BLOB NOT NULL,
                    time INTEGER NOT NULL,
                    kind INTEGER NOT NULL,
                    circles BLOB NOT NULL,
                    body TEXT NOT NULL
                ) STRICT;
                CREATE INDEX decision_by_person ON decision (person, number);
                CREATE INDEX decision_by_time ON decision (time);
                """),
        Migration(
            number: 18,
            sql: """
                ALTER TABLE decision ADD COLUMN exact BLOB NOT NULL DEFAULT x'';
                """),
    ]
}
