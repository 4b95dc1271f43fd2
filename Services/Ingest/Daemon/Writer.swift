import IngestCore
import JourneysDaemon
import Model
import Store

/// Reads and writes the rows of all features.
struct Writer {
    let database: Database
    let intake: IntakeTable
    let quarantine: QuarantineTable
    let deviceStatus: DeviceStatusTable
    let deviceLog: DeviceLogTable
    let access: AccessTable
    let emergencies: EmergencyTable
    let followedPositions: FollowedPositionTable
    let alarms: AlarmTable
    let policies: PolicyTable
    let contactStates: ContactTable
    let decisions: DecisionTable
    let sequencing: SequencingTable

    init(database: Database) {
        self.database = database
        intake = IntakeTable(database: database)
        quarantine = QuarantineTable(database: database)
        deviceStatus = DeviceStatusTable(database: database)
        deviceLog = DeviceLogTable(database: database)
        access = AccessTable(database: database)
        emergencies = EmergencyTable(database: database)
        followedPositions = FollowedPositionTable(database: database)
        alarms = AlarmTable(database: database)
        policies = PolicyTable(database: database)
        contactStates = ContactTable(database: database)
        decisions = DecisionTable(database: database)
        sequencing = SequencingTable(database: database)
    }

    /// Loads the state with which the core starts.
    func load() throws -> Core.Stored {
        var stored = Core.Stored()
        try intake.load(into: &stored)
        try emergencies.load(into: &stored)
        try followedPositions.load(into: &stored)
        try alarms.load(into: &stored)
        try policies.load(into: &stored)
        try deviceStatus.load(into: &stored)
        stored.journeys = try JourneyStore(database: database).load()
        try contactStates.load(into: &stored)
        try sequencing.load(into: &stored)
        return stored
    }

    /// Records that an event of another service is applied.
    ///
    /// - Returns: false if it was applied before
    func isFirst(_ event: EventID, at time: Timestamp) throws -> Bool {
        try database.run(
            "INSERT OR IGNORE INTO applied (id, time) VALUES (?, ?)", .id(event), .time(time))
        return database.lastChanges == 1
    }

    /// Forgets which events were applied before a time.
    func removeApplied(before time: Timestamp) throws {
        try database.run("DELETE FROM applied WHERE time < ?", .time(time))
        try intake.reports.forgetSkewed(before: time)
    }
}

extension Writer {
    /// Applied events that may be applied only once.
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE applied (
                    id BLOB PRIMARY KEY,
                    time INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    ]
}
