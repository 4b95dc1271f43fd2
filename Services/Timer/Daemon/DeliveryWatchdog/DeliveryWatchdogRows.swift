import Model
import Store
import TimerCore

/// Rows of delivery watchdogs.
struct DeliveryWatchdogRows {
    let database: Database

    func save(_ deliveryWatchdog: DeliveryWatchdog) throws {
        try database.run(
            "INSERT OR REPLACE INTO delivery_watchdog "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(deliveryWatchdog.emergency), .id(deliveryWatchdog.person),
            .time(deliveryWatchdog.countdownEnds),
            .text(deliveryWatchdog.state.rawValue), .time(deliveryWatchdog.due),
            .integer(deliveryWatchdog.calls),
            .flag(deliveryWatchdog.isCallAccepted), .time(deliveryWatchdog.received),
            deliveryWatchdog.lastAccepted.map { .time($0) } ?? .null,
            .id(deliveryWatchdog.joined), .flag(deliveryWatchdog.isOpened),
            .blob(deliveryWatchdog.messages.flatMap(\.raw.bytes)),
            .flag(deliveryWatchdog.isAnswered))
    }

    func remove(_ emergency: EmergencyID) throws {
        try database.run("DELETE FROM delivery_watchdog WHERE emergency = ?", .id(emergency))
    }

    /// Decodes ids of sixteen bytes each.
    private static func ids(_ bytes: [UInt8]) -> [NotificationID] {
        stride(from: 0, to: bytes.count, by: 16).compactMap { start in
            ID128(bytes: bytes[start...].prefix(16)).map { NotificationID($0) }
        }
    }

    func all() throws -> [DeliveryWatchdog] {
        try database.all(
            """
            SELECT emergency, person, countdown, state, due, calls, call_accepted, received,
                last_accepted, joined, opened, messages, answered FROM delivery_watchdog
            """
        ) { row in
            guard let state = DeliveryWatchdog.State(rawValue: row.text(3)) else {
                fatalError("broken invariant: watchdog row with an unknown state")
            }
            return DeliveryWatchdog(
                emergency: row.id(0), person: row.id(1), countdownEnds: row.time(2), state: state,
                due: row.time(4), calls: row.int(5), isCallAccepted: row.flag(6),
                received: row.time(7), lastAccepted: row.optionalTime(8), joined: row.optionalID(9),
                isOpened: row.flag(10), messages: DeliveryWatchdogRows.ids(row.blob(11)),
                isAnswered: row.flag(12))
        }
    }
}
