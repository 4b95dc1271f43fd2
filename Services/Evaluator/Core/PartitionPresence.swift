import Geometry
import Model

// Decisions about presence: by fixes and by time.
extension PartitionState {
    /// Evaluates a report. A fix of the primary device that is not older than the last one changes
    /// presence; any other is only history.
    mutating func evaluate(
        _ report: Report, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        turn(report.person, event, rules, into: &outputs) { state, index, turn in
            state.people[index].recordLastFix(report)
            if state.people[index].firstDevice == nil {
                state.people[index].firstDevice = report.device
            }
            guard state.people[index].primaryDevice == report.device else { return }
            state.recordReport(report, index, &turn)
            guard !report.late else { return }
            state.assess(EvaluatedFix(report), index, &turn)
        }
    }

    /// Trusts a fix that can follow the trusted one. Trusts it and the suspect fix if it can follow
    /// that. Otherwise the fix becomes a suspect and changes nothing.
    private mutating func assess(_ fix: EvaluatedFix, _ index: Int, _ turn: inout Turn) {
        guard let trusted = people[index].primaryFix else {
            return trust(fix, .first, from: nil, index, &turn)
        }
        let suspect = people[index].suspect?.fix
        guard fix.fix.time >= (suspect ?? trusted).fix.time else { return }
        if fix.repeats(suspect ?? trusted) { return amend(fix, trusted, index, &turn) }
        if turn.rules.canFollow(trusted, fix) {
            return trust(fix, .fix, from: trusted, index, &turn)
        }
        if let suspect,
            turn.rules.canFollow(suspect, fix) || turn.rules.areSteady(trusted, suspect, fix)
        {
            trust(suspect, .fix, from: nil, index, &turn)
            return trust(fix, .fix, from: suspect, index, &turn)
        }
        // The wait counts from the first contradicting fix.
        people[index].suspect = SuspectFix(
            fix: fix, since: people[index].suspect?.since ?? turn.now)
        people[index].invalidateWake()
        people[index].nearbyZones.invalidate()
        evaluate(ZoneEvaluator(fix, .suspect), index, &turn)
        turn.edgeBounds = nil
    }

    /// Evaluates the newest fix again with values that a further message has added. It is still one
    /// fix: it confirms nothing that it said before, and no time has passed.
    private mutating func amend(
        _ fix: EvaluatedFix, _ trusted: EvaluatedFix, _ index: Int, _ turn: inout Turn
    ) {
        guard let suspect = people[index].suspect else {
            let fix = EvaluatedFix(fix: fix.fix, device: fix.device, report: trusted.report)
            let (usual, previous) = (people[index].usualInterval, people[index].previous)
            trust(fix, .fix, from: trusted, index, &turn)
            (people[index].usualInterval, people[index].previous) = (usual, previous)
            return
        }
        let fix = EvaluatedFix(fix: fix.fix, device: fix.device, report: suspect.fix.report)
        if turn.rules.canFollow(trusted, fix) {
            trust(fix, .fix, from: trusted, index, &turn)
        } else {
            people[index].suspect = SuspectFix(fix: fix, since: suspect.since)
        }
    }

    /// Evaluates a fix and trusts it from now on.
    ///
    /// - Parameter before: the fix from which the person can have moved here; nil if there is none.
    ///   Then no zone was crossed.
    mutating func trust(
        _ fix: EvaluatedFix, _ occasion: ZoneEvaluator.Occasion, from before: EvaluatedFix?,
        _ index: Int,
        _ turn: inout Turn
    ) {
        var evaluator = ZoneEvaluator(fix, occasion, from: before, turn.rules)
        let silent = people[index].trusted.map { fix.fix.time.seconds(since: $0.fix.time) } ?? 0
        evaluator.isLateAnswer = people[index].isLateAnswer(fix, occasion, turn.rules)
        evaluator.previous = people[index].previous
        if occasion == .fix, !isQuietFixFilterDisabled, let before,
            let localPoint = people[index].nearbyZones.move(
                to: fix.fix.position, from: before.fix.position, at: configurationGeneration)
        {
            evaluator.decide(around: &people[index], zones, at: localPoint, &turn)
        } else {
            self.evaluate(evaluator, index, &turn)
            rebuildNearbyZones(around: fix.point, index, &turn)
        }
        people[index].previous = occasion == .first ? nil : people[index].trusted?.fix
        people[index].trusted = fix
        people[index].usualInterval =
            occasion == .first
            ? 0 : turn.rules.usualInterval(people[index].usualInterval, after: silent)
        turn.trustedFix = fix
        // Each fix lets alarms ring by time for a while.
        if !people[index].alarms.alarms.isEmpty { people[index].isWakeStale = true }
        if people[index].suspect != nil {
            people[index].suspect = nil
            people[index].invalidateWake()
        }
    }

