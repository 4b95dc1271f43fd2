import Hashing
import Model

/// The decision of a fix about a person and a zone, if it changes anything.
struct ZoneDecision {
    let found: FoundZone
    /// The known presence; nil also if the zone's schedule was closed.
    let known: ZonePresence?
    /// `unknown`: nothing was decided yet.
    let before: Presence
    let verdict: ZoneVerdict
    /// Whether the path to the fix crosses the zone while neither end is inside.
    let isCrossed: Bool
    /// Whether all fixes so far were too inaccurate for a first decision.
    var wasUndecided = false

    /// Whether the fix confirms nearness that only an inaccurate fix had shown.
    var isClearer: Bool {
        known?.isCoarse == true && verdict.presence == .near && !verdict.isCoarse
            && verdict.raw == .near
    }

    /// Whether the fix is away from the current presence.
    var isLeaving: Bool {
        switch before {
        case .inside: verdict.raw != .inside
        case .near: verdict.raw == .outside
        case .unknown, .outside: false
        }
    }

    /// The presence before, where nothing decided counts as outside.
    var effectiveBefore: Presence { before == .unknown ? .outside : before }
}

// Effects of decisions: events and the stored presence.
extension ZoneEvaluator {
    func apply(_ decision: ZoneDecision, _ person: inout PersonState, _ turn: inout Turn) {
        var after = ZonePresence(
            zone: decision.found.zone.id, presence: decision.verdict.presence, since: turn.now)
        if let known = decision.known, known.presence == after.presence { after = known }
        // A later fix than the one that led to it.
        let isLater = person.trusted.map { $0.fix.time < fix.fix.time } ?? true
        if occasion == .suspect {
            guard decision.verdict.raw != decision.effectiveBefore,
                decision.known?.isSuppressed != true
            else {
                return
            }
            after = decision.known ?? after
            after.presence = decision.effectiveBefore
            after.isSuppressed = true
            suppress(decision, .suspect, person.id, &turn)
        } else if decision.verdict.presence == .unknown {
            if !decision.wasUndecided { suppress(decision, .tooCoarse, person.id, &turn) }
            after = person.presence(in: after.zone).flatMap { $0.isUndecided ? $0 : nil } ?? after
            after.isSuppressed = true
        } else if decision.isCrossed {
            emitPassThrough(decision, person.id, &turn)
            (after.isSuppressed, after.leaving, after.restsOnOneFix) = (false, nil, false)
            (after.entering, after.isCoarse) = (nil, false)
        } else if decision.verdict.presence != decision.effectiveBefore || decision.isClearer {
            emitTransition(decision, person.id, &turn)
            (after.isSuppressed, after.leaving) = (false, nil)
            let isAgreed = decision.known?.entering != nil
            (after.entering, after.isCoarse) = (nil, decision.verdict.isCoarse)
            // Confirmed nearness does not become unconfirmed by what one fix adds.
            let isNew = decision.before != .near || decision.known?.restsOnOneFix == true
            after.restsOnOneFix =
                isSeen(decision) && isNew && !isAgreed
                && !decision.verdict.isLeave(from: decision.before)
        } else {
            let isSuppressed = decision.verdict.raw != decision.verdict.presence
            let reason = decision.verdict.reason
            let isUnconfirmed = reason == .unconfirmed
            if isSuppressed, !after.isSuppressed {
                suppress(
                    decision, isUnconfirmed || reason == .tooCoarse ? reason : .withinMargin,
                    person.id, &turn)
            }
            let entering = entering(decision, turn.rules)
            after.isSuppressed = isSuppressed || entering != nil
            after.leaving =
                isUnconfirmed && decision.isLeaving
                ? leavingEnd(decision, person, turn) : nil
            after.entering = entering
            if isLater, !isSuppressed { after.restsOnOneFix = false }
        }
        person.store(after, isTimed: decision.found.zone.isTimed)
    }

    /// Handles a zone whose schedule is closed: presence is cleared, and the person would be found
    /// again when it opens.
    func close(
        _ zones: ActiveZones, _ index: Int, of source: ZoneSource, for person: inout PersonState,
        _ turn: inout Turn
    ) {
        guard occasion != .suspect else { return }
        let found = FoundZone(zones, index, of: source)
        leaveBeforeClosing(zones, index, of: source, for: &person, &turn)
        let known = person.presence(in: found.zone.id).map(confirmedIfLate)
        if let known, known.isPresent { forget(found, known, .scheduleClosed, person.id, &turn) }
        var after = ZonePresence(
            zone: found.zone.id, presence: found.presence(of: fix.point), since: turn.now)
        if let known {
            var verdict = verdict(about: zones, index, known.presence, turn.rules)
            confirm(
                &verdict, zones, index, known.presence, known, after: person.trusted, turn.rules)
            // Doubt remains until another fix arrives.
            let isDoubted =
                (occasion == .reconfigured || occasion == .scheduleOpened) && known.isInDoubt
                && verdict.isLeave(from: known.presence)
            after.isSuppressed = isDoubted || verdict.isHeldBack(from: known.presence)
            if after.isSuppressed { after.presence = known.presence }
            // As in an open zone, for a while.
            if isDoubted || verdict.reason == .unconfirmed && verdict.raw != .inside {
                let decision = ZoneDecision(
                    found: found, known: known, before: known.presence, verdict: verdict,
                    isCrossed: false)
                after.leaving = leavingEnd(decision, person, turn)
            }
        }
        guard after.presence != .outside else { return person.forget(found.zone.id) }
        after.isClosed = true
        if let known, known.isClosed, known.presence == after.presence,
            known.isSuppressed == after.isSuppressed, known.leaving == after.leaving
        {
            return
        }
        person.store(after, isTimed: true)
    }

