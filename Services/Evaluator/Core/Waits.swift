import Model

/// Something about a person that time alone will bring.
struct Wait: Hashable, Comparable {
    /// In the order in which those that are over together are handled.
    enum Kind: UInt8 {
        /// A person would have left a zone by one fix, and no other came.
        case leaving
        /// Inside of a zone for as long as it asks for.
        case dwell
        /// A zone's schedule opens or closes around the person.
        case schedule
        /// The person should be somewhere.
        case absence
        /// An alarm rings again.
        case alarm
        /// A suspect is believed.
        case suspect
        /// Something is shared with a circle again.
        case pause
        /// A silence is looked at.
        case silence
    }

    var due: Timestamp
    var kind: Kind
    var zone: ZoneID?
    var circle: CircleID?

    static func < (left: Wait, right: Wait) -> Bool {
        if left.due != right.due { return left.due < right.due }
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        if let one = left.zone, let other = right.zone { return one < other }
        if let one = left.circle, let other = right.circle { return one < other }
        return false
    }
}

extension PartitionState {
    /// What time brings the person first; ``PersonState/absence`` is known.
    func nextWait(of person: PersonState, _ rules: EvaluatorRules) -> Wait? {
        var next: Wait?
        func add(_ due: Timestamp?, _ kind: Wait.Kind, _ zone: ZoneID?, _ circle: CircleID?) {
            guard let due, due < .distantFuture else { return }
            let wait = Wait(due: due, kind: kind, zone: zone, circle: circle)
            if next.map({ wait < $0 }) ?? true { next = wait }
        }
        for presence in person.presences {
            add(person.leavingEnd(presence, rules), .leaving, presence.zone, nil)
            guard let found = zones.zone(presence.zone, of: person, at: person.passed) else {
                continue
            }
            guard found.zone.isTimed else { continue }
            let wait = found.details.wait(of: presence, after: person.passed)
            add(wait?.due, wait?.kind ?? .dwell, presence.zone, nil)
        }
        add(person.absence, .absence, nil, nil)
        if let fix = person.trusted?.fix.time {
            add(person.alarms.nextRing(fix: fix, rules: rules), .alarm, nil, nil)
        }
        add(person.suspectEnd(rules), .suspect, nil, nil)
        add(person.silence.due, .silence, nil, nil)
        for pause in person.unshared {
            guard let until = pause.until, until > person.passed else { continue }
            add(until, .pause, nil, pause.circle)
        }
        return next
    }

    /// When somebody should be somewhere next, after all that is over.
    func nextAbsence(of person: PersonState, after time: Timestamp) -> Timestamp {
        zones.absentZones(of: person, at: time).compactMap { found in
            found.details.absentByMinute.flatMap {
                found.details.calendar.next(minute: $0, after: time)
            }
        }.min() ?? .distantFuture
    }
}

extension ZoneDetails {
    /// What time brings somebody there first.
    fileprivate func wait(
        of presence: ZonePresence, after passed: Timestamp
    ) -> (due: Timestamp, kind: Wait.Kind)? {
        let since = max(presence.since, passed)
        if presence.isClosed { return calendar.opening(after: since).map { ($0, .schedule) } }
        guard presence.presence != .outside else { return nil }
        let closing = calendar.closing(after: since)
        guard presence.presence == .inside, dwellSeconds > 0, !presence.hasDwelled else {
            return closing.map { ($0, .schedule) }
        }
        let stayed = presence.since + .seconds(dwellSeconds)
        if let closing, closing < stayed { return (closing, .schedule) }
        return (stayed, .dwell)
    }
}