    private mutating func evaluate(_ evaluator: ZoneEvaluator, _ index: Int, _ turn: inout Turn) {
        let sets = people[index].sets
        if !sets.isEmpty { zones.build(sets) }
        evaluator.decide(&people[index], zones, using: &zoneSearch, &turn)
    }

    /// Rebuilds the nearby zones after a fix that was evaluated by spatial search.
    private mutating func rebuildNearbyZones(
        around point: EarthPoint, _ index: Int, _ turn: inout Turn
    ) {
        turn.edgeBounds = nil
        guard !isQuietFixFilterDisabled, people[index].nearbyZones.shouldRebuild() else { return }
        turn.edgeBounds = nearbyZoneSearch.rebuild(
            &people[index], around: point, in: zones, at: configurationGeneration)
    }

    // MARK: What time brings

    /// Evaluates the leaving of a zone by one fix, because no other fix arrived.
    mutating func confirmLeaving(_ zone: ZoneID, _ index: Int, _ turn: inout Turn) {
        guard var presence = people[index].presence(in: zone) else { return }
        presence.leaving = nil
        people[index].store(presence, isTimed: true)
        guard let trusted = people[index].trusted,
            let source = zones.zone(zone, of: people[index], at: turn.now)?.source
        else { return people[index].forget(zone) }
        let evaluator = ZoneEvaluator(trusted, .leavingTimeout)
        evaluator.decide(zone, of: source, for: &people[index], zones, &turn)
    }

    mutating func dwell(_ zone: ZoneID, _ index: Int, _ turn: inout Turn) {
        guard var presence = people[index].presence(in: zone) else { return }
        presence.hasDwelled = true
        people[index].store(presence, isTimed: true)
        guard let trusted = people[index].trusted,
            let found = zones.zone(zone, of: people[index], at: turn.now)
        else { return }
        var evaluator = ZoneEvaluator(trusted, .reconfigured)
        evaluator.cause = Turn.cause(due: turn.now)
        let person = people[index]
        let age = turn.now.seconds(since: trusted.fix.time)
        let isFixOld = age > max(turn.rules.contactSeconds, Int64(person.usualInterval))
        evaluator.dwell(found, person.id, isFixOld: isFixOld, &turn)
    }

    /// Handles the opening or closing of a zone's schedule: presence is established or cleared.
    mutating func openOrClose(_ zone: ZoneID, _ index: Int, due: Timestamp, _ turn: inout Turn) {
        guard let trusted = people[index].trusted,
            let source = zones.zone(zone, of: people[index], at: turn.now)?.source
        else { return people[index].forget(zone) }
        var evaluator = ZoneEvaluator(trusted, .scheduleOpened)
        evaluator.cause = Turn.cause(due: due)
        evaluator.decide(zone, of: source, for: &people[index], zones, &turn)
    }

