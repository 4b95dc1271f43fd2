import Collections
import Model
import Timing

/// Check-in schedules of all people. Each has one wait: its next due time, or that of its open
/// check-in.
///
/// A check-in is asked at its due time, asked again after a while, and becomes an emergency after
/// the same grace as a watch. Due times that pass while a check-in is open, or while the timer is
/// down, are asked once.
struct CheckIns: Sendable {
    private let settings: TimerCore.Settings
    /// Check-ins due before this are late.
    private let started: Timestamp
    /// Offsets of time zones, by IANA name.
    private var zones: [String: TimeZoneRules] = [:]
    private var rows: [CheckInScheduleID: ScheduledCheckIn] = [:]
    private var ofPerson: [PersonID: Set<CheckInScheduleID>] = [:]
    private var queue = DeadlineHeap<CheckInScheduleID>()
    /// Held check-ins stay in the store, so that they are held again after a restart.
    private(set) var hold: OutageHold<CheckInScheduleID>

    init(
        _ rows: [ScheduledCheckIn] = [], settings: TimerCore.Settings, started: Timestamp,
        after outage: Outage?
    ) {
        self.settings = settings
        self.started = started
        hold = OutageHold(after: outage)
        for row in rows { keep(row) }
    }

    var count: Int { rows.count }
    var next: Timestamp? { queue.next }

    /// Schedules of a person, ids ascending.
    func schedules(of person: PersonID) -> [ScheduledCheckIn] {
        (ofPerson[person] ?? []).sorted().compactMap { rows[$0] }
    }

    subscript(id: CheckInScheduleID) -> ScheduledCheckIn? { rows[id] }

    // MARK: Time zones

    func hasTimeZone(_ name: String) -> Bool { zones[name] != nil }

    mutating func setTimeZone(_ name: String, _ rules: TimeZoneRules) { zones[name] = rules }

    /// Computes due times again if a person's time zone changed.
    mutating func setTimeZone(of person: PersonID, to name: String, _ turn: inout Turn) {
        for var row in schedules(of: person) where row.timeZone != name {
            row.timeZone = name
            row.next = next(of: row.schedule, in: name, after: turn.now)
            update(row, &turn)
        }
    }

    private func next(
        of schedule: CheckInSchedule, in zone: String, after time: Timestamp
    ) -> Timestamp? {
        schedule.next(after: time, in: zones[zone] ?? TimeZoneRules(offsetSeconds: 0))
    }

    // MARK: Requests

    /// Adds a schedule.
    mutating func create(_ draft: ScheduleDraft, _ turn: inout Turn) -> ScheduleResult {
        let person = draft.schedule.person
        if let obstacle = draft.obstacle { return .rejected(.nobodyReachable(obstacle)) }
        guard (ofPerson[person]?.count ?? 0) < Limits.schedulesPerPersonMax,
            rows.count < Limits.schedulesMax
        else { return .rejected(.tooMany) }
        let next = next(of: draft.schedule, in: draft.timeZone, after: turn.now)
        guard next != nil else { return .rejected(.neverDue) }
        let row = ScheduledCheckIn(draft.schedule, timeZone: draft.timeZone, next: next)
        update(row, &turn)
        return .created(row)
    }

    /// Replaces a schedule. An open check-in is cancelled.
    mutating func replace(_ draft: ScheduleDraft, _ turn: inout Turn) -> ScheduleResult {
        guard let known = rows[draft.schedule.id] else { return .rejected(.unknown) }
        if let obstacle = draft.obstacle { return .rejected(.nobodyReachable(obstacle)) }
        let next = next(of: draft.schedule, in: draft.timeZone, after: turn.now)
        guard next != nil else { return .rejected(.neverDue) }
        close(known.schedule.id, as: .cancelled, &turn)
        var schedule = draft.schedule
        schedule.created = known.schedule.created
        schedule.version = known.schedule.version + 1
        let row = ScheduledCheckIn(schedule, timeZone: draft.timeZone, next: next)
        update(row, &turn)
        return .replaced(row)
    }

    /// Removes a schedule. An open check-in is cancelled.
    mutating func remove(_ id: CheckInScheduleID, _ turn: inout Turn) -> ScheduleResult {
        guard let known = rows[id] else { return .rejected(.unknown) }
        close(id, as: .cancelled, &turn)
        forget(known.schedule)
        turn.emit(.removeSchedule(id))
        return .removed
    }

    /// Removes all schedules of a removed person.
    mutating func removePerson(_ person: PersonID, _ turn: inout Turn) {
        for row in schedules(of: person) { _ = remove(row.schedule.id, &turn) }
    }

    // MARK: Answers

    /// The open check-ins of a person that were asked before an answer.
    func open(of person: PersonID, answeredAt time: Timestamp) -> [ScheduledCheckIn] {
        schedules(of: person).filter { row in
            guard row.open != nil, let asked = row.asked else { return false }
            // Clocks of services differ a little.
            return asked <= time + .seconds(Limits.clockSkewSeconds)
        }
    }

