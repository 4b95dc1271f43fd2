import Model

// Climbing: telling the next tier, again and again, until a human answers.
extension Notifier {
    func ladderIndex(_ emergency: EmergencyID, _ circle: CircleID) -> Int? {
        ladders[emergency]?.firstIndex { $0.circle == circle }
    }

    /// A circle begins to be told; once for each emergency.
    ///
    /// - Parameter wait: how long its first tier waits
    mutating func startLadder(
        _ id: EmergencyID, _ circle: CircleID, as opening: Repetition = .first,
        after wait: Duration = .zero, _ turn: inout Turn
    ) {
        guard ladderIndex(id, circle) == nil,
            emergencies[id]?.endedCircles.contains(circle) != true
        else { return }
        let round = ladders[id]?.map(\.round).max() ?? 0
        var ladder = Ladder(emergency: id, circle: circle, round: round)
        ladder.opening = opening
        if wait > .zero, let emergency = emergencies[id] {
            let clock = WantedClock(
                id: Meaning.tier(of: ladder, tier: -1), rule: .tier, person: emergency.person,
                emergency: id, due: turn.now + wait)
            (ladder.clock, ladder.due) = (clock.id, clock.due)
            ladders[id, default: []].append(ladder)
            turn.save(.ladder(ladder))
            return want(clock, for: .tier(id, circle), &turn)
        }
        ladders[id, default: []].append(ladder)
        climb(id, circle, &turn)
    }

    /// Takes the next step of a ladder now.
    mutating func climb(_ id: EmergencyID, _ circleID: CircleID, _ turn: inout Turn) {
        guard let emergency = emergencies[id],
            emergency.escalates(in: circleID, turn.directory),
            let index = ladderIndex(id, circleID), var ladder = ladders[id]?[index]
        else { return }
        turn.trace = emergency.trace
        unwant(ladder.clock, &turn)
        ladder.clock = nil
        ladder.due = nil
        ladder.current = []
        ladders[id]?[index] = ladder
        guard let circle = turn.directory.circle(circleID), circle.member(emergency.person) != nil
        else { return turn.save(.ladder(ladder)) }
        let directory = turn.directory
        let reachability = reachability
        let ways = Set(configuration.channels)
        let step = ladder.next(
            for: emergency.person, in: circle,
            canTry: { person, channels in
                guard let person = directory.person(person) else { return false }
                return !Reach.all(of: person, on: ways.intersection(channels)).isEmpty
            },
            isReachable: { person, channels in
                // A gateway that is down is tried all the same, so it is waited for.
                directory.person(person).map {
                    reachability.obstacle(to: $0, on: channels, at: nil) == nil
                } ?? false
            })
        switch step {
        case .tier(let tier, let recipients, let channels, let wait):
            ladder.nextTier = tier + 1
            ladder.told = Set(ladder.told + recipients).sorted()
            let isWaitedFor = tell(
                ladder, recipients, on: channels, kind: .tier, tier: tier, wait: wait, &turn)
            if !isWaitedFor { climb(id, circleID, &turn) }
        case .exhausted(let recipients, let wait):
            ladder.nextTier = Audience.tiers(of: circle).count
            ladder.round += 1
            ladder.told = recipients
            _ = tell(
                ladder, recipients, on: nil, kind: .exhausted, tier: ladder.nextTier - 1,
                wait: wait, &turn)
            if emergency.state == .open { tellNobodyYet(id, &turn) }
        }
    }

    /// Tells the recipients of a step and waits.
    ///
    /// - Parameters:
    ///   - channels: nil = every contact point on every channel.
    ///   - wait: nil = the next step follows at once
    /// - Returns: whether the ladder waits; a tier whose people were all notified before, as their
    ///   number is somebody else's too, would be a wait in silence
    private mutating func tell(
        _ ladder: Ladder, _ recipients: [PersonID], on channels: [Channel]?, kind: TimelineKind,
        tier: Int, wait: Duration?, _ turn: inout Turn
    ) -> Bool {
        guard let emergency = emergencies[ladder.emergency] else { return true }
        var ladder = ladder
        let id = ladder.emergency
        let isExhausted = kind == .exhausted
        let scope = Meaning.pass(id, round: ladder.round)
        var decisions: [NotifyDecision] = []
        for recipient in recipients {
            let telling = tellAlarm(
                id, to: recipient, isExhausted ? .unanswered : ladder.opening,
                reason: isExhausted ? .exhausted : .tier, scope: scope, circle: ladder.circle,
                channels: channels, &turn)
            decisions.append(NotifyDecision(recipient: recipient, reason: telling.reason))
            ladder.current += telling.notifications
        }
        let isWaitedFor = isExhausted || ladder.current.contains { isFresh($0, turn) }
        let clock = (isWaitedFor ? wait : nil).map { wait in
            WantedClock(
                id: Meaning.tier(of: ladder, tier: tier), rule: .tier, person: emergency.person,
                emergency: id, due: turn.now + wait)
        }
        ladder.clock = clock?.id
        ladder.due = clock?.due
        replace(ladder, &turn)
        if let clock { want(clock, for: .tier(id, ladder.circle), &turn) }
        announce(ladder, emergency, kind: kind, tier: tier, recipients: recipients.count, &turn)
        record(
            kind, emergency, circle: ladder.circle, tier: tier, round: ladder.round,
            decisions: decisions, &turn)
        return clock != nil
    }

