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
        var next = FirstWait()
        person.addZoneWaits(to: &next, zones, at: arrangements, rules)
        person.addOtherWaits(to: &next, rules)
        return next.wait
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

/// The first of some waits.
private struct FirstWait {
    private(set) var wait: Wait?

    var due: Timestamp { wait?.due ?? .distantFuture }

    mutating func add(
        _ due: Timestamp?, _ kind: Wait.Kind, zone: ZoneID? = nil, circle: CircleID? = nil
    ) {
        guard let due, due < .distantFuture else { return }
        let other = Wait(due: due, kind: kind, zone: zone, circle: circle)
        if wait.map({ other < $0 }) ?? true { wait = other }
    }
}

extension PersonState {
    /// When time brings something first; what zones bring is looked for only where that may be
    /// something else.
    mutating func findWake(
        _ zones: KnownZones, at arrangements: UInt64, _ rules: EvaluatorRules
    ) {
        if isZoneWakeStale {
            var next = FirstWait()
            addZoneWaits(to: &next, zones, at: arrangements, rules)
            zoneWake = next.due
        }
        var next = FirstWait()
        addOtherWaits(to: &next, rules)
        wake = min(zoneWake, next.due)
        isZoneWakeStale = false
        isWakeStale = false
    }

    fileprivate func addZoneWaits(
        to next: inout FirstWait, _ zones: KnownZones, at arrangements: UInt64,
        _ rules: EvaluatorRules
    ) {
        for presence in presences {
            next.add(leavingEnd(presence), .leaving, zone: presence.zone)
            guard neighbourhood.traits(of: presence.zone, at: arrangements)?.isTimed != false,
                let found = zones.zone(presence.zone, of: self, at: passed), found.zone.isTimed
            else { continue }
            let wait = found.details.wait(of: presence, after: passed)
            next.add(wait?.due, wait?.kind ?? .dwell, zone: presence.zone)
        }
    }

    fileprivate func addOtherWaits(to next: inout FirstWait, _ rules: EvaluatorRules) {
        next.add(absence, .absence)
        if let fix = trusted?.fix.time {
            next.add(alarms.nextRing(fix: fix, rules: rules), .alarm)
        }
        next.add(suspectEnd(rules), .suspect)
        next.add(silence.due, .silence)
        for pause in unshared {
            guard let until = pause.until, until > passed else { continue }
            next.add(until, .pause, circle: pause.circle)
        }
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
        // No stay is long while it is not known whether it goes on.
        guard presence.presence == .inside, presence.leaving == nil, dwellSeconds > 0,
            !presence.hasDwelled
        else {
            return closing.map { ($0, .schedule) }
        }
        let stayed = presence.since.plus(seconds: dwellSeconds)
        if let closing, closing < stayed { return (closing, .schedule) }
        return (stayed, .dwell)
    }
}
