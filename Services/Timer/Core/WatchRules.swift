import Model

extension TimerCore {
    /// Starts a watch. A person has at most one: a later deadline than that of the running one
    /// extends it, any other ends it and starts a new one.
    mutating func start(
        _ start: WatchStart, at now: Timestamp, into effects: inout [Effect]
    ) {
        let deadline = start.span.end(from: now)
        if let rejection = rejection(of: deadline, note: start.note, at: now) {
            effects.append(.respond(start.request, .rejected(rejection)))
            return
        }
        if let obstacle = start.obstacle {
            effects.append(.respond(start.request, .rejected(.nobodyReachable(obstacle))))
            return
        }
        if let id = watchOfPerson[start.person], let running = watches[id] {
            if deadline > running.watch.deadline {
                let answer = extend(
                    running, to: deadline, note: start.note, at: now, into: &effects)
                effects.append(.respond(start.request, answer))
                return
            }
            _ = close(id, as: .cancel, at: now, into: &effects)
        } else if watches.count >= Limits.watchesActiveMax {
            effects.append(.respond(start.request, .rejected(.tooMany)))
            return
        }
        let watch = Watch(
            id: start.id, person: start.person, started: now, deadline: deadline,
            graceSeconds: settings.graceSeconds, note: start.note, trace: start.trace)
        let timed = TimedWatch(
            watch: watch, reminder: reminder(before: deadline, at: now))
        update(timed, at: now, into: &effects)
        effects.append(.respond(start.request, .started(timed)))
    }

    /// Extends a running watch, counted from its deadline, or from now during its grace.
    mutating func extend(
        _ id: WatchID, by span: Span, at now: Timestamp, into effects: inout [Effect]
    ) -> WatchResult {
        guard let running = watches[id] else { return .rejected(.over) }
        let deadline = span.end(from: max(now, running.watch.deadline))
        if deadline <= running.watch.deadline { return .rejected(.notLater) }
        if let rejection = rejection(of: deadline, note: nil, at: now) {
            return .rejected(rejection)
        }
        return extend(running, to: deadline, note: nil, at: now, into: &effects)
    }

    private mutating func extend(
        _ running: TimedWatch, to deadline: Timestamp, note: String?, at now: Timestamp,
        into effects: inout [Effect]
    ) -> WatchResult {
        var timed = running
        timed.watch.deadline = deadline
        timed.watch.note = note ?? timed.watch.note
        timed.watch.state = .active
        timed.watch.version += 1
        timed.reminder = reminder(before: deadline, at: now)
        update(timed, at: now, into: &effects)
        return .extended(timed)
    }

    /// Ends a running watch early.
    mutating func close(
        _ id: WatchID, as closing: WatchClosing, at now: Timestamp, into effects: inout [Effect]
    ) -> WatchResult {
        guard var timed = watches[id] else { return .rejected(.over) }
        timed.watch.state = closing == .end ? .ended : .cancelled
        timed.watch.version += 1
        update(timed, at: now, into: &effects)
        return .closed(timed)
    }

    /// Handles the reminder or the expiry of a watch; an overdue expiry skips the reminder.
    mutating func expireWatch(_ id: WatchID, at now: Timestamp, into effects: inout [Effect]) {
        guard var timed = watches[id] else { return }
        timed.watch.version += 1
        guard now >= timed.expiry else {
            timed.watch.state = .reminded
            update(timed, at: now, into: &effects)
            return
        }
        timed.watch.state = .expired
        update(timed, at: now, into: &effects)
        effects.append(.publish(.expired(timed, at: now)))
        startWatchdog(for: timed.signal(at: now), at: now, into: &effects)
    }

    /// Updates, saves and publishes a watch.
    private mutating func update(
        _ timed: TimedWatch, at now: Timestamp, into effects: inout [Effect]
    ) {
        store(timed)
        effects.append(.saveWatch(timed))
        effects.append(.publish(.changed(timed.watch, at: now)))
    }

    /// Keeps a watch in memory while it is running.
    mutating func store(_ timed: TimedWatch) {
        let watch = timed.watch
        held[.watch(watch.id)] = nil
        if watch.state.isActive {
            watches[watch.id] = timed
            watchOfPerson[watch.person] = watch.id
            queue.set(.watch(watch.id), due: timed.due)
        } else {
            watches[watch.id] = nil
            if watchOfPerson[watch.person] == watch.id { watchOfPerson[watch.person] = nil }
            queue.remove(.watch(watch.id))
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
    func end(from start: Timestamp) -> Timestamp {
        switch self {
        case .until(let end): end
        case .seconds(let count): start + .seconds(min(max(count, 0), 2 * Limits.watchSecondsMax))
        }
    }
}
