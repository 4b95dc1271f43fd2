import Directory
import Model

// Phones that are not heard: their people are asked, those who watch over them hear of it, and a
// person on a watch who does not answer is in danger also where no evaluator says so.
extension Notifier {
    /// Asks a person whether they are all right, on everything; in an emergency somebody else does.
    mutating func silenceOverdue(_ news: SilenceNews, _ event: Event, _ turn: inout Turn) {
        guard turn.now - news.at <= Limits.newsAgeMax,
            activeOf[news.person, default: []].isEmpty
        else { return }
        var draft = Draft(reason: .silenceAsked, severity: .safety, scope: event.id)
        draft.person = news.person
        draft.channels = nil
        draft.expires = news.at + Limits.newsAgeMax
        let alarmed = news.isWatched ? news.at + Limits.silenceAnswerWait : nil
        _ = tell(news.person, .silence(.asked(since: news.since, alarmed: alarmed)), draft, &turn)
    }

    /// OK from a number at which one person was asked lately: they are all right. Where it was two,
    /// nobody knows which of them it is.
    mutating func saidAllRight(_ reply: Reply, _ turn: inout Turn) -> Bool {
        let asked = notifications.values.filter {
            $0.reason == .silenceAsked && $0.address == reply.sender && $0.attempts > 0
        }
        let people = Set(asked.compactMap(\.recipient))
        guard people.count == 1, let person = people.first else { return false }
        turn.publish(
            Meaning.event(.contactGiven, person, .id(reply.id)),
            .contactGiven(
                Contact(person: person, kind: .allRight, at: turn.now, trace: reply.trace)))
        return true
    }

    /// They have not answered. On a watch that is an emergency, which tells of itself; else those
    /// who watch over them hear that there is no contact.
    mutating func silenceLost(_ news: SilenceNews, _ event: Event, _ turn: inout Turn) {
        guard !news.isWatched else { return }
        tellCircles(of: news, event, .contactLost, .contactLost, nil, &turn)
    }

    /// Contact is restored, which closes nothing. Who heard that there was none hears this, too.
    mutating func silenceEnded(_ news: SilenceNews, _ event: Event, _ turn: inout Turn) {
        guard news.state == .lost, news.end != .changed else { return }
        let emergency = activeOf[news.person, default: []].last
        tellCircles(of: news, event, .contactRestored, .contactRestored, emergency, &turn)
    }

    /// - Parameter emergency: goes on; whoever is told of that needs no other message.
    private mutating func tellCircles(
        of news: SilenceNews, _ event: Event, _ kind: TimelineKind, _ reason: NotifyReason,
        _ emergency: EmergencyID?, _ turn: inout Turn
    ) {
        for circle in turn.directory.circles(of: news.person).compactMap(turn.directory.circle) {
            guard let subject = circle.member(news.person) else { continue }
            var decisions: [NotifyDecision] = []
            if emergency == nil {
                decisions = Audience.decide(
                    on: reason, about: subject, of: news.at, in: circle, at: turn.now)
            }
            let place = subject.precision == .exact ? news.fix.map(Place.init) : nil
            let saying: SilenceSaying =
                kind == .contactLost ? .lost(since: news.since, place: place) : .restored
            for index in decisions.indices where decisions[index].reason.isTold {
                var draft = Draft(reason: reason, severity: .news, scope: event.id)
                draft.circle = circle
                draft.person = news.person
                draft.expires = news.at + Limits.newsAgeMax
                decisions[index].reason =
                    tell(decisions[index].recipient, .silence(saying), draft, &turn).reason
            }
            record(
                kind, of: subject, in: circle, emergency: emergency, decisions: decisions, &turn)
        }
    }

    /// The person hears that their battery is low, on their phones or else on the way that they
    /// prefer; their circles can read it.
    mutating func batteryLow(_ news: BatteryNews, _ event: Event, _ turn: inout Turn) {
        guard turn.now - event.time <= Limits.newsAgeMax,
            let person = turn.directory.person(news.person)
        else { return }
        let ways = configuration.channels
        let phones = Reach.all(of: person, on: ways.filter { $0 == .push })
        var draft = Draft(reason: .ownBattery, severity: .news, scope: event.id)
        draft.person = news.person
        draft.contacts =
            phones.isEmpty ? Array(Reach.preferred(of: person, on: ways).prefix(1)) : phones
        draft.expires = event.time + Limits.newsAgeMax
        let telling = tell(news.person, .silence(.battery(news.battery)), draft, &turn)
        for circle in turn.directory.circles(of: news.person).compactMap(turn.directory.circle) {
            guard let subject = circle.member(news.person) else { continue }
            record(
                .batteryLow, of: subject, in: circle, emergency: nil,
                decisions: [NotifyDecision(recipient: news.person, reason: telling.reason)],
                &turn)
        }
    }

