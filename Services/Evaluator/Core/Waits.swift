import Model

/// A change of a person's state that becomes due by time alone.
struct Wait: Hashable, Comparable {
    /// Waits that end at the same time are handled in this order.
    enum Kind: UInt8 {
        /// The person has left a zone by one fix unless another one arrives.
        case leaving
        /// The person has been inside a zone for its dwell time.
        case dwell
        /// The schedule of a zone around the person opens or closes.
        case schedule
        /// The person should be in a zone.
        case absence
        /// The next ring of an alarm.
        case alarm
        /// A suspect fix becomes trusted.
        case suspect
        /// A sharing pause ends.
        case pause
        /// The contact state is checked.
        case contact
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
    /// The person's first wait. ``PersonState/absence`` must be current.
    func nextWait(of person: PersonState, _ rules: EvaluatorRules) -> Wait? {
        var next = FirstWait()
        person.addZoneWaits(to: &next, zones, at: configurationGeneration, rules)
        person.addOtherWaits(to: &next, rules)
        return next.wait
    }

    /// The next absence deadline of the person's zones.
    func nextAbsence(of person: PersonState, after time: Timestamp) -> Timestamp {
        zones.absentZones(of: person, at: time).compactMap { found in
            found.details.absentByMinute.flatMap {
                found.details.calendar.next(minute: $0, after: time)
            }
        }.min() ?? .distantFuture
    }
}

/// The earliest of several waits.
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
    /// Recomputes when the first wait ends. Zones are read only if their waits may have changed.
    mutating func findWake(
        _ zones: KnownZones, at configurationGeneration: UInt64, _ rules: EvaluatorRules
    ) {
        if isZoneWakeStale {
            var next = FirstWait()
            addZoneWaits(to: &next, zones, at: configurationGeneration, rules)
            zoneWake = next.due
        }
        var next = FirstWait()
        addOtherWaits(to: &next, rules)
        wake = min(zoneWake, next.due)
        isZoneWakeStale = false
        isWakeStale = false
    }

    fileprivate func addZoneWaits(
        to next: inout FirstWait, _ zones: KnownZones, at configurationGeneration: UInt64,
        _ rules: EvaluatorRules
    ) {
        for presence in presences {
            next.add(leavingEnd(presence), .leaving, zone: presence.zone)
            guard
                nearbyZones.traits(of: presence.zone, at: configurationGeneration)?.isTimed
                    != false,
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
        next.add(contact.due, .contact)
        for pause in unshared {
            guard let until = pause.until, until > passed else { continue }
            next.add(until, .pause, circle: pause.circle)
        }
    }
}

extension ZoneDetails {
    /// The first wait that this zone causes.
    fileprivate func wait(
        of presence: ZonePresence, after passed: Timestamp
    ) -> (due: Timestamp, kind: Wait.Kind)? {
        let since = max(presence.since, passed)
        if presence.isClosed { return calendar.opening(after: since).map { ($0, .schedule) } }
        guard presence.presence != .outside else { return nil }
        let closing = calendar.closing(after: since)
        // A stay does not dwell while the person may be leaving.
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
