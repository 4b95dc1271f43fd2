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
    /// Only fixes that are too inaccurate for a first decision had come.
    var wasUndecided = false

    /// Whether the fix shows the person near who was so only by an inaccurate one.
    var isClearer: Bool {
        known?.isCoarse == true && verdict.presence == .near && !verdict.isCoarse
            && verdict.raw == .near
    }

    /// Whether the fix is away from where the person is.
    var isLeaving: Bool {
        switch before {
        case .inside: verdict.raw != .inside
        case .near: verdict.raw == .outside
        case .unknown, .outside: false
        }
    }

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
        } else if decision.verdict.presence == .unknown {
            if !decision.wasUndecided { withhold(decision, .tooCoarse, person.id, &turn) }
            after = person.presence(in: after.zone).flatMap { $0.isUndecided ? $0 : nil } ?? after
            after.isWithheld = true
        } else if decision.isCrossed {
            pass(decision, person.id, &turn)
            (after.isWithheld, after.leaving, after.restsOnOneFix) = (false, nil, false)
            (after.entering, after.isCoarse) = (nil, false)
        } else if decision.verdict.presence != decision.stood || decision.isClearer {
            change(decision, person.id, &turn)
            (after.isWithheld, after.leaving) = (false, nil)
            let isAgreed = decision.known?.entering != nil
            (after.entering, after.isCoarse) = (nil, decision.verdict.isCoarse)
            // Nearness that others agreed with does not end with whatever one fix adds to it.
            let isNew = decision.before != .near || decision.known?.restsOnOneFix == true
            after.restsOnOneFix =
                isSeen(decision) && isNew && !isAgreed
                && !decision.verdict.isLeave(from: decision.before)
        } else {
            let isWithheld = decision.verdict.raw != decision.verdict.presence
            let reason = decision.verdict.reason
            let isUnconfirmed = reason == .unconfirmed
            if isWithheld, !after.isWithheld {
                withhold(
                    decision, isUnconfirmed || reason == .tooCoarse ? reason : .withinMargin,
                    person.id, &turn)
            }
            let entering = entering(decision, turn.rules)
            after.isWithheld = isWithheld || entering != nil
            after.leaving =
                isUnconfirmed && decision.isLeaving
                ? leavingEnd(decision, person, turn) : nil
            after.entering = entering
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
            if isDoubted || verdict.reason == .unconfirmed && verdict.raw != .inside {
                let decision = Decision(
                    found: found, known: known, before: known.presence, verdict: verdict,
                    isCrossed: false)
                after.leaving = leavingEnd(decision, person, turn)
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
        guard raw.isAway(from: kept.presence) else { return false }
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
    ///
    /// - Parameter isFixOld: whether no fix is as new as the phone's reports usually are
    func dwell(
        _ found: FoundZone, _ person: PersonID, isFixOld: Bool, _ turn: inout Turn
    ) {
        var crossing = crossing(
            found, person, from: .inside, to: .inside,
            found.signedDistance(from: fix.point).centimetres,
            margin: 0, .stayed)
        crossing.isFixOld = isFixOld
        tell(.zoneDwelled(crossing), of: crossing.zone, person, &turn)
        turn.fire(.dwell, found)
    }

    private func withhold(
        _ decision: Decision, _ reason: CrossingReason, _ person: PersonID, _ turn: inout Turn
    ) {
        let stays = decision.verdict.presence == .unknown ? .unknown : decision.stood
        let crossing = crossing(
            decision.found, person, from: stays, to: stays,
            decision.verdict.distance.centimetres, margin: decision.verdict.margin, reason)
        // Believed later, the same fix may be held back once more.
        let suspect = reason == .suspect ? Hash.id("suspect", .id(fix.report)) : nil
        tell(.zoneWithheld(crossing), of: crossing.zone, person, &turn, because: suspect)
    }

    private func change(_ decision: Decision, _ person: PersonID, _ turn: inout Turn) {
        let after = decision.verdict.presence
        let isSeen = isSeen(decision)
        var crossing = crossing(
            decision.found, person, from: decision.before, to: after,
            decision.verdict.distance.centimetres, margin: decision.verdict.margin,
            reason(of: decision))
        crossing.coarse = decision.verdict.isCoarse
        note(crossing, decision.found, isInitial: !isSeen, &turn)
        guard isSeen else { return tell(.zoneInitial(crossing), of: crossing.zone, person, &turn) }
        switch (decision.before, after) {
        case (_, .inside): tell(.zoneEntered(crossing), of: crossing.zone, person, &turn)
        case (.inside, _): tell(.zoneExited(crossing), of: crossing.zone, person, &turn)
        case (_, .near): tell(.zoneApproached(crossing), of: crossing.zone, person, &turn)
        default: tell(.zoneReceded(crossing), of: crossing.zone, person, &turn)
        }
    }

    /// Since when fixes see somebody inside who has not entered. One that is too inaccurate, or
    /// outside by no more than half its margin, neither agrees nor contradicts.
    private func entering(_ decision: Decision, _ rules: EvaluatorRules) -> Timestamp? {
        guard decision.found.zone.kind == .safe, decision.stood != .inside else { return nil }
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

    /// When somebody has left, if no other fix comes.
    private func leavingEnd(
        _ decision: Decision, _ person: PersonState, _ turn: Turn
    ) -> Timestamp {
        // The same fix waits as long as it did.
        if let leaving = decision.known?.leaving, occasion == .arranged || occasion == .opened {
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
        case .fix where decision.before == .unknown: opened(decision)
        case .silence where decision.before == .unknown: opened(decision)
        case .alone where decision.before == .unknown: opened(decision)
        case .fix, .suspect: decision.verdict.reason
        case .silence: .silence
        case .alone: .uncontradicted
        case .first: .initial
        case .arranged: decision.before == .unknown ? .initial : .zoneChanged
        case .opened: .scheduleOpened
        }
    }

    /// Why a fix is the first to say where somebody is.
    private func opened(_ decision: Decision) -> CrossingReason {
        decision.wasUndecided ? .initial : .scheduleOpened
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
