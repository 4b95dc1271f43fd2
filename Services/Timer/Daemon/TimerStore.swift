import Model
import Store
import TimerCore

/// Tables of the timer.
struct TimerStore {
    let deadlines: DeadlineRows
    let watches: WatchRows
    let checkIns: CheckInRows
    private let timers: PersonTimerRows
    private let deliveryWatchdogs: DeliveryWatchdogRows
    private let reachability: ReachabilityRows

    init(_ database: Database) {
        deadlines = DeadlineRows(database: database)
        watches = WatchRows(database: database)
        checkIns = CheckInRows(database: database)
        timers = PersonTimerRows(database: database)
        deliveryWatchdogs = DeliveryWatchdogRows(database: database)
        reachability = ReachabilityRows(database: database)
    }

    /// Loads the stored state into a core.
    ///
    /// - Returns: the time zones that check-in schedules need
    func load(into core: inout TimerCore) throws -> Set<String> {
        let schedules = try checkIns.schedules()
        core.load(
            deadlines: try deadlines.pending(), watches: try watches.running(),
            checkIns: schedules, timers: try timers.running(),
            deliveryWatchdogs: try deliveryWatchdogs.all(),
            reachability: try reachability.all())
        return Set(schedules.map(\.timeZone))
    }

    func save(_ timer: PersonTimer) throws { try timers.save(timer) }
    func removeTimer(of person: PersonID) throws { try timers.remove(person) }
    func save(_ watchdog: DeliveryWatchdog) throws { try deliveryWatchdogs.save(watchdog) }
    func removeWatchdog(of emergency: EmergencyID) throws {
        try deliveryWatchdogs.remove(emergency)
    }
    func save(_ change: ReachabilityChange) throws { try reachability.save(change) }

    func removeAll(of person: PersonID) throws {
        try checkIns.removeAll(of: person)
        try timers.remove(person)
        try watches.removeAll(of: person)
        try deadlines.removeAll(of: person)
    }

    /// Running watches and recently expired waits: enough for a consumer that lost the stream.
    func snapshot(at now: Timestamp) throws -> [Event] {
        let start = now - .seconds(Limits.snapshotSeconds)
        return try watches.running().map { .changed($0.watch, at: now) }
            + watches.expired(since: start).flatMap { timed, time in
                [Event.changed(timed.watch, at: time), .expired(timed, at: time)]
            }
            + checkIns.changed(since: start).map { .changed($0.checkIn, at: $0.at) }
            + checkIns.signals(since: start).map { .raised($0, at: $0.received) }
            + deadlines.expired(since: start, limit: Limits.snapshotDeadlinesMax)
    }
}