    /// Whether the presence remains in doubt after a zone has opened, because no new fix arrived.
    func remains(
        inDoubt kept: ZonePresence, about zones: ActiveZones, _ index: Int,
        for person: inout PersonState, _ turn: inout Turn
    ) -> Bool {
        switch occasion {
        case .suspect: return true
        case .fix, .suspectTimeout, .leavingTimeout, .first: return false
        case .scheduleOpened, .reconfigured: break
        }
        let raw = verdict(about: zones, index, .unknown, turn.rules)
        guard raw.isAway(from: kept.presence) else { return false }
        var after = kept
        after.since = turn.now
        person.store(after, isTimed: true)
        return true
    }

    /// Leaves the zone before it closes, if a fix said so while it was open and nothing has
    /// contradicted it.
    private func leaveBeforeClosing(
        _ zones: ActiveZones, _ index: Int, of source: ZoneSource, for person: inout PersonState,
        _ turn: inout Turn
    ) {
        guard person.suspect == nil, let known = person.presence(in: zones.zones[index].id),
            known.leaving != nil, known.isPresent
        else { return }
        var evaluator = ZoneEvaluator(fix, .leavingTimeout)
        evaluator.cause = cause
        let verdict = evaluator.verdict(about: zones, index, known.presence, turn.rules)
        guard verdict.isLeave(from: known.presence) else { return }
        evaluator.apply(
            ZoneDecision(
                found: FoundZone(zones, index, of: source), known: known, before: known.presence,
                verdict: verdict, isCrossed: false), &person, &turn)
    }

    /// Clears a presence that no longer counts although the person did not move.
    func forget(
        _ found: FoundZone, _ known: ZonePresence, _ reason: CrossingReason,
        _ person: PersonID, _ turn: inout Turn
    ) {
        let crossing = crossing(
            found, person, from: known.presence, to: .unknown,
            found.signedDistance(from: fix.point).centimetres, margin: 0, reason)
        recordChange(crossing, found, isInitial: false, &turn)
        emit(.zonePresenceCleared(crossing), of: crossing.zone, person, &turn)
    }

    /// Emits the dwell event.
    ///
    /// - Parameter isFixOld: whether the last fix is older than the phone's usual interval.
    func dwell(
        _ found: FoundZone, _ person: PersonID, isFixOld: Bool, _ turn: inout Turn
    ) {
        var crossing = crossing(
            found, person, from: .inside, to: .inside,
            found.signedDistance(from: fix.point).centimetres,
            margin: 0, .stayed)
        crossing.isFixOld = isFixOld
        emit(.zoneDwelled(crossing), of: crossing.zone, person, &turn)
        turn.queueMessages(.dwell, found)
    }

    private func suppress(
        _ decision: ZoneDecision, _ reason: CrossingReason, _ person: PersonID, _ turn: inout Turn
    ) {
        let stays = decision.verdict.presence == .unknown ? .unknown : decision.effectiveBefore
        let crossing = crossing(
            decision.found, person, from: stays, to: stays,
            decision.verdict.distance.centimetres, margin: decision.verdict.margin, reason)
        // The same fix may be suppressed again when it becomes trusted later.
        let suspect = reason == .suspect ? Hash.id("suspect", .id(fix.report)) : nil
        emit(.zoneSuppressed(crossing), of: crossing.zone, person, &turn, because: suspect)
    }

    private func emitTransition(_ decision: ZoneDecision, _ person: PersonID, _ turn: inout Turn) {
        let after = decision.verdict.presence
        let isSeen = isSeen(decision)
        var crossing = crossing(
            decision.found, person, from: decision.before, to: after,
            decision.verdict.distance.centimetres, margin: decision.verdict.margin,
            reason(of: decision))
        crossing.coarse = decision.verdict.isCoarse
        recordChange(crossing, decision.found, isInitial: !isSeen, &turn)
        guard isSeen else {
            return emit(.zonePresenceEstablished(crossing), of: crossing.zone, person, &turn)
        }
        switch (decision.before, after) {
        case (_, .inside): emit(.zoneEntered(crossing), of: crossing.zone, person, &turn)
        case (.inside, _): emit(.zoneExited(crossing), of: crossing.zone, person, &turn)
        case (_, .near): emit(.zoneApproached(crossing), of: crossing.zone, person, &turn)
        default: emit(.zoneLeftVicinity(crossing), of: crossing.zone, person, &turn)
        }
    }

