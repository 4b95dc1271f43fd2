import IngestCore
import JourneysDaemon
import Model
import Runtime
import Store

/// How long ingest keeps each kind of data.
struct RetentionAges: Hashable {
    var history = HistoryRules()
    /// Access log.
    var accessDays = 365
    var quarantineDays = 30
    /// An open journey without movement for this long is stopped; 0 = never.
    var journeyQuietHours = 12
}

extension RetentionAges {
    private static let trial = "JAGA_INGEST_HISTORY_DAYS_TRIAL"
    private static let paid = "JAGA_INGEST_HISTORY_DAYS_PAID"
    private static let lapsed = "JAGA_INGEST_HISTORY_DAYS_LAPSED"
    private static let access = "JAGA_INGEST_ACCESS_LOG_DAYS"
    private static let quarantine = "JAGA_INGEST_QUARANTINE_DAYS"
    private static let journey = "JAGA_INGEST_JOURNEY_QUIET_HOURS"

    static let settings = [
        Setting(
            trial, .integer(1...3650), default: "30", unit: "days",
            help: "Retention of reports and journeys of people with a trial plan, days."),
        Setting(
            paid, .integer(1...3650), default: "365", unit: "days",
            help: "Retention of reports and journeys of people with a paid plan, days."),
        Setting(
            lapsed, .integer(1...3650), default: "30", unit: "days",
            help: "Retention of reports and journeys of people with a lapsed plan, days."),
        Setting(
            access, .integer(30...3650), default: "365", unit: "days",
            help: "Retention of the access log, days."),
        Setting(
            quarantine, .integer(1...365), default: "30", unit: "days",
            help: "Retention of quarantined payloads, days."),
        Setting(
            journey, .integer(0...720), default: "12", unit: "hours",
            help: "An open journey without movement for this long is stopped, hours; 0 = never."),
    ]

    init(_ configuration: Configuration) {
        history = HistoryRules(
            trialDays: configuration.int(RetentionAges.trial),
            paidDays: configuration.int(RetentionAges.paid),
            lapsedDays: configuration.int(RetentionAges.lapsed))
        accessDays = configuration.int(RetentionAges.access)
        quarantineDays = configuration.int(RetentionAges.quarantine)
        journeyQuietHours = configuration.int(RetentionAges.journey)
    }
}

/// Deletes expired data in rounds: started by the timer, a portion per turn, restarted after a
/// restart. Ages are relative to the timer's time, never to this process's clock.
struct Retention {
    /// The current portion, in this order.
    private enum Place {
        /// Reports, by short number of the device.
        case devices(after: Int64)
        /// Journeys, by person.
        case travellers(after: PersonID?)
        case decisions, deviceLog, access, quarantine
        case nothing
    }

    private let database: Database
    private let ages: RetentionAges
    private var time = Timestamp.zero
    private var place = Place.nothing

    init(database: Database, ages: RetentionAges) {
        self.database = database
        self.ages = ages
    }

    /// Continues an unfinished round.
    mutating func load() throws {
        place = .nothing
        let stored = try database.first("SELECT at, done FROM retention") { row in
            (at: row.time(0), isDone: row.flag(1))
        }
        guard let stored else { return }
        time = stored.at
        if !stored.isDone { place = .devices(after: 0) }
    }

    /// - Returns: whether the round is new
    mutating func begin(_ round: RetentionRound) throws -> Bool {
        guard round.at > time else { return false }
        time = round.at
        place = .devices(after: 0)
        try save(isDone: false)
        return true
    }

    var isAtWork: Bool { if case .nothing = place { false } else { true } }

