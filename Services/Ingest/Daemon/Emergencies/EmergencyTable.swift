import IngestCore
import Model
import Parsing
import Store

/// The table `emergency`: calls for help and the states of their emergencies.
struct EmergencyTable {
    let database: Database

    func write(_ effect: EmergencyEffect) throws {
        switch effect {
        case .save(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO emergency (id, person, emergency, trigger, raised, received,
                    countdown_ends, state, delivery_state, recipients, ended, ended_circles,
                    joined_calls, last_joined, under_duress, raised_by)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                .id(row.id), .id(row.person), .id(row.emergency), .text(row.trigger.rawValue),
                .time(row.raised), .time(row.received), .time(row.countdownEnds),
                .text(row.state.rawValue), .text(row.deliveryState.rawValue),
                .blob(IDList.write(row.recipients.map(\.raw))), .time(row.ended),
                .blob(IDList.write(row.endedCircles.map(\.raw))), .integer(row.joinedCalls),
                .text(try row.lastJoined.map { try JSON.encode($0).text }),
                .id(row.underDuress), .id(row.raisedBy))
        case .remove(let id):
            try database.run("DELETE FROM emergency WHERE id = ?", .id(id))
        }
    }

    func load(into stored: inout Core.Stored) throws {
        stored.emergencies = try database.all(
            """
            SELECT id, person, emergency, trigger, raised, received, countdown_ends, state,
                delivery_state, recipients, ended, ended_circles, joined_calls, last_joined,
                under_duress, raised_by
            FROM emergency
            """
        ) { row in
            EmergencyRow(
                id: row.id(0), person: row.id(1), emergency: row.id(2),
                trigger: EmergencyTrigger(rawValue: row.text(3)) ?? .panic, raised: row.time(4),
                received: row.time(5), countdownEnds: row.time(6),
                state: EmergencyState(rawValue: row.text(7)) ?? .open,
                deliveryState: DeliveryState(rawValue: row.text(8)) ?? .none,
                recipients: IDList.read(row.blob(9)).map { PersonID($0) },
                ended: row.optionalTime(10),
                endedCircles: IDList.read(row.blob(11)).map { CircleID($0) },
                joinedCalls: row.int(12),
                lastJoined: try row.optionalText(13).map {
                    try JSON.parse($0).decode(EmergencySignal.self)
                },
                underDuress: row.optionalID(14), raisedBy: row.optionalID(15))
        }
    }
}

extension EmergencyTable {
    /// 18: circles in which an emergency has ended while it continues in others. 19: number of
    /// further calls that joined an emergency without being stored, and the last one. 23:
    /// emergencies that go on after they were ended with a duress PIN. 24: who called on the
    /// person's behalf.
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE emergency (
                    id BLOB PRIMARY KEY,
                    person BLOB NOT NULL,
                    emergency BLOB NOT NULL,
                    trigger TEXT NOT NULL,
                    raised INTEGER NOT NULL,
                    received INTEGER NOT NULL,
                    countdown_ends INTEGER NOT NULL,
                    state TEXT NOT NULL,
                    delivery_state TEXT NOT NULL,
                    recipients BLOB NOT NULL,
                    ended INTEGER
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 18,
            sql: """
                ALTER TABLE emergency ADD COLUMN ended_circles BLOB NOT NULL DEFAULT x'';
                """),
        Migration(
            number: 19,
            sql: """
                ALTER TABLE emergency ADD COLUMN joined_calls INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE emergency ADD COLUMN last_joined TEXT;
                """),
        Migration(
            number: 23, sql: "ALTER TABLE emergency ADD COLUMN under_duress BLOB;"),
        Migration(number: 24, sql: "ALTER TABLE emergency ADD COLUMN raised_by BLOB;"),
    ]
}
