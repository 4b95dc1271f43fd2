import Directory
import Model
import NotifierCore
import Store

/// Deletes rows past their retention, in portions. Ages are relative to the timer's retention
/// round, not to the local clock.
struct Pruning {
    private let store: NotifierStore
    private let emergencyDays: Int
    private var database: Database { store.database }
    private var time = Timestamp.zero
    /// Circles with a shorter history that are pruned next.
    private var circles: [CircleID] = []

    /// - Parameter emergencyDays: retention of ended emergencies
    init(store: NotifierStore, emergencyDays: Int) {
        self.store = store
        self.emergencyDays = emergencyDays
    }

    mutating func load() throws {
        time = try database.first("SELECT at FROM retention") { $0.time(0) } ?? .zero
    }

    /// Sets the time from which ages are counted.
    mutating func begin(_ round: RetentionRound) throws {
        guard round.at > time else { return }
        time = round.at
        try database.run("INSERT OR REPLACE INTO retention (one, at) VALUES (1, ?1)", .time(time))
    }

    /// Prunes one portion.
    ///
    /// - Returns: whether more is left
    mutating func step(in directory: Replica) throws -> Bool {
        guard time > .zero else { return false }
        var most = 0
        most = max(most, try pruneNotifications())
        most = max(most, try prune("applied", "id", by: "at", Limits.appliedKept))
        most = max(most, try prune("timeline", "seq", by: "at", Limits.timelineKept))
        most = max(most, try prune("texts", "seq", by: "created", Limits.textsKept))
        most = max(most, try pruneEmergencies())
        try pruneTimelines(in: directory)
        try database.run(
            "DELETE FROM sink WHERE seq <= (SELECT max(seq) FROM sink) - ?1",
            .integer(Limits.sinkRowsMax))
        return most >= Limits.pruneRowsMax
    }

    private func prune(
        _ table: String, _ key: String, by column: String, _ kept: Duration
    ) throws -> Int {
        try database.run(
            """
            DELETE FROM \(table) WHERE \(key) IN (
                SELECT \(key) FROM \(table) WHERE \(column) < ?1 ORDER BY \(column) LIMIT ?2)
            """, .time(time - kept), .integer(Limits.pruneRowsMax))
        return database.lastChanges
    }

    private func pruneNotifications() throws -> Int {
        let old = try database.all(
            """
            SELECT id FROM notifications WHERE created < ?1 AND NOT pending ORDER BY created
            LIMIT ?2
            """, .time(time - Limits.notificationsKept), .integer(Limits.pruneRowsMax)
        ) { $0.id(0) as NotificationID }
        for id in old { try store.erase(id) }
        return old.count
    }

    private func pruneEmergencies() throws -> Int {
        let old = try database.all(
            "SELECT id FROM emergencies WHERE ended < ?1 ORDER BY ended LIMIT ?2",
            .time(time - .seconds(Int64(emergencyDays) * 86_400)), .integer(Limits.pruneRowsMax)
        ) { $0.id(0) as EmergencyID }
        for id in old { try store.erase(id) }
        return old.count
    }

    /// Prunes timelines of circles with a shorter history, except entries of emergencies.
    private mutating func pruneTimelines(in directory: Replica) throws {
        if circles.isEmpty {
            circles = directory.sortedCircles.filter { $0.historyDays != nil }.map(\.id)
        }
        for id in circles.suffix(Limits.circlesPrunedAtATime) {
            circles.removeLast()
            guard let days = directory.circle(id)?.historyDays else { continue }
            try database.run(
                """
                DELETE FROM timeline WHERE seq IN (
                    SELECT seq FROM timeline WHERE circle = ?1 AND at < ?2
                        AND json_extract(body, '$.emergency') IS NULL
                    ORDER BY at LIMIT ?3)
                """, .id(id), .time(time - .seconds(Int64(days) * 86_400)),
                .integer(Limits.pruneRowsMax))
        }
    }
}
