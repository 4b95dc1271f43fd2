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