    /// Something keeps a phone from reporting. The person hears it, on the ways that they prefer,
    /// and so do those who watch over them, where that is wanted and the person shares.
    mutating func phoneBlind(_ news: Blindness, _ event: Event, _ turn: inout Turn) {
        guard turn.now - event.time <= Limits.newsAgeMax,
            let cause = news.hindrances.first(where: \.makesBlind)
        else { return }
        var draft = Draft(reason: .ownBlind, severity: .news, scope: event.id)
        draft.person = news.person
        draft.expires = event.time + Limits.newsAgeMax
        let own = tell(news.person, .silence(.ownBlind(cause)), draft, &turn)
        for circle in turn.directory.circles(of: news.person).compactMap(turn.directory.circle) {
            guard let subject = circle.member(news.person) else { continue }
            var decisions = [NotifyDecision(recipient: news.person, reason: own.reason)]
            if configuration.tellsGuardiansOfBlindness {
                decisions += tellHelpers(
                    Audience.decide(
                        on: .phoneBlind, about: subject, of: event.time, in: circle, at: turn.now
                    ).filter { $0.recipient != news.person }, draft, circle, cause, &turn)
            }
            record(
                .phoneBlind, of: subject, in: circle, emergency: nil, decisions: decisions, &turn)
        }
    }

    private mutating func tellHelpers(
        _ decisions: [NotifyDecision], _ draft: Draft, _ circle: Circle, _ cause: Hindrance,
        _ turn: inout Turn
    ) -> [NotifyDecision] {
        var draft = draft
        draft.reason = .phoneBlind
        draft.circle = circle
        return decisions.map { decision in
            guard decision.reason.isTold else { return decision }
            let telling = tell(decision.recipient, .silence(.blind(cause)), draft, &turn)
            return NotifyDecision(recipient: decision.recipient, reason: telling.reason)
        }
    }

    private mutating func record(
        _ kind: TimelineKind, of subject: Membership, in circle: Circle, emergency: EmergencyID?,
        decisions: [NotifyDecision], _ turn: inout Turn
    ) {
        turn.save(
            .timeline(
                TimelineRecord(
                    circle: circle.id, at: turn.now, kind: kind, person: subject.person,
                    emergency: emergency, decisions: decisions,
                    isShared: Audience.silence(of: subject, at: turn.now) == nil,
                    trace: turn.trace)))
    }

    /// Somebody on a watch was asked and is not heard: an evaluator says what comes of that, or the
    /// ladder is opened here. Where the clock is late the suite was away; that time does not count.
    mutating func contactClockFired(_ fired: FiredClock, _ turn: inout Turn) {
        guard !fired.late, let signal = fired.clock.emergency else { return }
        raised(
            EmergencySignal(
                id: signal, person: fired.clock.person, trigger: .lostContact,
                raised: fired.clock.due, received: fired.clock.due,
                countdownEnds: fired.clock.due, trace: turn.trace), &turn)
    }

    /// They were heard in time, or the suite suspects itself.
    mutating func contactClockUnwanted(_ clock: WantedClock, _ turn: inout Turn) {
        guard clock.rule == .contact, let signal = clock.emergency else { return }
        answered(signal, &turn)
    }
}

extension Audience {
    /// The decisions about news of a person's contact, one for each member of the circle, ids
    /// ascending: guardians and admins are told, where the person shares with the circle.
    static func decide(
        on reason: NotifyReason, about subject: Membership, of time: Timestamp, in circle: Circle,
        at now: Timestamp
    ) -> [NotifyDecision] {
        let forAll =
            silence(of: subject, at: now) ?? (now - time > Limits.newsAgeMax ? .tooOld : nil)
        return circle.members.sorted { $0.person < $1.person }.map { member in
            let own: NotifyReason =
                if member.person == subject.person {
                    .themselves
                } else if member.joined == nil {
                    .notJoined
                } else {
                    ZoneAudience.standard.roles.contains(member.role) ? reason : .role
                }
            return NotifyDecision(recipient: member.person, reason: forAll ?? own)
        }
    }
}
