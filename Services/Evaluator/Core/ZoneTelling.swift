import Hashing
import Model

/// What a fix says about a person and a zone, where that is news.
struct Decision {
    let found: FoundZone
    /// What was known; nil also where the zone's schedule was closed.
    let known: ZonePresence?
    /// `unknown`: nothing was decided yet.
    let before: Presence
    let verdict: ZoneVerdict
    /// The way to the fix goes through the zone, though neither end is inside.
    let isCrossed: Bool

    /// Where the person counted as being.
    var stood: Presence { before == .unknown ? .outside : before }
}

// What is told of a decision, and what is kept.
extension ZoneJudge {
    func settle(_ decision: Decision, _ person: inout PersonState, _ turn: inout Turn) {
        var after = ZonePresence(
            zone: decision.found.zone.id, presence: decision.verdict.presence, since: turn.now)
        if let known = decision.known, known.presence == after.presence { after = known }
        // Another fix than the one that led to it.
        let isLater = person.trusted.map { $0.fix.time < fix.fix.time } ?? true
        if occasion == .suspect {
            guard decision.verdict.raw != decision.stood, decision.known?.isWithheld != true else {
                return
            }
            after = decision.known ?? after
            after.presence = decision.stood
            after.isWithheld = true
            withhold(decision, .suspect, person.id, &turn)
        } else if decision.isCrossed {
            pass(decision, person.id, &turn)
            (after.isWithheld, after.leaving, after.restsOnOneFix) = (false, nil, false)
        } else if decision.verdict.presence != decision.stood {
            change(decision, person.id, &turn)
            (after.isWithheld, after.leaving) = (false, nil)
            // Nearness that others agreed with does not end with whatever one fix adds to it.
            let isNew = decision.before != .near || decision.known?.restsOnOneFix == true
            after.restsOnOneFix =
                isSeen(decision) && isNew && !decision.verdict.isLeave(from: decision.before)
        } else {
            let isWithheld = decision.verdict.raw != decision.verdict.presence
            let isUnconfirmed = decision.verdict.reason == .unconfirmed
            if isWithheld, !after.isWithheld {
                withhold(
                    decision, isUnconfirmed ? .unconfirmed : .withinMargin, person.id, &turn)
            }
            after.isWithheld = isWithheld
            after.leaving =
                isUnconfirmed
                ? decision.known?.leaving ?? turn.now.plus(seconds: wait(person, turn.rules))
                : nil
            if isLater, !isWithheld { after.restsOnOneFix = false }
        }
        person.keep(after, isTimed: decision.found.zone.isTimed)
    }

    /// The zone's schedule is closed: whoever was there is forgotten, and would be found again.
    func close(
        _ zones: JudgedZones, _ place: Int, of source: ZoneSource, for person: inout PersonState,
        _ turn: inout Turn
    ) {
        guard occasion != .suspect else { return }
        let found = FoundZone(zones, place, of: source)
        leave(zones, place, of: source, for: &person, &turn)
        let known = person.presence(in: found.zone.id).map(standing)
        if let known, known.counts { forget(found, known, .scheduleClosed, person.id, &turn) }
        var after = ZonePresence(
            zone: found.zone.id, presence: found.presence(of: fix.point), since: turn.now)
        if let known {
            var verdict = verdict(about: zones, place, known.presence, turn.rules)
            confirm(
                &verdict, zones, place, known.presence, known, after: person.trusted, turn.rules)
            // What is in doubt stays so until another fix comes.
            let isDoubted =
                (occasion == .arranged || occasion == .opened) && known.isInDoubt
                && verdict.isLeave(from: known.presence)
            after.isWithheld = isDoubted || verdict.isHeldBack(from: known.presence)
            if after.isWithheld { after.presence = known.presence }
            // As of an open zone, for a while.
            if isDoubted || verdict.reason == .unconfirmed {
                after.leaving = known.leaving ?? turn.now.plus(seconds: wait(person, turn.rules))
            }
        }
        guard after.presence != .outside else { return person.forget(found.zone.id) }
        after.isClosed = true
        if let known, known.isClosed, known.presence == after.presence,
            known.isWithheld == after.isWithheld, known.leaving == after.leaving
        {
            return
        }
        person.keep(after, isTimed: true)
    }

    /// Whether it is still not known, after a zone has opened, where the person is: no other fix
    /// came than the one that was in doubt already.
    func stays(
        inDoubt kept: ZonePresence, about zones: JudgedZones, _ place: Int,
        for person: inout PersonState, _ turn: inout Turn
    ) -> Bool {
        switch occasion {
        case .suspect: return true
        case .fix, .silence, .alone, .first: return false
        case .opened, .arranged: break
        }
        let raw = verdict(about: zones, place, .unknown, turn.rules)
        guard raw.isLeave(from: kept.presence) else { return false }
        var after = kept
        after.since = turn.now
        person.keep(after, isTimed: true)
        return true
    }

    /// A fix by which somebody would have left came while the zone was open, and nothing has
    /// contradicted it until it closes.
    private func leave(
        _ zones: JudgedZones, _ place: Int, of source: ZoneSource, for person: inout PersonState,
        _ turn: inout Turn
    ) {
        guard person.suspect == nil, let known = person.presence(in: zones.zones[place].id),
            known.leaving != nil, known.counts
        else { return }
        var judge = ZoneJudge(fix, .alone)
        judge.cause = cause
        let verdict = judge.verdict(about: zones, place, known.presence, turn.rules)
        guard verdict.isLeave(from: known.presence) else { return }
        judge.settle(
            Decision(
                found: FoundZone(zones, place, of: source), known: known, before: known.presence,
                verdict: verdict, isCrossed: false), &person, &turn)
    }

