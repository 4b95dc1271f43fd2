import Hosting
import JourneysDaemon
import Store

/// The tables of ingest's store, beside those of the bus and the directory's replica.
enum Tables {
    static let migrations = [
        Migration(number: 1, sql: first), Migration(number: 2, sql: second),
        Migration(number: 3, sql: third), Migration(number: 4, sql: fourth),
        Migration(number: 5, sql: fifth), Migration(number: 6, sql: phones),
        Migration(number: 7, sql: JourneyStore.migration),
        Migration(number: 8, sql: ContactTable.migration), Migration(number: 9, sql: small),
        Migration(number: 10, sql: apps),
        Migration(number: 11, sql: DeviceLogTable.migration),
        Migration(number: 12, sql: forgetting), Migration(number: 13, sql: TopicTable.migration),
        Migration(number: 14, sql: QuarantineTable.migration), Migration(number: 15, sql: runs),
        Migration(number: 16, sql: DeviceStatusTable.taggedMigration),
        Migration(number: 17, sql: BrokerSecrets.migration),
        Migration(number: 18, sql: privacy),
        Migration(number: 19, sql: joinedCalls),
        Migration(number: 20, sql: DeferredCalls.migration),
        IdempotencyStore.migration,
        Migration(number: 21, sql: idempotency),
        Migration(number: 22, sql: accesses),
    ]

    /// Stored responses move to the table that all services have.
    private static let idempotency = """
        INSERT INTO idempotent_answer (id, fingerprint, sealed, created)
            SELECT key, key, CAST(json_object(
                'status', status,
                'headers', json('[["Content-Type","application/json"]]'),
                'body', CAST(body AS TEXT)) AS BLOB), time
            FROM answered;
        DROP TABLE answered;
        """

    /// Circles with exact sharing at the time of a decision (none for older rows), and circles in
    /// which an emergency has ended while it continues in others.
    private static let privacy = """
        ALTER TABLE decision ADD COLUMN exact BLOB NOT NULL DEFAULT x'';
        ALTER TABLE emergency ADD COLUMN ended_circles BLOB NOT NULL DEFAULT x'';
        """

