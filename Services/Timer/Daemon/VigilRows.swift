import Model
import Store
import TimerCore

/// The rows of vigils.
struct VigilRows {
    let database: Database

    func save(_ vigil: Vigil) throws {
        try database.run(
            "INSERT OR REPLACE INTO vigil VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(vigil.emergency), .id(vigil.person), .time(vigil.countdownEnds),
            .text(vigil.state.rawValue), .time(vigil.due), .integer(vigil.calls),
            .flag(vigil.isCallAccepted), .time(vigil.heard), vigil.told.map { .time($0) } ?? .null,
            .id(vigil.joined), .flag(vigil.isOpened),
            .blob(vigil.messages.flatMap(\.raw.bytes)), .flag(vigil.isAnswered))
    }

    func remove(_ emergency: EmergencyID) throws {
        try database.run("DELETE FROM vigil WHERE emergency = ?", .id(emergency))
    }

    /// Ids of sixteen bytes each.
    private static func ids(_ bytes: [UInt8]) -> [NotificationID] {
        stride(from: 0, to: bytes.count, by: 16).compactMap { start in
            ID128(bytes: bytes[start...].prefix(16)).map { NotificationID($0) }
        }
    }

    func all() throws -> [Vigil] {
        try database.all(
            """
            SELECT emergency, person, countdown, state, due, calls, taken, heard, told, joined,
                opened, messages, answered FROM vigil
            """
        ) { row in
            guard let state = Vigil.State(rawValue: row.text(3)) else {
                fatalError("broken invariant: a vigil has a known state")
            }
            return Vigil(
                emergency: row.id(0), person: row.id(1), countdownEnds: row.time(2), state: state,
                due: row.time(4), calls: row.int(5), isCallAccepted: row.flag(6),
                heard: row.time(7), told: row.optionalTime(8), joined: row.optionalID(9),
                isOpened: row.flag(10), messages: VigilRows.ids(row.blob(11)),
                isAnswered: row.flag(12))
        }
    }
}
