import Model

extension TimerCore {
    /// A new watch. A person has one: a later deadline than that of the running one extends it,
    /// anything else ends it and begins anew.
    mutating func start(
        _ start: WatchStart, at now: Timestamp, into effects: inout [Effect]
    ) {
        let deadline = start.span.end(from: now)
        if let refusal = refusal(of: deadline, note: start.note, at: now) {
            effects.append(.answer(start.request, .refused(refusal)))
            return
        }
        if let obstacle = start.obstacle {
            effects.append(.answer(start.request, .refused(.nobodyReachable(obstacle))))
            return
        }
        if let id = watchOfPerson[start.person], let running = watches[id] {
            if deadline > running.watch.deadline {
                let answer = extend(
                    running, to: deadline, note: start.note, at: now, into: &effects)
                effects.append(.answer(start.request, answer))
                return
            }
            _ = close(id, as: .cancel, at: now, into: &effects)
        } else if watches.count >= Limits.watchesActiveMax {
            effects.append(.answer(start.request, .refused(.tooMany)))
            return
        }
        let watch = Watch(
            id: start.id, person: start.person, started: now, deadline: deadline,
            graceSeconds: settings.graceSeconds, note: start.note, trace: start.trace)
        let timed = TimedWatch(
            watch: watch, reminder: reminder(before: deadline, at: now))
        tell(timed, at: now, into: &effects)
        effects.append(.answer(start.request, .started(timed)))
    }

    /// More time for a running watch, counted from its deadline, or from now in its grace.
    mutating func extend(
        _ id: WatchID, by span: Span, at now: Timestamp, into effects: inout [Effect]
    ) -> WatchAnswer {
        guard let running = watches[id] else { return .refused(.over) }
        let deadline = span.end(from: max(now, running.watch.deadline))
        if deadline <= running.watch.deadline { return .refused(.notLater) }
        if let refusal = refusal(of: deadline, note: nil, at: now) { return .refused(refusal) }
        return extend(running, to: deadline, note: nil, at: now, into: &effects)
    }

    private mutating func extend(
        _ running: TimedWatch, to deadline: Timestamp, note: String?, at now: Timestamp,
        into effects: inout [Effect]
    ) -> WatchAnswer {
        var timed = running
        timed.watch.deadline = deadline
        timed.watch.note = note ?? timed.watch.note
        timed.watch.state = .active
        timed.watch.version += 1
        timed.reminder = reminder(before: deadline, at: now)
        tell(timed, at: now, into: &effects)
        return .extended(timed)
    }

    /// Ends a running watch before its time.
    mutating func close(
        _ id: WatchID, as closing: WatchClosing, at now: Timestamp, into effects: inout [Effect]
    ) -> WatchAnswer {
        guard var timed = watches[id] else { return .refused(.over) }
        timed.watch.state = closing == .end ? .ended : .cancelled
        timed.watch.version += 1
        tell(timed, at: now, into: &effects)
        return .closed(timed)
    }

    /// The reminder or the expiry of a watch has come; an overdue expiry skips the reminder.
    mutating func watchDue(_ id: WatchID, at now: Timestamp, into effects: inout [Effect]) {
        guard var timed = watches[id] else { return }
        timed.watch.version += 1
        guard now >= timed.expiry else {
            timed.watch.state = .reminded
            tell(timed, at: now, into: &effects)
            return
        }
        timed.watch.state = .expired
        tell(timed, at: now, into: &effects)
        effects.append(.publish(.expired(timed, at: now)))
        watchOver(timed.signal(at: now), at: now, into: &effects)
    }

    /// Keeps, stores and publishes a watch as it is now.
    private mutating func tell(
        _ timed: TimedWatch, at now: Timestamp, into effects: inout [Effect]
    ) {
        keep(timed)
        effects.append(.saveWatch(timed))
        effects.append(.publish(.changed(timed.watch, at: now)))
    }

    /// Takes a watch into memory while it runs, and out of it when it is over.
    mutating func keep(_ timed: TimedWatch) {
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

    /// So long before the deadline as the settings say, or a tenth of the time until then,
    /// whichever is smaller.
    private func reminder(before deadline: Timestamp, at now: Timestamp) -> Timestamp {
        let tenth = (deadline - now).microseconds / 10
        return deadline - .microseconds(min(Int64(settings.reminderSeconds) * 1_000_000, tenth))
    }

    private func refusal(
        of deadline: Timestamp, note: String?, at now: Timestamp
    ) -> WatchRefusal? {
        if deadline < now + .seconds(Limits.watchSecondsMin) { return .tooSoon }
        if deadline > now + .seconds(Limits.watchSecondsMax) { return .tooFar }
        return (note?.utf8.count ?? 0) > Limits.noteBytesMax ? .noteTooLong : nil
    }
}

extension Span {
    /// Lengths beyond any limit end in the far future instead of overflowing.
    func end(from start: Timestamp) -> Timestamp {
        switch self {
        case .until(let end): end
        case .seconds(let count): start + .seconds(min(max(count, 0), 2 * Limits.watchSecondsMax))
        }
    }
}
