import JourneysCore
import Model
import Parsing
import Store

/// A stored journey without its fixes.
struct JourneyHeader {
    static let columns = """
        journey.number, journey.id, journey.person, journey.name, journey.started,
        journey.stopped, journey.fixes, journey.revision, journey.lates, journey.moved,
        journey.moved_latitude, journey.moved_longitude
        """

    let id: JourneyID
    let person: PersonID
    let name: String
    let span: JourneySpan
    /// Increases with every change.
    let revision: Int64
    /// Fixes that arrived before the newest one in time.
    let lates: Int64

    init(_ row: Row) {
        id = row.id(1)
        person = row.id(2)
        name = row.text(3)
        span = JourneySpan(
            number: row.int64(0), started: row.time(4),
            stopped: row.optionalTime(5) ?? .distantFuture, fixes: row.int(6),
            moved: row.optionalTime(9), place: Coordinate(row, from: 10))
        revision = row.int64(7)
        lates = row.int64(8)
    }
}

/// A place in the fixes of a journey.
struct JourneyPlace: Hashable {
    var time: Timestamp
    var number: Int32

    static let beginning = JourneyPlace(time: Timestamp(microseconds: .min), number: -1)
}

/// The tables of journeys.
package struct JourneyStore {
    let database: Database

    package static let tables = """
        CREATE TABLE journey (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            person BLOB NOT NULL,
            name TEXT NOT NULL,
            started INTEGER NOT NULL,
            stopped INTEGER,
            fixes INTEGER NOT NULL DEFAULT 0,
            last INTEGER,
            lates INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 0,
            tally TEXT
        ) STRICT;
        CREATE INDEX journey_by_person ON journey (person, started);
        CREATE TABLE journey_fix (
            journey INTEGER NOT NULL,
            time INTEGER NOT NULL,
            number INTEGER NOT NULL,
            latitude INTEGER NOT NULL,
            longitude INTEGER NOT NULL,
            accuracy INTEGER NOT NULL,
            altitude INTEGER,
            speed INTEGER,
            PRIMARY KEY (journey, time, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE journey_sight (
            journey INTEGER NOT NULL,
            since INTEGER NOT NULL,
            circles BLOB NOT NULL,
            PRIMARY KEY (journey, since)
        ) STRICT, WITHOUT ROWID;
        -- Journeys that are gone, as long as fixes of them are left.
        CREATE TABLE journey_gone (number INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE journey_note (
            id BLOB PRIMARY KEY,
            journey INTEGER NOT NULL,
            time INTEGER NOT NULL,
            latitude INTEGER,
            longitude INTEGER,
            text TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX journey_note_by_journey ON journey_note (journey, time);
        CREATE TABLE journey_photo (
            id BLOB PRIMARY KEY,
            journey INTEGER NOT NULL,
            time INTEGER NOT NULL,
            latitude INTEGER,
            longitude INTEGER,
            digest BLOB NOT NULL,
            kind INTEGER NOT NULL,
            size INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            orientation INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX journey_photo_by_journey ON journey_photo (journey, time);
        CREATE INDEX journey_photo_by_digest ON journey_photo (digest);
        """

    /// Columns of a later version, for the newest movement.
    package static let columnsOfMovement = """
        ALTER TABLE journey ADD COLUMN moved INTEGER;
        ALTER TABLE journey ADD COLUMN moved_latitude INTEGER;
        ALTER TABLE journey ADD COLUMN moved_longitude INTEGER;
        """

    package init(database: Database) { self.database = database }

    // MARK: - Writing

    func write(_ change: JourneyChange) throws {
        switch change {
        case .start(let span, let id, let person, let name):
            try database.run(
                "INSERT INTO journey (number, id, person, name, started) VALUES (?, ?, ?, ?, ?)",
                .integer(span.number), .id(id), .id(person), .text(name), .time(span.started))
        case .stop(let number, let time):
            try database.run(
                "UPDATE journey SET stopped = ?, revision = revision + 1 WHERE number = ?",
                .time(time), .integer(number))
        case .reset(let number, let span):
            try drop(number)
            try database.run(
                """
                UPDATE journey SET number = ?, started = ?, fixes = 0, last = NULL, lates = 0,
                    revision = revision + 1, tally = NULL, moved = NULL, moved_latitude = NULL,
                    moved_longitude = NULL WHERE number = ?
                """, .integer(span.number), .time(span.started), .integer(number))
        case .remove(let number):
            try drop(number)
            try database.run("DELETE FROM journey WHERE number = ?", .integer(number))
        case .removeAll(let person):
            let numbers = try database.all(
                "SELECT number FROM journey WHERE person = ?", .id(person)
            ) { $0.int64(0) }
            for number in numbers { try write(.remove(number: number)) }
        case .fix(let fix, let number): try add(fix, to: number)
        case .complete(let fix, let number): try complete(fix, in: number)
        case .moved(let fix, let number):
            try database.run(
                """
                UPDATE journey SET moved = ?, moved_latitude = ?, moved_longitude = ?
                WHERE number = ?
                """, .time(fix.time), .integer(fix.position.latitudeE7),
                .integer(fix.position.longitudeE7), .integer(number))
        case .sights(let sights, let number):
            try database.run(
                "DELETE FROM journey_sight WHERE journey = ? AND since >= ?", .integer(number),
                .time(sights.first?.since))
            for sight in sights {
                try database.run(
                    "INSERT INTO journey_sight (journey, since, circles) VALUES (?, ?, ?)",
                    .integer(number), .time(sight.since),
                    .blob(IDList.write(sight.circles.map(\.raw))))
            }
        }
    }

    /// Removes everything from a journey; its fixes are deleted later, a portion per turn.
    private func drop(_ number: Int64) throws {
        try database.run("INSERT INTO journey_gone (number) VALUES (?)", .integer(number))
        for table in ["journey_sight", "journey_note", "journey_photo"] {
            try database.run("DELETE FROM \(table) WHERE journey = ?", .integer(number))
        }
    }

    private func add(_ fix: Fix, to number: Int64) throws {
        try database.run(
            """
            INSERT INTO journey_fix (journey, time, number, latitude, longitude, accuracy,
                altitude, speed)
            VALUES (?1, ?2, (SELECT coalesce(max(number) + 1, 0) FROM journey_fix
                WHERE journey = ?1 AND time = ?2), ?3, ?4, ?5, ?6, ?7)
            """,
            .integer(number), .time(fix.time), .integer(fix.position.latitudeE7),
            .integer(fix.position.longitudeE7), .integer(fix.accuracyCentimetres),
            .integer(fix.altitudeCentimetres), .integer(fix.speedCentimetresPerSecond))
        // A summary continues after the last fix, so a late fix invalidates it.
        try database.run(
            """
            UPDATE journey SET fixes = fixes + 1, revision = revision + 1,
                last = max(coalesce(last, ?1), ?1), lates = lates + (?1 < coalesce(last, ?1)),
                tally = CASE WHEN ?1 < last THEN NULL ELSE tally END WHERE number = ?2
            """, .time(fix.time), .integer(number))
    }

    /// Adds values to a fix. Readers that already have the fix start again, as after a late one.
    private func complete(_ fix: Fix, in number: Int64) throws {
        try database.run(
            """
            UPDATE journey_fix SET accuracy = ?, altitude = ?, speed = ?
            WHERE journey = ? AND time = ? AND latitude = ? AND longitude = ?
            """,
            .integer(fix.accuracyCentimetres), .integer(fix.altitudeCentimetres),
            .integer(fix.speedCentimetresPerSecond), .integer(number), .time(fix.time),
            .integer(fix.position.latitudeE7), .integer(fix.position.longitudeE7))
        guard database.lastChanges > 0 else { return }
        try database.run(
            """
            UPDATE journey SET revision = revision + 1, lates = lates + 1, tally = NULL
            WHERE number = ?
            """, .integer(number))
    }

    /// Deletes some fixes of removed journeys.
    ///
    /// - Returns: whether more are left
    func forgetGone() throws -> Bool {
        let number = try database.first("SELECT number FROM journey_gone LIMIT 1") { $0.int64(0) }
        guard let number else { return false }
        try database.run(
            """
            DELETE FROM journey_fix WHERE journey = ?1 AND time <= coalesce(
                (SELECT time FROM journey_fix WHERE journey = ?1 ORDER BY time LIMIT 1 OFFSET ?2),
                \(Int64.max))
            """, .integer(number), .integer(JourneyLimits.fixesForgottenPerTurn))
        if database.lastChanges < JourneyLimits.fixesForgottenPerTurn {
            try database.run("DELETE FROM journey_gone WHERE number = ?", .integer(number))
        }
        return true
    }

    // MARK: - Reading

    func header(_ id: JourneyID) throws -> JourneyHeader? {
        try database.first(
            "SELECT \(JourneyHeader.columns) FROM journey WHERE id = ?", .id(id),
            as: JourneyHeader.init)
    }

    func header(number: Int64) throws -> JourneyHeader? {
        try database.first(
            "SELECT \(JourneyHeader.columns) FROM journey WHERE number = ?", .integer(number),
            as: JourneyHeader.init)
    }

    /// Newest first; only journeys that started before a time.
    func headers(
        of person: PersonID, before: Timestamp, limit: Int
    ) throws -> [JourneyHeader] {
        try database.all(
            """
            SELECT \(JourneyHeader.columns) FROM journey WHERE person = ? AND started < ?
            ORDER BY started DESC LIMIT ?
            """, .id(person), .time(before), .integer(limit), as: JourneyHeader.init)
    }

    /// The next people with journeys, ascending.
    package func people(after last: PersonID?, limit: Int) throws -> [PersonID] {
        try database.all(
            "SELECT DISTINCT person FROM journey WHERE person > ? ORDER BY person LIMIT ?",
            .blob(last?.raw.bytes ?? []), .integer(limit)
        ) { $0.id(0) }
    }

    func sights(of number: Int64) throws -> [JourneySight] {
        try database.all(
            "SELECT since, circles FROM journey_sight WHERE journey = ? ORDER BY since",
            .integer(number)
        ) { row in
            JourneySight(
                since: row.time(0), circles: IDList.read(row.blob(1)).map { CircleID($0) })
        }
    }

    /// The next fixes of a journey in order.
    func fixes(
        of number: Int64, after place: JourneyPlace, limit: Int,
        each: (JourneyPoint) throws -> Void
    ) throws {
        try database.rows(
            """
            SELECT time, number, latitude, longitude, accuracy, altitude, speed FROM journey_fix
            WHERE journey = ?1 AND (time, number) > (?2, ?3) AND (latitude <> 0 OR longitude <> 0)
            ORDER BY time, number LIMIT ?4
            """,
            .integer(number), .time(place.time), .integer(place.number), .integer(limit)
        ) { row in
            try each(
                JourneyPoint(
                    time: row.time(0), number: Int32(clamping: row.int64(1)),
                    position: Coordinate(
                        latitudeE7: Int32(clamping: row.int64(2)),
                        longitudeE7: Int32(clamping: row.int64(3))),
                    accuracyCentimetres: Int32(clamping: row.int64(4)),
                    altitudeCentimetres: row.optionalInt64(5).map { Int32(clamping: $0) },
                    speedCentimetresPerSecond: row.optionalInt64(6).map { Int32(clamping: $0) }))
        }
    }

    /// The position at a time: that of the newest fix until then.
    func position(in number: Int64, at time: Timestamp) throws -> Coordinate? {
        try database.first(
            """
            SELECT latitude, longitude FROM journey_fix WHERE journey = ? AND time <= ?
                AND (latitude <> 0 OR longitude <> 0)
            ORDER BY time DESC, number DESC LIMIT 1
            """, .integer(number), .time(time)
        ) { row in
            Coordinate(
                latitudeE7: Int32(clamping: row.int64(0)),
                longitudeE7: Int32(clamping: row.int64(1)))
        }
    }

    /// The stored summary of the fixes so far; empty if a late fix invalidated it.
    func tally(of number: Int64) throws -> JourneyTally {
        let text = try database.first(
            "SELECT tally FROM journey WHERE number = ?", .integer(number)
        ) { $0.optionalText(0) }
        guard let text = text.flatMap(\.self) else { return JourneyTally() }
        return try JSON.parse(text).decode(JourneyTally.self)
    }

    /// Stores a summary unless late fixes have arrived since it was begun.
    func keep(_ tally: JourneyTally, of number: Int64, lates: Int64) throws {
        try database.run(
            "UPDATE journey SET tally = ? WHERE number = ? AND lates = ?",
            .text(try JSON.encode(tally).text), .integer(number), .integer(lates))
    }

    // MARK: - Loading

    package func load() throws -> Journeys.Stored {
        var stored = Journeys.Stored()
        try database.rows(
            "SELECT \(JourneyHeader.columns) FROM journey ORDER BY person, started"
        ) { row in
            let header = JourneyHeader(row)
            stored.spans[header.person, default: []].append(header.span)
        }
        stored.lastNumber =
            try database.first(
                """
                SELECT max(coalesce((SELECT max(number) FROM journey), 0),
                    coalesce((SELECT max(number) FROM journey_gone), 0))
                """
            ) { $0.int64(0) } ?? 0
        return stored
    }
}

extension Coordinate {
    /// Reads two columns; nil if they are empty.
    init?(_ row: Row, from column: Int) {
        guard let latitude = row.optionalInt64(column),
            let longitude = row.optionalInt64(column + 1)
        else { return nil }
        self.init(
            latitudeE7: Int32(clamping: latitude), longitudeE7: Int32(clamping: longitude))
    }
}