    /// Deletes one portion.
    mutating func step(_ runner: CoreRunner) throws {
        switch place {
        case .nothing: return
        case .devices(let last): place = try forgetReports(after: last, runner)
        case .travellers(let last): place = try forgetJourneys(after: last, runner)
        case .decisions:
            let isMore = try forget(
                "decision", by: "time", before: time - .seconds(Limits.decisionSeconds))
            place = isMore ? .decisions : .deviceLog
        case .deviceLog:
            let isMore = try runner.writer.deviceLog.forget(
                before: time - .seconds(Limits.deviceLogSeconds))
            place = isMore ? .deviceLog : .access
        case .access:
            let hour = (time - Retention.days(ages.accessDays)).seconds / 3600
            place = try forgetAccess(before: hour) ? .access : .quarantine
        case .quarantine:
            let isMore = try forget(
                "quarantine", by: "received",
                before: time - Retention.days(ages.quarantineDays))
            place = isMore ? .quarantine : .nothing
            if !isMore { try save(isDone: true) }
        }
    }

    private static func days(_ days: Int) -> Duration { .seconds(Int64(days) * 86_400) }

    private func save(isDone: Bool) throws {
        try database.run(
            "INSERT OR REPLACE INTO retention (one, at, done) VALUES (1, ?, ?)", .time(time),
            .flag(isDone))
    }

    /// Devices with reports in the backlog wait for the next round.
    private func forgetReports(
        after last: Int64, _ runner: CoreRunner
    ) throws -> Place {
        let devices = try database.all(
            """
            SELECT number, person FROM device WHERE number > ? AND NOT EXISTS (
                SELECT 1 FROM waiting WHERE waiting.device = device.number)
            ORDER BY number LIMIT ?
            """, .integer(last), .integer(Limits.lookupsPerTurn)
        ) { row in (number: row.int64(0), person: row.id(1) as PersonID) }
        var room = Limits.rowsForgottenPerTurn
        for device in devices {
            let limit = ages.history.historyStart(
                device.person, in: runner.host.replica, at: time)
            guard let limit else { continue }
            room -= try runner.writer.intake.reports.forget(
                of: device.number, before: limit, atMost: room)
            if room <= 0 { return .devices(after: device.number - 1) }
        }
        return devices.last.map { .devices(after: $0.number) } ?? .travellers(after: nil)
    }

    private func forgetJourneys(
        after last: PersonID?, _ runner: CoreRunner
    ) throws -> Place {
        let people = try runner.journeys.store.people(
            after: last, limit: Limits.lookupsPerTurn)
        for (index, person) in people.enumerated() {
            let limit = ages.history.historyStart(person, in: runner.host.replica, at: time)
            guard let limit else { continue }
            try runner.handle(.journeys(.forget(person, endedBefore: limit)))
            if runner.core.journeys.hasEnded(person, before: limit) {
                return .travellers(after: index > 0 ? people[index - 1] : last)
            }
        }
        return people.last.map { .travellers(after: $0) } ?? .decisions
    }

    /// - Returns: whether more may be left
    private func forget(
        _ table: String, by column: String, before limit: Timestamp
    ) throws -> Bool {
        try database.run(
            """
            DELETE FROM \(table) WHERE number IN (
                SELECT number FROM \(table) WHERE \(column) < ? ORDER BY \(column) LIMIT ?)
            """, .time(limit), .integer(Limits.rowsForgottenPerTurn))
        return database.lastChanges == Limits.rowsForgottenPerTurn
    }

    private func forgetAccess(before hour: Int64) throws -> Bool {
        try database.run(
            """
            DELETE FROM access WHERE (person, hour, viewer, kind, reason) IN (
                SELECT person, hour, viewer, kind, reason FROM access
                WHERE hour < ? ORDER BY hour LIMIT ?)
            """, .integer(hour), .integer(Limits.rowsForgottenPerTurn))
        return database.lastChanges == Limits.rowsForgottenPerTurn
    }

    /// How long an open journey may stay without movement; nil = for ever.
    var journeyQuiet: Duration? {
        ages.journeyQuietHours > 0 ? .seconds(Int64(ages.journeyQuietHours) * 3600) : nil
    }
}

extension Retention {
    static let migrations = [
        Migration(
            number: 12,
            sql: """
                CREATE TABLE retention (
                    one INTEGER PRIMARY KEY CHECK (one = 1),
                    at INTEGER NOT NULL,
                    done INTEGER NOT NULL
                ) STRICT;
                """)
    ]
}
