import Model
import Store
import TimerCore

/// The rows of vigils.
struct VigilRows {
    let database: Database

    func save(_ vigil: Vigil) throws {
        try database.run(
            "INSERT OR REPLACE INTO vigil VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(vigil.emergency), .id(vigil.person), .time(vigil.countdownEnds),
            .text(vigil.state.rawValue), .time(vigil.due), .integer(vigil.calls),
            .flag(vigil.isCallAccepted), .time(vigil.heard), vigil.told.map { .time($0) } ?? .null,
            .id(vigil.joined), .flag(vigil.isOpened))
    }

    func remove(_ emergency: EmergencyID) throws {
        try database.run("DELETE FROM vigil WHERE emergency = ?", .id(emergency))
    }

    func all() throws -> [Vigil] {
        try database.all(
            """
            SELECT emergency, person, countdown, state, due, calls, taken, heard, told, joined,
                opened FROM vigil
            """
        ) { row in
            guard let state = Vigil.State(rawValue: row.text(3)) else {
                fatalError("broken invariant: a vigil has a known state")
            }
            return Vigil(
                emergency: row.id(0), person: row.id(1), countdownEnds: row.time(2), state: state,
                due: row.time(4), calls: row.int(5), isCallAccepted: row.flag(6),
                heard: row.time(7), told: row.optionalTime(8), joined: row.optionalID(9),
                isOpened: row.flag(10))
        }
    }
}