    /// Reports people who are absent from a zone at its deadline.
    ///
    /// A person counts as present if they are known to be inside, by a recent fix or a phone that
    /// keeps contact. They also count as present if the newest trusted fix alone shows them inside
    /// and is recent and accurate enough. A suspect fix proves neither presence nor contact.
    mutating func evaluateAbsence(_ index: Int, due: Timestamp, _ turn: inout Turn) {
        let person = people[index]
        let before = Timestamp(microseconds: due.microseconds - 1)
        var absent = zones.absentZones(of: person, at: turn.now).filter { found in
            found.details.absentByMinute.flatMap {
                found.details.calendar.next(minute: $0, after: before)
            } == due
        }
        absent.sort { $0.zone.id < $1.zone.id }
        func isRecent(_ fix: EvaluatedFix) -> Bool {
            due - fix.fix.time <= .seconds(turn.rules.contactSeconds)
        }
        let isInContact = person.isInContact
        let isKnown = isInContact || person.trusted.map(isRecent) == true
        for found in absent where !(isKnown && person.isInside(found)) {
            func isThere(_ fix: EvaluatedFix) -> Bool {
                let inradius = found.inradiusCentimetres
                return found.presence(of: fix.point) == .inside
                    && !turn.rules.isCoarse(fix.fix, .safe, inradiusCentimetres: inradius)
            }
            if let trusted = person.trusted, isRecent(trusted), isThere(trusted) { continue }
            let suspect = person.suspect?.fix
            let last = suspect.map(isThere) == false ? suspect : person.trusted
            let absence = ZoneAbsence(
                person: person.id, zone: found.zone.id, zoneName: found.details.name,
                circle: found.source.circle, set: found.source.set, by: due, fix: last?.fix,
                hasContact: isInContact || last.map(isRecent) == true)
            turn.emit(
                .zoneAbsent(absence), of: person.id, subject: .id(found.zone.id),
                cause: Turn.cause(due: due))
            // Without contact absence is not certain: no message leaves the app.
            if absence.hasContact { turn.queueMessages(.absent, found) }
        }
        people[index].absence = nextAbsence(of: person, after: due)
    }

    /// Trusts the suspect fix because no other fix arrived.
    mutating func trustSuspect(_ index: Int, _ turn: inout Turn) {
        guard let suspect = people[index].suspect else { return }
        trust(suspect.fix, .suspectTimeout, from: nil, index, &turn)
    }

    /// Ends a sharing pause: the circle's safe zones apply to the person again.
    mutating func endSharingPause(
        of circle: CircleID, _ index: Int, due: Timestamp, _ turn: inout Turn
    ) {
        let before = people[index]
        people[index].unshared.removeAll { $0.circle == circle }
        let paused = Timestamp(microseconds: due.microseconds - 1)
        reconfigure(index, .all, cause: Turn.cause(due: due), &turn) { [zones] id in
            zones.zone(id, of: before, at: paused)
        }
        people[index].absence = nextAbsence(of: people[index], after: due)
    }
}

extension PersonState {
    /// Whether a fix arrives so long after the trusted one that the trusted one stands, although it
    /// is alone.
    func isLateAnswer(
        _ fix: EvaluatedFix, _ occasion: ZoneEvaluator.Occasion, _ rules: EvaluatorRules
    ) -> Bool {
        guard occasion == .fix, let trusted else { return false }
        let silent = fix.fix.time.seconds(since: trusted.fix.time)
        return silent > rules.confirmSeconds(after: Int64(usualInterval))
    }

    /// Whether the phone follows its reporting policy and is not late.
    fileprivate var isInContact: Bool {
        contact.phase == .ok && contact.expectation != nil
            && contact.expectation?.device == primaryDevice
    }

    /// Whether the person is known to be inside a zone and no fix says that they have left; also
    /// while its schedule is closed.
    fileprivate func isInside(_ found: FoundZone) -> Bool {
        guard let known = presence(in: found.zone.id) else { return false }
        return known.presence == .inside && known.leaving == nil && !known.isInDoubt
    }
}

extension ZoneEvaluator {
    /// Evaluates one zone by its id.
    fileprivate func decide(
        _ zone: ZoneID, of source: ZoneSource, for person: inout PersonState,
        _ zones: KnownZones, _ turn: inout Turn
    ) {
        guard let owner = zones.zones(of: source, person), let index = owner.index(of: zone)
        else { return person.forget(zone) }
        let near = NearRegion(index: Int32(index), isSurelyInside: false)
        decide(owner, near, of: source, for: &person, &turn)
    }
}
