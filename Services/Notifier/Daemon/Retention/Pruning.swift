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
        most = max(most, try prune("drills", "id", by: "ended", Limits.drillsKept))
        most = max(most, try prune("live_links", "id", by: "ended", Limits.endedLiveLinksKept))
        most = max(most, try pruneEmergencies())
        most = max(most, try pruneFollowedPositions())
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

    private func pruneFollowedPositions() throws -> Int {
        try database.run(
            """
            DELETE FROM followed_position WHERE (person, time) IN (
                SELECT person, time FROM followed_position WHERE time < ?1 ORDER BY time LIMIT ?2)
            """, .time(time - .seconds(Int64(emergencyDays) * 86_400)),
            .integer(Limits.pruneRowsMax))
        return database.lastChanges
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
            circles = directory.sortedCircles.filter(\.limitsHistory).map(\.id)
        }
        for id in circles.suffix(Limits.circlesPrunedAtATime) {
            circles.removeLast()
            guard let circle = directory.circle(id) else { continue }
            if let days = circle.historyDays { try pruneTimeline(of: id, about: nil, days: days) }
            for member in circle.members {
                guard let days = member.agreedHistoryDays else { continue }
                try pruneTimeline(of: id, about: member.person, days: days)
            }
        }
    }

    /// - Parameter person: nil = everybody
    private func pruneTimeline(
        of circle: CircleID, about person: PersonID?, days: Int
    ) throws {
        try database.run(
            """
            DELETE FROM timeline WHERE seq IN (
                SELECT seq FROM timeline
                WHERE circle = ?1 AND at < ?2 AND (?4 IS NULL OR person = ?4)
                    AND json_extract(body, '$.emergency') IS NULL
                ORDER BY at LIMIT ?3)
            """, .id(circle), .time(time - .seconds(Int64(days) * 86_400)),
            .integer(Limits.pruneRowsMax), .id(person))
    }
}

extension Circle {
    /// Whether the circle, or a member of it, has a shorter history than plans store.
    fileprivate var limitsHistory: Bool {
        historyDays != nil || members.contains { $0.agreedHistoryDays != nil }
    }
}
