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
        emergency.takings = old.takings
        emergency.nobodyTold = old.nobodyTold
        emergency.endings = old.endings
        emergency.reopened = old.reopened
        emergency.latest = old.latest
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
        guard emergencies[emergency.id]?.state == .open else { return }
        for circle in turn.directory.circles(of: emergency.person) {
            startLadder(emergency.id, circle, &turn)
        }
        noticeStandstill(emergency.id, &turn)
    }

    private mutating func close(_ old: Emergency, _ turn: inout Turn) {
        var old = old
        old.state = .cancelled
        old.ended = turn.now
        old.taken?.clock = nil
        old.taken?.due = nil
        keep(old, &turn)
    }

    private mutating func moveHold(
        from old: Emergency, to emergency: inout Emergency, _ turn: inout Turn
    ) {
        guard let taken = old.taken, let due = taken.due, taken.clock != nil else { return }
        unwant(taken.clock, &turn)
        let clock = WantedClock(
            id: Meaning.hold(emergency.id, takings: old.takings, taken),
            rule: .acknowledgementHold, person: emergency.person, emergency: emergency.id,
            due: due)
        emergency.taken?.clock = clock.id
        want(clock, for: .hold(emergency.id), &turn)
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
                let clock = WantedClock(
                    id: Meaning.tier(of: ladder, tier: ladder.nextTier - 1), rule: .tier,
                    person: emergency.person, emergency: emergency.id, due: due)
                ladder.clock = clock.id
                want(clock, for: .tier(emergency.id, ladder.circle), &turn)
            }
            ladders[emergency.id, default: []].append(ladder)
            turn.save(.ladder(ladder))
        }
    }
}