    /// Somebody's stay in a zone does not count any more; nobody moved.
    func forget(
        _ found: FoundZone, _ known: ZonePresence, _ reason: CrossingReason,
        _ person: PersonID, _ turn: inout Turn
    ) {
        let crossing = crossing(
            found, person, from: known.presence, to: .unknown,
            found.signedDistance(from: fix.point).centimetres, margin: 0, reason)
        note(crossing, found, isInitial: false, &turn)
        tell(.zoneForgotten(crossing), of: crossing.zone, person, &turn)
    }

    /// A stay is long enough.
    func dwell(_ found: FoundZone, _ person: PersonID, _ turn: inout Turn) {
        let crossing = crossing(
            found, person, from: .inside, to: .inside,
            found.signedDistance(from: fix.point).centimetres,
            margin: 0, .stayed)
        tell(.zoneDwelled(crossing), of: crossing.zone, person, &turn)
        turn.fire(.dwell, found)
    }

    private func withhold(
        _ decision: Decision, _ reason: CrossingReason, _ person: PersonID, _ turn: inout Turn
    ) {
        let crossing = crossing(
            decision.found, person, from: decision.stood, to: decision.stood,
            decision.verdict.distance.centimetres, margin: decision.verdict.margin, reason)
        // Believed later, the same fix may be held back once more.
        let suspect = reason == .suspect ? Hash.id("suspect", .id(fix.report)) : nil
        tell(.zoneWithheld(crossing), of: crossing.zone, person, &turn, because: suspect)
    }

    private func change(_ decision: Decision, _ person: PersonID, _ turn: inout Turn) {
        let after = decision.verdict.presence
        let isSeen = isSeen(decision)
        let crossing = crossing(
            decision.found, person, from: decision.before, to: after,
            decision.verdict.distance.centimetres, margin: decision.verdict.margin,
            reason(of: decision))
        note(crossing, decision.found, isInitial: !isSeen, &turn)
        guard isSeen else { return tell(.zoneInitial(crossing), of: crossing.zone, person, &turn) }
        switch (decision.before, after) {
        case (_, .inside): tell(.zoneEntered(crossing), of: crossing.zone, person, &turn)
        case (.inside, _): tell(.zoneExited(crossing), of: crossing.zone, person, &turn)
        case (_, .near): tell(.zoneApproached(crossing), of: crossing.zone, person, &turn)
        default: tell(.zoneReceded(crossing), of: crossing.zone, person, &turn)
        }
    }

    /// How long another fix is waited for, seconds; in an emergency phones report all the time.
    private func wait(_ person: PersonState, _ rules: EvaluatorRules) -> Int64 {
        guard let before = person.trusted?.fix.time, !person.emergency.isActive else {
            return rules.confirmSecondsMin
        }
        let silent = fix.fix.time.seconds(since: before)
        return rules.confirmSeconds(after: max(silent, Int64(person.usualSilence)))
    }

    /// Whether it was seen to happen, not found so.
    private func isSeen(_ decision: Decision) -> Bool {
        [.fix, .silence, .alone].contains(occasion) && decision.before != .unknown
    }

    private func reason(of decision: Decision) -> CrossingReason {
        switch occasion {
        // Nobody knew where the person was when it opened.
        case .fix where decision.before == .unknown: .scheduleOpened
        case .silence where decision.before == .unknown: .scheduleOpened
        case .alone where decision.before == .unknown: .scheduleOpened
        case .fix, .suspect: decision.verdict.reason
        case .silence: .silence
        case .alone: .uncontradicted
        case .first: .initial
        case .arranged: decision.before == .unknown ? .initial : .zoneChanged
        case .opened: .scheduleOpened
        }
    }

    /// Entered and left between two fixes.
    private func pass(_ decision: Decision, _ person: PersonID, _ turn: inout Turn) {
        for (from, to) in [
            (decision.before, Presence.inside), (.inside, decision.verdict.presence),
        ] {
            var crossing = crossing(
                decision.found, person, from: from, to: to,
                decision.verdict.distance.centimetres, margin: 0, .passedThrough)
            crossing.interpolated = true
            note(crossing, decision.found, isInitial: false, &turn)
            tell(
                to == .inside ? .zoneEntered(crossing) : .zoneExited(crossing), of: crossing.zone,
                person, &turn)
        }
    }

    private func note(
        _ crossing: ZoneCrossing, _ found: FoundZone, isInitial: Bool, _ turn: inout Turn
    ) {
        turn.changes.append(
            PresenceChange(
                zone: crossing.zone, kind: crossing.zoneKind, source: found.source,
                details: found.details, before: crossing.before, after: crossing.after,
                reason: crossing.reason, isInitial: isInitial,
                interpolated: crossing.interpolated, fix: fix.fix, report: fix.report))
    }

    private func crossing(
        _ found: FoundZone, _ person: PersonID, from before: Presence, to after: Presence,
        _ centimetres: Int32, margin: Int32, _ reason: CrossingReason
    ) -> ZoneCrossing {
        ZoneCrossing(
            person: person, device: fix.device, zone: found.zone.id,
            zoneName: found.details.name, zoneKind: found.zone.kind, circle: found.source.circle,
            set: found.source.set, before: before, after: after, fix: fix.fix,
            distanceCentimetres: centimetres, marginCentimetres: margin, reason: reason,
            report: fix.report)
    }

    private func tell(
        _ body: EventBody, of zone: ZoneID, _ person: PersonID, _ turn: inout Turn,
        because special: ID128? = nil
    ) {
        if turn.isErased { return }
        turn.tell(
            body, of: person, subject: .id(zone), cause: special ?? cause ?? fix.report.raw)
    }
}
