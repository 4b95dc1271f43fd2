import Collections
import Model
import Timing

/// Running watches. Each has one wait: its reminder or its expiry. A person has at most one.
struct Watches: Sendable {
    private let settings: TimerCore.Settings
    private var running: [WatchID: TimedWatch] = [:]
    private var watchOfPerson: [PersonID: WatchID] = [:]
    private var queue = DeadlineHeap<WatchID>()
    /// Held watches stay running in the store, so that they are held again after a restart.
    private(set) var hold: OutageHold<WatchID>

    init(_ running: [TimedWatch] = [], settings: TimerCore.Settings, after outage: Outage?) {
        self.settings = settings
        hold = OutageHold(after: outage)
        for timed in running { store(timed) }
    }

    var count: Int { running.count }
    var next: Timestamp? { queue.next }

    // MARK: Requests

    /// The running watch of a person.
    func running(of person: PersonID) -> TimedWatch? {
        watchOfPerson[person].flatMap { running[$0] }
    }

    subscript(id: WatchID) -> TimedWatch? { running[id] }

    /// The running watch that a new one would end; nil = none, or the new one is rejected.
    func replaced(by start: WatchStart, at now: Timestamp) -> TimedWatch? {
        let deadline = start.span.end(from: now)
        guard let running = running(of: start.person), deadline <= running.watch.deadline,
            start.obstacle == nil,
            rejection(of: deadline, note: start.terms.note, at: now) == nil
        else { return nil }
        return running
    }

    /// Starts a watch. A later deadline than that of the running one extends it, any other ends it
    /// and starts a new one.
    mutating func start(_ start: WatchStart, _ turn: inout Turn) {
        let deadline = start.span.end(from: turn.now)
        if let rejection = rejection(of: deadline, note: start.terms.note, at: turn.now) {
            turn.emit(.respond(start.request, .rejected(rejection)))
            return
        }
        if let obstacle = start.obstacle {
            turn.emit(.respond(start.request, .rejected(.nobodyReachable(obstacle))))
            return
        }
        if let id = watchOfPerson[start.person], let running = running[id] {
            if deadline > running.watch.deadline {
                let answer = extend(running, to: deadline, as: start.terms, &turn)
                turn.emit(.respond(start.request, answer))
                return
            }
            _ = close(id, as: .cancel, &turn)
        } else if running.count >= Limits.watchesActiveMax {
            turn.emit(.respond(start.request, .rejected(.tooMany)))
            return
        }
        let watch = Watch(
            id: start.id, person: start.person, started: turn.now, deadline: deadline,
            graceSeconds: settings.graceSeconds, note: start.terms.note,
            destination: start.terms.destination, recipients: start.terms.recipients,
            trace: start.trace)
        let timed = TimedWatch(watch: watch, reminder: reminder(before: deadline, at: turn.now))
        update(timed, &turn)
        turn.emit(.respond(start.request, .started(timed)))
    }

    /// Extends a running watch, counted from its deadline, or from now during its grace.
    mutating func extend(_ id: WatchID, by span: Span, _ turn: inout Turn) -> WatchResult {
        guard let running = running[id] else { return .rejected(.over) }
        let deadline = span.end(from: max(turn.now, running.watch.deadline))
        if deadline <= running.watch.deadline { return .rejected(.notLater) }
        if let rejection = rejection(of: deadline, note: nil, at: turn.now) {
            return .rejected(rejection)
        }
        return extend(running, to: deadline, as: WatchTerms(), &turn)
    }

    private mutating func extend(
        _ running: TimedWatch, to deadline: Timestamp, as terms: WatchTerms, _ turn: inout Turn
    ) -> WatchResult {
        var timed = running
        timed.watch.deadline = deadline
        timed.watch.note = terms.note ?? timed.watch.note
        timed.watch.destination = terms.destination ?? timed.watch.destination
        timed.watch.recipients = terms.recipients ?? timed.watch.recipients
        timed.watch.state = .active
        timed.watch.version += 1
        timed.reminder = reminder(before: deadline, at: turn.now)
        update(timed, &turn)
        return .extended(timed)
    }

    /// Ends a running watch early.
    mutating func close(
        _ id: WatchID, as closing: WatchClosing, _ turn: inout Turn
    ) -> WatchResult {
        guard var timed = running[id] else { return .rejected(.over) }
        timed.watch.state = closing == .end ? .ended : .cancelled
        timed.watch.version += 1
        update(timed, &turn)
        return .closed(timed)
    }

    /// Applies a command that arrived by SMS or by a link; an impossible one changes nothing.
    mutating func apply(_ command: WatchCommand, _ turn: inout Turn) {
        guard watchOfPerson[command.person] == command.watch else { return }
        switch command.action {
        case .extend: _ = extend(command.watch, by: .seconds(command.seconds), &turn)
        }
    }