    /// Ends an open check-in.
    mutating func close(
        _ id: CheckInScheduleID, as state: CheckInState, _ turn: inout Turn
    ) {
        guard var row = rows[id], var checkIn = row.open else { return }
        checkIn.state = state
        row.open = nil
        row.asked = nil
        row.next = next(of: row.schedule, in: row.timeZone, after: turn.now)
        publish(checkIn, &turn)
        update(row, &turn)
    }

    // MARK: Due times

    /// Handles or holds the earliest wait, which is due.
    ///
    /// - Returns: the signal of a check-in that expired
    mutating func expireNext(_ turn: inout Turn) -> EmergencySignal? {
        guard let entry = queue.popDue(at: turn.now), let row = rows[entry.id] else { return nil }
        let isHeld =
            hold.covers(row.open?.expires ?? entry.due)
            && hold.hold(entry.id, due: entry.due, at: turn.now)
        return isHeld ? nil : advance(entry.id, &turn)
    }

    /// Asks, reminds, or expires a check-in; an overdue expiry skips the reminder.
    private mutating func advance(
        _ id: CheckInScheduleID, _ turn: inout Turn
    ) -> EmergencySignal? {
        guard var row = rows[id] else { return nil }
        guard var checkIn = row.open else {
            ask(row, &turn)
            return nil
        }
        if turn.now >= checkIn.expires { return expire(id, &turn) }
        checkIn.state = .reminded
        row.open = checkIn
        publish(checkIn, &turn)
        update(row, &turn)
        return nil
    }

    private mutating func ask(_ row: ScheduledCheckIn, _ turn: inout Turn) {
        guard let due = row.next, row.schedule.isActive else { return }
        var row = row
        let seconds = Int64(row.schedule.answerMinutes) * 60 + Int64(settings.graceSeconds)
        let checkIn = CheckIn(
            of: row.schedule, due: due, expires: turn.now + .seconds(seconds),
            isLate: due < started)
        row.open = checkIn
        row.asked = turn.now
        row.next = next(of: row.schedule, in: row.timeZone, after: turn.now)
        publish(checkIn, &turn)
        update(row, &turn)
    }

    /// Makes an open check-in an emergency.
    ///
    /// - Returns: its signal
    mutating func expire(_ id: CheckInScheduleID, _ turn: inout Turn) -> EmergencySignal? {
        guard let row = rows[id], let checkIn = row.open else { return nil }
        close(id, as: .expired, &turn)
        let signal = checkIn.signal(at: turn.now, recipients: row.schedule.recipients)
        turn.emit(.saveSignal(signal))
        turn.emit(.publish(.raised(signal, at: turn.now)))
        return signal
    }

    // MARK: Outage hold

    /// Releases everything when the hold ends.
    mutating func endHold(at now: Timestamp) {
        for (id, due) in hold.end(at: now) ?? [] { queue.set(id, due: due) }
    }

    /// Proceeds with a held wait.
    ///
    /// - Returns: the signal of a check-in that expired
    mutating func release(_ id: CheckInScheduleID, _ turn: inout Turn) -> EmergencySignal? {
        hold.remove(id) == nil ? nil : advance(id, &turn)
    }

    /// Drops a held wait: cancels the open check-in, or skips the due time.
    mutating func drop(_ id: CheckInScheduleID, _ turn: inout Turn) {
        guard hold.remove(id) != nil, var row = rows[id] else { return }
        guard row.open == nil else { return close(id, as: .cancelled, &turn) }
        row.next = next(of: row.schedule, in: row.timeZone, after: turn.now)
        update(row, &turn)
    }

    // MARK: State

    private func publish(_ checkIn: CheckIn, _ turn: inout Turn) {
        turn.emit(.saveCheckIn(checkIn))
        turn.emit(.publish(.changed(checkIn, at: turn.now)))
    }

    private mutating func update(_ row: ScheduledCheckIn, _ turn: inout Turn) {
        keep(row)
        turn.emit(.saveSchedule(row))
    }

    private mutating func keep(_ row: ScheduledCheckIn) {
        let schedule = row.schedule
        hold.remove(schedule.id)
        rows[schedule.id] = row
        ofPerson[schedule.person, default: []].insert(schedule.id)
        if let due = row.due { queue.set(schedule.id, due: due) } else { queue.remove(schedule.id) }
    }

    private mutating func forget(_ schedule: CheckInSchedule) {
        hold.remove(schedule.id)
        rows[schedule.id] = nil
        queue.remove(schedule.id)
        ofPerson[schedule.person]?.remove(schedule.id)
        if ofPerson[schedule.person]?.isEmpty == true { ofPerson[schedule.person] = nil }
    }
}
