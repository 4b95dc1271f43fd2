import Model

// Zone news to those who watch over somebody, and alarms to the person themselves.
extension Notifier {
    /// Tells each circle whose zone it is, once each of those whom the zone wants told.
    mutating func zoneNews(_ event: Event, _ turn: inout Turn) {
        guard let news = ZoneNews(event) else { return }
        for circle in Audience.circles(of: news, in: turn.directory) {
            tell(news, of: event.id, to: circle, &turn)
        }
    }

    private mutating func tell(
        _ news: ZoneNews, of event: EventID, to circle: Circle, _ turn: inout Turn
    ) {
        guard let subject = circle.member(news.person) else { return }
        var decisions = Audience.decide(on: news, in: circle, turn.directory, at: turn.now)
        for index in decisions.indices where decisions[index].reason.isTold {
            var draft = Draft(
                reason: news.reason, severity: .news, scope: news.scope(of: event))
            draft.circle = circle
            draft.person = news.person
            draft.expires = news.ageFrom + Limits.newsAgeMax
            let telling = tell(
                decisions[index].recipient,
                news.saying(showsPlace: subject.precision == .exact), draft, &turn)
            decisions[index].reason = telling.reason
        }
        var record = TimelineRecord(
            circle: circle.id, at: turn.now, kind: news.timelineKind, person: news.person,
            decisions: decisions, trace: turn.trace)
        record.zone = news.zone
        record.zoneName = news.zoneName
        let withheld = Audience.withheld(news, from: circle, in: turn.directory, at: turn.now)
        record.isShared = withheld.map { $0 == .transitionUnwanted || $0 == .tooOld } ?? true
        turn.save(.timeline(record))
    }

    /// The person's own devices ring whenever the alarm does; whoever has none for that hears the
    /// first ring on the way that they prefer. Whatever they share, this goes on.
    mutating func alarmRang(_ news: AlarmNews, _ event: Event, _ turn: inout Turn) {
        let time = event.time
        guard news.speaks, turn.now - time <= Limits.newsAgeMax,
            let person = turn.directory.person(news.person)
        else { return }
        let ways = configuration.channels
        let phones = Reach.all(of: person, on: ways.filter { $0 == .push })
        var draft = Draft(reason: .ownAlarm, severity: .safety, scope: event.id)
        draft.person = news.person
        if phones.isEmpty {
            guard news.rings == 1, let first = Reach.preferred(of: person, on: ways).first else {
                return
            }
            draft.contacts = [first]
            draft.expires = time + Limits.newsAgeMax
        } else {
            draft.contacts = phones
            draft.expires = time + Limits.ringAgeMax
        }
        _ = tell(
            news.person, .ownAlarm(zone: news.zoneName, near: news.presence == .near, at: time),
            draft, &turn)
    }
}