    /// Reports refer to their device by its short number, without a foreign key: looking up the
    /// parent costs as much as the insert.
    private static let first = """
        CREATE TABLE device (
            number INTEGER PRIMARY KEY,
            device BLOB NOT NULL UNIQUE,
            person BLOB NOT NULL,
            seen INTEGER NOT NULL,
            sequenced INTEGER NOT NULL,
            battery INTEGER,
            charging INTEGER,
            time INTEGER,
            latitude INTEGER,
            longitude INTEGER,
            accuracy INTEGER,
            altitude INTEGER,
            speed INTEGER,
            course INTEGER
        ) STRICT;
        CREATE TABLE primary_device (
            person BLOB PRIMARY KEY,
            device BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE report (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            device INTEGER NOT NULL,
            time INTEGER NOT NULL,
            latitude INTEGER NOT NULL,
            longitude INTEGER NOT NULL,
            accuracy INTEGER NOT NULL,
            altitude INTEGER,
            speed INTEGER,
            course INTEGER,
            trigger INTEGER NOT NULL,
            battery INTEGER,
            charging INTEGER,
            marks INTEGER NOT NULL,
            received INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE waiting (
            number INTEGER PRIMARY KEY,
            report BLOB NOT NULL,
            trace TEXT NOT NULL
        ) STRICT;

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
        CREATE TABLE applied (
            id BLOB PRIMARY KEY,
            time INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE quarantine (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            device BLOB,
            person BLOB NOT NULL,
            path TEXT NOT NULL,
            reason TEXT NOT NULL,
            place INTEGER NOT NULL,
            payload BLOB NOT NULL,
            size INTEGER NOT NULL,
            received INTEGER NOT NULL,
            again INTEGER NOT NULL,
            count INTEGER NOT NULL,
            trace TEXT NOT NULL
        ) STRICT;
        CREATE INDEX quarantine_by_sender ON quarantine (person, device, number);
        CREATE TABLE access (
            person BLOB NOT NULL,
            hour INTEGER NOT NULL,
            viewer BLOB NOT NULL,
            PRIMARY KEY (person, hour, viewer)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE answered (
            key BLOB PRIMARY KEY,
            status INTEGER NOT NULL,
            body BLOB NOT NULL,
            time INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Checkpoints, and the configuration of partitions as of them. Configuration of older stores
    /// is complete in the partition's log, which was never pruned.
    private static let second = """
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
            SELECT place >> 48, CASE WHEN kind = 12 THEN 0 WHEN kind >= 10 THEN 1 ELSE 2 END,
                coalesce(json_extract(CAST(payload AS TEXT), '$.data.circle'),
                    json_extract(CAST(payload AS TEXT), '$.data.person'), ''),
                place & 281474976710655, kind, schema, id, payload
            FROM outbox WHERE place < 64 << 48 AND kind BETWEEN 8 AND 12;
        CREATE TABLE checkpoint (
            number INTEGER PRIMARY KEY,
            partition INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            hash INTEGER NOT NULL,
            output_sequence INTEGER NOT NULL,
            output_hash INTEGER NOT NULL,
            logic INTEGER NOT NULL,
            state_hash INTEGER NOT NULL,
            received INTEGER NOT NULL,
            state BLOB NOT NULL,
            UNIQUE (partition, sequence)
        ) STRICT;
        """

    /// Whether a checkpoint is proven.
    private static let third = "ALTER TABLE checkpoint ADD COLUMN proven INTEGER NOT NULL DEFAULT 0"

    /// Sets of zones: pages and complete sets that a partition has. Versions of pages are ordered
    /// between those of circles and people.
    private static let fourth = """
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
        """

    /// Alarms and policies as decided by evaluators; decisions about zones.
    private static let fifth = """
        CREATE TABLE disarmed (person BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE alarm (
            id BLOB PRIMARY KEY,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE policy (
            device BLOB PRIMARY KEY,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE watching (
            person BLOB PRIMARY KEY,
            watch BLOB NOT NULL,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
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
        """

    /// Device status, and location requests.
    private static let phones = """
        CREATE TABLE condition (
            device BLOB PRIMARY KEY,
            person BLOB NOT NULL,
            impairments TEXT NOT NULL,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE card (
            person BLOB PRIMARY KEY,
            name TEXT,
            avatar BLOB,
            digest BLOB
        ) STRICT;
        CREATE TABLE suggestion (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            person BLOB NOT NULL,
            device BLOB NOT NULL,
            key TEXT NOT NULL,
            name TEXT NOT NULL,
            latitude INTEGER NOT NULL,
            longitude INTEGER NOT NULL,
            radius INTEGER NOT NULL,
            suggested INTEGER NOT NULL,
            waits INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX suggestion_by_person ON suggestion (person, number);
        CREATE INDEX suggestion_by_device ON suggestion (device, key);
        CREATE TABLE locating (
            device BLOB PRIMARY KEY,
            person BLOB NOT NULL,
            asked INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE device_key (
            device BLOB PRIMARY KEY,
            sealed BLOB NOT NULL,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE access ADD COLUMN asked INTEGER;
        """

    /// The app that sent a quarantined payload, which is needed to read it again, and when that
    /// last happened.
    private static let apps = """
        ALTER TABLE quarantine ADD COLUMN client TEXT NOT NULL DEFAULT '';
        ALTER TABLE quarantine ADD COLUMN retried INTEGER;
        """

    /// Reports ordered by (device, time), each as small as possible: half of its id, the receipt
    /// time as a delay in microseconds, and its flags in one number. Reports with a clock ahead of
    /// ours are found by id only.
    private static let small = """
        ALTER TABLE report RENAME TO report_before;
        ALTER TABLE waiting RENAME TO waiting_before;
        CREATE TABLE report (
            device INTEGER NOT NULL,
            time INTEGER NOT NULL,
            id BLOB NOT NULL,
            latitude INTEGER NOT NULL,
            longitude INTEGER NOT NULL,
            accuracy INTEGER NOT NULL,
            altitude INTEGER,
            speed INTEGER,
            course INTEGER,
            state INTEGER NOT NULL,
            delay INTEGER NOT NULL,
            PRIMARY KEY (device, time, id)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO report
            SELECT device, time, substr(id, 9), latitude, longitude, accuracy, altitude, speed,
                course,
                trigger | (coalesce(charging + 1, 0) << 4) | ((marks & 3) << 6)
                    | (coalesce(battery + 1, 0) << 8),
                received - time
            FROM report_before ORDER BY device, time;
        CREATE TABLE skewed (
            device INTEGER NOT NULL,
            id BLOB NOT NULL,
            received INTEGER NOT NULL,
            PRIMARY KEY (device, id)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO skewed
            SELECT device, substr(id, 9), received FROM report_before WHERE marks & 1;
        CREATE TABLE waiting (
            number INTEGER PRIMARY KEY,
            device INTEGER NOT NULL,
            time INTEGER NOT NULL,
            id BLOB NOT NULL,
            trace TEXT NOT NULL
        ) STRICT;
        INSERT INTO waiting
            SELECT waiting_before.number, device, time, id, trace
            FROM waiting_before JOIN report_before ON report_before.id = waiting_before.report;
        CREATE INDEX waiting_by_device ON waiting (device, time);
        DROP TABLE waiting_before;
        DROP TABLE report_before;
        """

    /// Rounds of retention, and running erasures.
    private static let forgetting = """
        CREATE TABLE retention (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            at INTEGER NOT NULL,
            done INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE erasure (
            person BLOB PRIMARY KEY,
            since INTEGER NOT NULL,
            is_clean INTEGER NOT NULL,
            -- From this record of the partition on nothing names the person; NULL = not known yet.
            sequence INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX access_by_hour ON access (hour);
        CREATE INDEX quarantine_by_time ON quarantine (received);
        CREATE INDEX device_by_person ON device (person);
        """ + JourneyStore.movedMigration

    /// Number of further calls that joined an emergency without being stored, and the last one.
    private static let joinedCalls = """
        ALTER TABLE emergency ADD COLUMN joined_calls INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE emergency ADD COLUMN last_joined TEXT;
        """

    /// What was seen, how often and why. Older rows do not say what.
    private static let accesses = """
        ALTER TABLE access RENAME TO access_before;
        CREATE TABLE access (
            person BLOB NOT NULL,
            hour INTEGER NOT NULL,
            viewer BLOB NOT NULL,
            kind TEXT NOT NULL,
            reason TEXT NOT NULL,
            count INTEGER NOT NULL,
            asked INTEGER,
            PRIMARY KEY (person, hour, viewer, kind, reason)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO access
            SELECT person, hour, viewer, 'unspecified', '', 1, asked FROM access_before;
        DROP TABLE access_before;
        CREATE INDEX access_by_hour ON access (hour);
        """

    /// Packed reports that arrived together with the row's report.
    private static let runs = "ALTER TABLE report ADD COLUMN more BLOB"
}