    /// Since when fixes show the person inside who has not entered yet. A fix that is too
    /// inaccurate, or outside by at most half its margin, neither agrees nor contradicts.
    private func entering(_ decision: ZoneDecision, _ rules: EvaluatorRules) -> Timestamp? {
        guard decision.found.zone.kind == .safe, decision.effectiveBefore != .inside else {
            return nil
        }
        guard let since = decision.known?.entering else {
            return decision.verdict.raw == .inside && decision.verdict.reason == .unconfirmed
                ? fix.fix.time : nil
        }
        let margin = rules.margin(
            hysteresisMetres: decision.found.zone.hysteresisMetres,
            accuracyCentimetres: fix.fix.accuracyCentimetres,
            inradius: decision.found.inradiusCentimetres)
        return decision.verdict.distance.centimetres <= margin / 2 ? since : nil
    }

    /// When the person has left if no other fix arrives.
    private func leavingEnd(
        _ decision: ZoneDecision, _ person: PersonState, _ turn: Turn
    ) -> Timestamp {
        // The same fix keeps its wait.
        if let leaving = decision.known?.leaving,
            occasion == .reconfigured || occasion == .scheduleOpened
        {
            return leaving
        }
        let zone = decision.found.zone
        let line = decision.before == .near ? zone.alertCentimetres : 0
        var seconds = wait(person, turn.rules)
        if let last = person.trusted,
            !isImplausible(after: last, turn.rules, turn.rules.leavingAcceleration)
        {
            seconds = turn.rules.leaveSeconds(
                fix.fix, beyond: decision.verdict.distance.centimetres - line, usual: seconds,
                isCoarse: turn.rules.isCoarse(
                    fix.fix, .safe, inradiusCentimetres: decision.found.inradiusCentimetres))
        }
        let end = turn.now.plus(seconds: seconds)
        return decision.known?.leaving.map { min($0, end) } ?? end
    }

    /// How long to wait for another fix, seconds. In an emergency phones report all the time.
    private func wait(_ person: PersonState, _ rules: EvaluatorRules) -> Int64 {
        guard let before = person.trusted?.fix.time, !person.emergency.isActive else {
            return rules.confirmSecondsMin
        }
        let silent = fix.fix.time.seconds(since: before)
        return rules.confirmSeconds(after: max(silent, Int64(person.usualInterval)))
    }

    /// Whether the change was observed, not found.
    private func isSeen(_ decision: ZoneDecision) -> Bool {
        [.fix, .suspectTimeout, .leavingTimeout].contains(occasion) && decision.before != .unknown
    }

    private func reason(of decision: ZoneDecision) -> CrossingReason {
        switch occasion {
        // The presence was unknown when the zone opened.
        case .fix where decision.before == .unknown: opened(decision)
        case .suspectTimeout where decision.before == .unknown: opened(decision)
        case .leavingTimeout where decision.before == .unknown: opened(decision)
        case .fix, .suspect: decision.verdict.reason
        case .suspectTimeout: .silence
        case .leavingTimeout: .uncontradicted
        case .first: .initial
        case .reconfigured: decision.before == .unknown ? .initial : .zoneChanged
        case .scheduleOpened: .scheduleOpened
        }
    }

    /// The reason of a first decision.
    private func opened(_ decision: ZoneDecision) -> CrossingReason {
        decision.wasUndecided ? .initial : .scheduleOpened
    }

    /// Emits enter and exit of a zone crossed between two fixes.
    private func emitPassThrough(_ decision: ZoneDecision, _ person: PersonID, _ turn: inout Turn) {
        for (from, to) in [
            (decision.before, Presence.inside), (.inside, decision.verdict.presence),
        ] {
            var crossing = crossing(
                decision.found, person, from: from, to: to,
                decision.verdict.distance.centimetres, margin: 0, .passedThrough)
            crossing.interpolated = true
            recordChange(crossing, decision.found, isInitial: false, &turn)
            emit(
                to == .inside ? .zoneEntered(crossing) : .zoneExited(crossing), of: crossing.zone,
                person, &turn)
        }
    }

    private func recordChange(
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

    private func emit(
        _ body: EventBody, of zone: ZoneID, _ person: PersonID, _ turn: inout Turn,
        because special: ID128? = nil
    ) {
        if turn.isErased { return }
        turn.emit(
            body, of: person, subject: .id(zone), cause: special ?? cause ?? fix.report.raw)
    }
}
