import Hosting
import Store

/// Tables of the notifier.
enum Schema {
    static let migrations = [
        Migration(number: 1, sql: initial), Migration(number: 2, sql: texts),
        Migration(number: 3, sql: retention), Migration(number: 4, sql: retentionByCircle),
        Migration(number: 5, sql: LiveTable.migrationSQL),
        Migration(number: 6, sql: NotifierStore.linkMigrationSQL),
        Migration(number: 7, sql: ownWatches),
        Migration(number: 8, sql: NotifierStore.followedPositionTables),
        Migration(number: 9, sql: NotifierStore.questionTable),
        Migration(number: 10, sql: NotifierStore.positionQueryTable),
        Migration(number: 11, sql: NotifierStore.drillTables),
        Migration(number: 12, sql: NotifierStore.liveLinkTables),
        IdempotencyStore.migration,
    ]

    /// The last watch of each person while the notifier needs it.
    private static let ownWatches = """
        CREATE TABLE own_watches (
            person BLOB PRIMARY KEY,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    /// Retention time, and erasures.
    private static let retention = """
        CREATE TABLE retention (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            at INTEGER NOT NULL
        );
        CREATE TABLE erasure (
            person BLOB PRIMARY KEY,
            since INTEGER NOT NULL,
            -- Addresses, until nothing that was sent to them is left.
            addresses TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX timeline_person ON timeline (person);
        CREATE INDEX emergencies_ended ON emergencies (ended) WHERE ended IS NOT NULL;
        """

    /// Index for pruning timelines of circles with a shorter history.
    private static let retentionByCircle = """
        CREATE INDEX timeline_forgotten ON timeline (circle, at)
            WHERE json_extract(body, '$.emergency') IS NULL;
        """

    /// Zone texts to numbers outside all circles.
    private static let texts = """
        CREATE TABLE texts (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            person BLOB NOT NULL,
            created INTEGER NOT NULL,
            body TEXT NOT NULL
        );
        CREATE INDEX texts_person ON texts (person, seq);
        CREATE INDEX texts_created ON texts (created);
        CREATE TABLE numbers (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            number TEXT NOT NULL UNIQUE,
            stopped INTEGER,
            body TEXT NOT NULL
        );
        """

    /// Rows that the core loads are JSON, next to the columns used for queries.
    private static let initial = """
        CREATE TABLE emergencies (
            id BLOB PRIMARY KEY,
            ended INTEGER,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE escalations (
            emergency BLOB NOT NULL,
            circle BLOB NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (emergency, circle)
        ) WITHOUT ROWID;
        CREATE TABLE signals (
            id BLOB PRIMARY KEY,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE notifications (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            token TEXT NOT NULL UNIQUE,
            emergency BLOB,
            state TEXT NOT NULL,
            pending INTEGER NOT NULL,
            created INTEGER NOT NULL,
            body TEXT NOT NULL
        );
        CREATE INDEX notifications_pending ON notifications (pending) WHERE pending;
        CREATE INDEX notifications_emergency ON notifications (emergency)
            WHERE emergency IS NOT NULL;
        CREATE INDEX notifications_created ON notifications (created);
        CREATE TABLE attempts (
            notification BLOB NOT NULL,
            number INTEGER NOT NULL,
            gateway TEXT NOT NULL,
            started INTEGER NOT NULL,
            finished INTEGER,
            outcome TEXT,
            answer TEXT NOT NULL,
            PRIMARY KEY (notification, number)
        ) WITHOUT ROWID;
        CREATE TABLE changes (
            notification BLOB NOT NULL,
            at INTEGER NOT NULL,
            state TEXT NOT NULL,
            gateway TEXT NOT NULL,
            answer TEXT NOT NULL
        );
        CREATE INDEX changes_notification ON changes (notification);
        CREATE TABLE timeline (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            circle BLOB NOT NULL,
            at INTEGER NOT NULL,
            person BLOB NOT NULL,
            shared INTEGER NOT NULL,
            body TEXT NOT NULL
        );
        CREATE INDEX timeline_circle ON timeline (circle, seq);
        CREATE INDEX timeline_at ON timeline (at);
        CREATE TABLE gateways (
            name TEXT PRIMARY KEY,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE applied (
            id BLOB PRIMARY KEY,
            at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX applied_at ON applied (at);
        CREATE TABLE sink (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            notification BLOB NOT NULL,
            attempt INTEGER NOT NULL,
            at INTEGER NOT NULL,
            channel TEXT NOT NULL,
            address TEXT NOT NULL,
            subject TEXT NOT NULL,
            text TEXT NOT NULL
        );
        CREATE TABLE secrets (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) WITHOUT ROWID;
        """
}