    /// Cancels the watch of a removed person.
    mutating func removePerson(_ person: PersonID, _ turn: inout Turn) {
        if let id = watchOfPerson[person] { _ = close(id, as: .cancel, &turn) }
    }

    // MARK: Arrival

    /// Ends a watch because the person arrived at its destination.
    ///
    /// The crossing counts if it is a confirmed entry by a fix since the start: the person was
    /// outside before. It may be received during the grace period.
    mutating func entered(_ crossing: ZoneCrossing, _ turn: inout Turn) {
        guard let id = watchOfPerson[crossing.person], var timed = running[id],
            timed.watch.destination == crossing.zone, crossing.isConfirmedEntry,
            crossing.fix.time >= timed.watch.started
        else { return }
        timed.watch.state = .arrived
        timed.watch.version += 1
        update(timed, &turn)
    }

    // MARK: Expiry

    /// Handles or holds the earliest wait, which is due.
    ///
    /// - Returns: the signal of a watch that expired
    mutating func expireNext(_ turn: inout Turn) -> EmergencySignal? {
        guard let entry = queue.popDue(at: turn.now) else { return nil }
        // A reminder of a running watch still helps, and must not delay the watch's expiry.
        let isHeld =
            running[entry.id].map { hold.covers($0.expiry) } ?? true
            && hold.hold(entry.id, due: entry.due, at: turn.now)
        return isHeld ? nil : expire(entry.id, &turn)
    }

    /// Handles the reminder or the expiry of a watch; an overdue expiry skips the reminder.
    private mutating func expire(_ id: WatchID, _ turn: inout Turn) -> EmergencySignal? {
        guard var timed = running[id] else { return nil }
        guard turn.now >= timed.expiry else {
            timed.watch.version += 1
            timed.watch.state = .reminded
            update(timed, &turn)
            return nil
        }
        return expireNow(id, &turn)
    }

    /// Makes a running watch an emergency, however much time it has left.
    ///
    /// - Returns: its signal
    mutating func expireNow(_ id: WatchID, _ turn: inout Turn) -> EmergencySignal? {
        guard var timed = running[id] else { return nil }
        timed.watch.version += 1
        timed.watch.state = .expired
        update(timed, &turn)
        turn.emit(.publish(.expired(timed, at: turn.now)))
        return timed.signal(at: turn.now)
    }

    // MARK: Outage hold

    /// Releases everything when the hold ends.
    mutating func endHold(at now: Timestamp) {
        for (id, due) in hold.end(at: now) ?? [] { queue.set(id, due: due) }
    }

    /// Expires a held watch.
    ///
    /// - Returns: the signal of its expiry
    mutating func release(_ id: WatchID, _ turn: inout Turn) -> EmergencySignal? {
        hold.remove(id) == nil ? nil : expire(id, &turn)
    }

    /// Cancels a held watch.
    mutating func drop(_ id: WatchID, _ turn: inout Turn) {
        if hold.remove(id) != nil { _ = close(id, as: .cancel, &turn) }
    }

    // MARK: State

    /// Updates, saves and publishes a watch.
    private mutating func update(_ timed: TimedWatch, _ turn: inout Turn) {
        store(timed)
        turn.emit(.saveWatch(timed))
        turn.emit(.publish(.changed(timed.watch, at: turn.now)))
    }

    /// Keeps a watch in memory while it is running.
    private mutating func store(_ timed: TimedWatch) {
        let watch = timed.watch
        hold.remove(watch.id)
        if watch.state.isRunning {
            running[watch.id] = timed
            watchOfPerson[watch.person] = watch.id
            queue.set(watch.id, due: timed.due)
        } else {
            running[watch.id] = nil
            if watchOfPerson[watch.person] == watch.id { watchOfPerson[watch.person] = nil }
            queue.remove(watch.id)
        }
    }

    /// The reminder time: before the deadline by the setting or a tenth of the remaining time,
    /// whichever is shorter.
    private func reminder(before deadline: Timestamp, at now: Timestamp) -> Timestamp {
        let tenth = (deadline - now).microseconds / 10
        return deadline - .microseconds(min(Int64(settings.reminderSeconds) * 1_000_000, tenth))
    }

    private func rejection(
        of deadline: Timestamp, note: String?, at now: Timestamp
    ) -> WatchRejection? {
        if deadline < now + .seconds(Limits.watchSecondsMin) { return .tooSoon }
        if deadline > now + .seconds(Limits.watchSecondsMax) { return .tooFar }
        return (note?.utf8.count ?? 0) > Limits.noteBytesMax ? .noteTooLong : nil
    }
}

extension Span {
    /// The end time. Lengths beyond any limit end in the far future instead of overflowing.
    fileprivate func end(from start: Timestamp) -> Timestamp {
        switch self {
        case .until(let end): end
        case .seconds(let count): start + .seconds(min(max(count, 0), 2 * Limits.watchSecondsMax))
        }
    }
}