    /// Whether a message may still make somebody answer who had no time to: it was made just now,
    /// or has not left, and its address is not known to reach nobody.
    private func isFresh(_ id: NotificationID, _ turn: Turn) -> Bool {
        guard let message = notifications[id],
            message.created == turn.now || message.isPending
        else { return false }
        return numbers[message.address]?.problem == nil
    }

    private func announce(
        _ ladder: Ladder, _ emergency: Emergency, kind: TimelineKind, tier: Int, recipients: Int,
        _ turn: inout Turn
    ) {
        let news = LadderNews(
            emergency: emergency.id, person: emergency.person, circle: ladder.circle, tier: tier,
            round: ladder.round, recipients: recipients)
        let body: EventBody = kind == .tier ? .ladderTier(news) : .ladderExhausted(news)
        let cause = Meaning.event(
            body.kind, emergency.person, .id(emergency.id), .id(ladder.circle), .number(tier),
            .number(ladder.round))
        turn.publish(cause, body)
    }

    /// A refusal is final for a message: a tier of which nothing else is left has nobody to wait
    /// for.
    mutating func ladderLost(
        _ notification: Notification, replacement: [NotificationID], _ turn: inout Turn
    ) {
        guard let id = notification.emergency else { return }
        for var ladder in ladders[id, default: []] where ladder.current.contains(notification.id) {
            ladder.current.removeAll { $0 == notification.id }
            ladder.current += replacement
            replace(ladder, &turn)
            if ladder.current.isEmpty, ladder.clock != nil,
                ladder.nextTier < turn.directory.circle(ladder.circle)
                    .map({ Audience.tiers(of: $0).count }) ?? 0
            {
                climb(id, ladder.circle, &turn)
                noticeStandstill(id, &turn)
            }
        }
    }

    /// - Parameter circles: those whose ladders stop; nil = all
    mutating func stopLadders(
        _ id: EmergencyID, in circles: [CircleID]? = nil, _ turn: inout Turn
    ) {
        for var ladder in ladders[id, default: []]
        where circles?.contains(ladder.circle) ?? true {
            unwant(ladder.clock, &turn)
            ladder.clock = nil
            ladder.due = nil
            replace(ladder, &turn)
        }
    }

    private mutating func replace(_ ladder: Ladder, _ turn: inout Turn) {
        guard let index = ladderIndex(ladder.emergency, ladder.circle) else { return }
        ladders[ladder.emergency]?[index] = ladder
        turn.save(.ladder(ladder))
    }

    /// People come into a circle, leave it, or can be reached at last, while somebody in it is in
    /// danger.
    mutating func directoryChanged(_ body: EventBody, _ turn: inout Turn) {
        switch body {
        case .circleChanged, .circleRemoved, .personRemoved: circlesChanged(&turn)
        default: break
        }
        let circles: [Circle]
        switch body {
        case .circleChanged(let circle): circles = [circle]
        case .personChanged(let person):
            circles = turn.directory.circles(of: person.id).compactMap(turn.directory.circle)
        default: return
        }
        for circle in circles {
            for member in circle.members where member.joined != nil {
                for id in activeOf[member.person, default: []] { widen(id, circle.id, &turn) }
            }
        }
    }

    /// Starts the ladder of a circle that has none, or lets one look again that has found nobody or
    /// stands still because the person had left.
    private mutating func widen(_ id: EmergencyID, _ circle: CircleID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], !emergency.isRecordOnly,
            emergency.escalates(in: circle, turn.directory)
        else { return }
        guard let index = ladderIndex(id, circle), let ladder = ladders[id]?[index] else {
            return startLadder(id, circle, &turn)
        }
        // One whose first tier waits goes on waiting.
        guard ladder.clock == nil || (ladder.told.isEmpty && ladder.nextTier > 0) else { return }
        ladders[id]?[index].nextTier = 0
        climb(id, circle, &turn)
        noticeStandstill(id, &turn)
    }

    /// No ladder of what is open climbs any more: the person has to know.
    mutating func noticeStandstill(_ id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], emergency.state == .open, !emergency.isRecordOnly,
            ladders[id, default: []].allSatisfy({ $0.clock == nil })
        else { return }
        tellNobodyYet(id, &turn)
    }
}
