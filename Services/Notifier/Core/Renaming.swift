import Hashing
import Model

// An emergency that was opened here and that evaluators call by another of its signals.
extension Notifier {
    /// What runs here already for the person of whom evaluators tell: there is one emergency a
    /// person, whatever its name.
    func adopted(before news: EmergencyNews) -> Emergency? {
        activeOf[news.person, default: []].compactMap { emergencies[$0] }.first {
            $0.id != news.emergency && $0.opened != nil && !$0.isRecordOnly
                && ($0.isAdopted || $0.id == news.signal)
        }
    }

    /// Goes on under the name that evaluators gave: who was told is not told again, who has taken
    /// it has it, and ladders climb from where they are.
    mutating func rename(_ old: Emergency, as news: EmergencyNews, _ turn: inout Turn) {
        var emergency = Emergency(news, trace: turn.trace)
        emergency.joined = (old.signals + [news.signal]).reduce(into: []) { joined, signal in
            if signal != news.emergency, !joined.contains(signal) { joined.append(signal) }
        }
        emergency.state = old.state
        emergency.opened = old.opened
        emergency.told = old.told
        emergency.taken = old.taken
        emergency.furtherTaken = old.furtherTaken
        emergency.takings = old.takings
        emergency.nobodyTold = old.nobodyTold
        emergency.endings = old.endings
        emergency.reopened = old.reopened
        emergency.notifiedSince = old.notifiedSince
        emergency.circleEnds = old.circleEnds
        emergency.partialEndings = old.partialEndings
        if old.isOwnCall { emergency.joinedOwnCall = true }
        emergency.latest = old.latest
        emergency.repeated = old.repeated
        emergency.isHeld = old.isHeld
        // People have this code in the messages that they got.
        emergency.reference = old.reference
        moveHold(from: old, to: &emergency, &turn)
        keep(emergency, &turn)
        moveMessages(of: old.id, to: emergency.id, &turn)
        moveLadders(of: old.id, to: emergency, &turn)
        close(old, &turn)
        absorb(old.fix, old.battery, into: emergency.id, &turn)
        record(.emergencyOpened, emergency, &turn)
        if old.opened.map({ news.raised > $0 }) ?? false, !old.signals.contains(emergency.id) {
            // Pressed while the one before was open, and lost by evaluators.
            let call = FurtherCall(trigger: news.trigger, raised: news.raised)
            calledAgain(emergency.id, signal: emergency.id, call, &turn)
        } else if emergency.state == .acknowledged {
            announce(emergency.id, &turn)
        }
        guard let current = emergencies[emergency.id], current.state.isActive else { return }
        for circle in turn.directory.circles(of: emergency.person)
        where current.escalates(in: circle, turn.directory) {
            startLadder(emergency.id, circle, &turn)
        }
        noticeStandstill(emergency.id, &turn)
    }

    /// An end is heard of after a call for help that came later than it, and that was taken for a
    /// part of the same here as no evaluator answered it: that call is not over. Everything goes on
    /// under its name, and nobody hears of the end of what it goes on from.
    ///
    /// - Returns: whether there is such a call
    mutating func outlives(
        _ id: EmergencyID, end: Timestamp, as state: EmergencyState, by: PersonID?,
        _ turn: inout Turn
    ) -> Bool {
        guard let old = emergencies[id], old.state.isActive,
            let call = unanswered(of: old, after: end).first
        else { return false }
        record(state == .cancelled ? .cancelled : .resolved, old, by: by, &turn)
        var news = EmergencyNews(
            emergency: call.id, person: call.person, state: .open, trigger: call.trigger,
            signal: call.id, raised: call.raised, countdownEnds: call.countdownEnds,
            fix: call.fix, battery: call.battery, note: call.note)
        news.late = Emergency(call).isLate
        turn.trace = call.trace
        rename(old, as: news, &turn)
        emergencies[call.id]?.isAdopted = true
        emergencies[id]?.state = state
        emergencies[id]?.endedBy = by
        for emergency in [call.id, id].compactMap({ emergencies[$0] }) { keep(emergency, &turn) }
        return true
    }

    /// What joined an emergency here only and came after a time, in the order in which it came.
    func unanswered(of emergency: Emergency, after time: Timestamp) -> [EmergencySignal] {
        emergency.joined.compactMap { signals[$0] }
            .filter { $0.id != emergency.id && $0.state == .adopted }
            .compactMap(\.signal)
            .filter { time < $0.received }
            .sorted { ($0.received, $0.id) < ($1.received, $1.id) }
    }

    private mutating func close(_ old: Emergency, _ turn: inout Turn) {
        var old = old
        old.state = .cancelled
        old.ended = turn.now
        old.stopHolds()
        keep(old, &turn)
    }

    private mutating func moveHold(
        from old: Emergency, to emergency: inout Emergency, _ turn: inout Turn
    ) {
        for var taken in old.acknowledgements {
            guard let due = taken.due, let before = taken.clock else { continue }
            unwant(before, &turn)
            let clock = WantedClock(
                id: Meaning.hold(emergency.id, takings: old.takings, taken),
                rule: .acknowledgementHold, person: emergency.person, emergency: emergency.id,
                due: due)
            taken.clock = clock.id
            emergency.update(taken)
            want(clock, for: .hold(emergency.id), &turn)
        }
    }

    /// Messages belong to the new name, and what came of them is told of it too.
    private mutating func moveMessages(
        of old: EmergencyID, to new: EmergencyID, _ turn: inout Turn
    ) {
        for id in notificationsOf.removeValue(forKey: old) ?? [] {
            guard var notification = notifications[id] else { continue }
            notification.emergency = new
            keep(notification, isChange: false, &turn)
            announce(notification, cause: .id(new), &turn)
            notificationsOf[new, default: []].append(id)
        }
    }

    private mutating func moveLadders(
        of old: EmergencyID, to emergency: Emergency, _ turn: inout Turn
    ) {
        let running = ladders[old, default: []]
        stopLadders(old, &turn)
        for var ladder in running {
            ladder.emergency = emergency.id
            if let due = ladder.due, ladder.clock != nil {
                // Of the old name, too: an emergency may come back to the one that it had.
                let step = HashPart.parts(
                    .id(ladder.circle), .number(ladder.round), .number(ladder.nextTier), .id(old))
                let clock = WantedClock(
                    id: Meaning.clock(.tier, emergency.id.raw, step), rule: .tier,
                    person: emergency.person, emergency: emergency.id, due: due)
                ladder.clock = clock.id
                want(clock, for: .tier(emergency.id, ladder.circle), &turn)
            }
            ladders[emergency.id]?.removeAll { $0.circle == ladder.circle }
            ladders[emergency.id, default: []].append(ladder)
            turn.save(.ladder(ladder))
        }
    }
}
