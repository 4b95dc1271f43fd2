import Geometry
import Model

/// Evaluates one fix against every zone that applies to its person.
struct ZoneEvaluator {
    let evidence: FixEvidence
    /// Why events are emitted; nil = the report.
    var cause: ID128?
    /// For ``FixEvidence/Occasion/reconfigured``: whether a zone did not apply to the person
    /// before.
    var isNew: (ZoneID) -> Bool = { _ in false }

    init(_ evidence: FixEvidence) { self.evidence = evidence }

    init(_ fix: EvaluatedFix, _ occasion: FixEvidence.Occasion, cause: ID128? = nil) {
        evidence = FixEvidence(fix, occasion)
        self.cause = cause
    }

    private var fix: EvaluatedFix { evidence.fix }

    private var events: ZoneEvents {
        ZoneEvents(fix: evidence.fix, occasion: evidence.occasion, cause: cause)
    }

    // MARK: Which zones

    /// Evaluates the person's own zones, then each circle's, then each set's, each ordered by id.
    func decide(_ person: inout PresenceMachine, _ zones: KnownZones, _ turn: inout Turn) {
        for number in person.applicable.owners {
            guard let (owner, source) = zones.owner(number, person.applicable) else { continue }
            decide(owner, of: source, for: &person, &turn)
        }
    }

    /// Evaluates all zones of one owner.
    func decide(
        _ zones: ActiveZones, of source: ZoneSource, for person: inout PresenceMachine,
        _ turn: inout Turn
    ) {
        if zones.zones.isEmpty { return }
        guard
            zones.find(
                near: fix.point, from: evidence.pathStart?.point, known: person.presences,
                into: &turn.buffers.search)
        else {
            for index in zones.zones.indices {
                let near = NearRegion(index: Int32(index), isSurelyInside: false)
                decide(zones, near, of: source, for: &person, &turn)
            }
            return
        }
        for near in turn.buffers.search.found {
            decide(zones, near, of: source, for: &person, &turn)
        }
    }

    /// Evaluates one zone by its id.
    func decide(
        _ zone: ZoneID, of source: ZoneSource, for person: inout PresenceMachine,
        _ zones: KnownZones, _ turn: inout Turn
    ) {
        guard let owner = zones.zones(of: source, person.applicable),
            let index = owner.index(of: zone)
        else { return person.forget(zone) }
        let near = NearRegion(index: Int32(index), isSurelyInside: false)
        decide(owner, near, of: source, for: &person, &turn)
    }

    /// Evaluates one zone.
    ///
    /// - Parameter distance: to its edge, if known.
    func decide(
        _ zones: ActiveZones, _ near: NearRegion, at distance: SignedDistance? = nil,
        of source: ZoneSource, for person: inout PresenceMachine, _ turn: inout Turn
    ) {
        let index = Int(near.index)
        let kept = person.presence(in: zones.zones[index].id)
        let isPathRelevant = evidence.pathStart != nil && zones.zones[index].isCrossed
        // Far outside and no known presence: still outside, or outside for the first time.
        let isAway =
            kept == nil && distance == nil
            && zones.regions.isSurelyBeyond(
                index, metres: zones.zones[index].reachMetres, from: fix.point)
        if isAway, !isPathRelevant { return }
        guard person.applicable.includes(zones.zones[index], of: source, at: turn.now) else {
            return
        }
        if zones.zones[index].isScheduled, !zones.details[index].calendar.isOpen(at: turn.now) {
            return close(zones, index, of: source, for: &person, &turn)
        }
        // Still certainly inside: the distance to the edge does not matter. A first decision does
        // not rest on what was known.
        if near.isSurelyInside, kept?.isSettledInside == true, !zones.zones[index].isScheduled,
            evidence.occasion != .first
        {
            return
        }
        let isUndecided = kept?.isUndecided == true
        if isUndecided, evidence.occasion == .suspect { return }
        if let kept, kept.isInDoubt,
            remains(inDoubt: kept, about: zones, index, for: &person, &turn)
        {
            return
        }
        let known = kept?.isClosed == true || isUndecided ? nil : kept.map(evidence.confirmedIfLate)
        let isNew =
            known == nil
            && isUnknown(zones.zones[index].id, kept, isFirst: person.fixes.trusted == nil)
        let rules = turn.rules
        let before = known?.presence ?? (isNew ? .unknown : .outside)
        let verdict = evidence.verdict(
            about: zones, index, at: distance, before, known, after: person.fixes.trusted, rules)
        let isCrossed =
            isPathRelevant && evidence.isCrossing(zones, index, before, verdict, rules)
        if verdict.presence == before || verdict.presence == .outside && before == .unknown,
            !isCrossed, verdict.raw == verdict.presence, known?.isSuppressed != true,
            kept?.restsOnOneFix != true, kept?.isCoarse != true
        {
            // The zone has opened; nothing must remain that would open it again.
            if kept?.isClosed == true || isUndecided { person.forget(zones.zones[index].id) }
            return
        }
        apply(
            ZoneDecision(
                found: FoundZone(zones, index, of: source), known: known, before: before,
                verdict: verdict, isCrossed: isCrossed, wasUndecided: isUndecided), &person, &turn)
    }

    /// Whether nothing was decided yet about the person and the zone.
    ///
    /// - Parameter isFirst: whether nothing was decided yet about the person.
    func isUnknown(_ zone: ZoneID, _ kept: ZonePresence?, isFirst: Bool) -> Bool {
        let isUndecided = kept?.isUndecided ?? false
        return switch evidence.occasion {
        case .fix, .suspectTimeout, .leavingTimeout: isUndecided || kept?.isInDoubt ?? false
        case .suspect: false
        case .first: isUndecided || isFirst
        case .reconfigured: isUndecided || isNew(zone)
        case .scheduleOpened: true
        }
    }

    // MARK: What changes

    private func apply(
        _ decision: ZoneDecision, _ person: inout PresenceMachine, _ turn: inout Turn
    ) {
        var after = ZonePresence(
            zone: decision.found.zone.id, presence: decision.verdict.presence, since: turn.now)
        if let known = decision.known, known.presence == after.presence { after = known }
        if evidence.occasion == .suspect {
            guard decision.verdict.raw != decision.effectiveBefore,
                decision.known?.isSuppressed != true
            else {
                return
            }
            after = decision.known ?? after
            after.presence = decision.effectiveBefore
            after.isSuppressed = true
            events.emitSuppressed(decision, .suspect, &turn)
        } else if decision.verdict.presence == .unknown {
            if !decision.wasUndecided { events.emitSuppressed(decision, .tooCoarse, &turn) }
            after = person.presence(in: after.zone).flatMap { $0.isUndecided ? $0 : nil } ?? after
            after.isSuppressed = true
        } else if decision.isCrossed {
            events.emitPassThrough(decision, &turn)
            (after.isSuppressed, after.leaving, after.restsOnOneFix) = (false, nil, false)
            (after.entering, after.isCoarse) = (nil, false)
        } else if decision.verdict.presence != decision.effectiveBefore || decision.isClearer {
            events.emitTransition(decision, &turn)
            (after.isSuppressed, after.leaving) = (false, nil)
            let isAgreed = decision.known?.entering != nil
            (after.entering, after.isCoarse) = (nil, decision.verdict.isCoarse)
            // Confirmed nearness does not become unconfirmed by what one fix adds.
            let isNew = decision.before != .near || decision.known?.restsOnOneFix == true
            after.restsOnOneFix =
                events.isSeen(decision) && isNew && !isAgreed
                && !decision.verdict.isLeave(from: decision.before)
        } else {
            let isSuppressed = decision.verdict.raw != decision.verdict.presence
            let reason = decision.verdict.reason
            let isUnconfirmed = reason == .unconfirmed
            if isSuppressed, !after.isSuppressed {
                events.emitSuppressed(
                    decision, isUnconfirmed || reason == .tooCoarse ? reason : .withinMargin,
                    &turn)
            }
            let entering = entering(decision, turn.rules)
            after.isSuppressed = isSuppressed || entering != nil
            after.leaving =
                isUnconfirmed && decision.isLeaving
                ? leavingEnd(decision, person.fixes, turn) : nil
            after.entering = entering
            // Only a later fix than the one that led to it confirms it.
            let isLater = person.fixes.trusted.map { $0.fix.time < fix.fix.time } ?? true
            if isLater, !isSuppressed { after.restsOnOneFix = false }
        }
        person.store(after, isTimed: decision.found.zone.isTimed)
    }

    /// Handles a zone whose schedule is closed: presence is cleared, and the person would be found
    /// again when it opens.
    private func close(
        _ zones: ActiveZones, _ index: Int, of source: ZoneSource,
        for person: inout PresenceMachine, _ turn: inout Turn
    ) {
        guard evidence.occasion != .suspect else { return }
        let found = FoundZone(zones, index, of: source)
        leaveBeforeClosing(zones, index, of: source, for: &person, &turn)
        let known = person.presence(in: found.zone.id).map(evidence.confirmedIfLate)
        if let known, known.isPresent { events.emitCleared(found, known, .scheduleClosed, &turn) }
        var after = ZonePresence(
            zone: found.zone.id, presence: found.presence(of: fix.point), since: turn.now)
        if let known {
            let verdict = evidence.verdict(
                about: zones, index, known.presence, known, after: person.fixes.trusted,
                turn.rules)
            // Doubt remains until another fix arrives.
            let isDoubted =
                evidence.isRepeated && known.isInDoubt && verdict.isLeave(from: known.presence)
            after.isSuppressed = isDoubted || verdict.isHeldBack(from: known.presence)
            if after.isSuppressed { after.presence = known.presence }
            // As in an open zone, for a while.
            if isDoubted || verdict.reason == .unconfirmed && verdict.raw != .inside {
                let decision = ZoneDecision(
                    found: found, known: known, before: known.presence, verdict: verdict)
                after.leaving = leavingEnd(decision, person.fixes, turn)
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
    private func remains(
        inDoubt kept: ZonePresence, about zones: ActiveZones, _ index: Int,
        for person: inout PresenceMachine, _ turn: inout Turn
    ) -> Bool {
        switch evidence.occasion {
        case .suspect: return true
        case .fix, .suspectTimeout, .leavingTimeout, .first: return false
        case .scheduleOpened, .reconfigured: break
        }
        let raw = evidence.verdict(about: zones, index, .unknown, nil, turn.rules)
        guard raw.isAway(from: kept.presence) else { return false }
        var after = kept
        after.since = turn.now
        person.store(after, isTimed: true)
        return true
    }

    /// Leaves the zone before it closes, if a fix said so while it was open and nothing has
    /// contradicted it.
    private func leaveBeforeClosing(
        _ zones: ActiveZones, _ index: Int, of source: ZoneSource,
        for person: inout PresenceMachine, _ turn: inout Turn
    ) {
        guard person.fixes.suspect == nil,
            let known = person.presence(in: zones.zones[index].id),
            known.leaving != nil, known.isPresent
        else { return }
        let evaluator = ZoneEvaluator(fix, .leavingTimeout, cause: cause)
        let verdict = evaluator.evidence.verdict(
            about: zones, index, known.presence, nil, turn.rules)
        guard verdict.isLeave(from: known.presence) else { return }
        evaluator.apply(
            ZoneDecision(
                found: FoundZone(zones, index, of: source), known: known, before: known.presence,
                verdict: verdict), &person, &turn)
    }

    /// Since when fixes show the person inside who has not entered yet. A fix that is too
    /// inaccurate, or outside by at most half its margin, neither agrees nor contradicts.
    private func entering(_ decision: ZoneDecision, _ rules: EvaluatorRules) -> Timestamp? {
        guard decision.found.zone.kind.rules.confirmsEntry, decision.effectiveBefore != .inside
        else { return nil }
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

    /// When the person has left if no other fix arrives; nil if only another fix can show it.
    private func leavingEnd(
        _ decision: ZoneDecision, _ fixes: FixHistory, _ turn: borrowing Turn
    ) -> Timestamp? {
        // The same fix keeps its wait, and starts none.
        if evidence.isRepeated { return decision.known?.leaving }
        let zone = decision.found.zone
        let line = decision.before == .near ? zone.alertCentimetres : 0
        var seconds = wait(fixes, turn)
        if let last = fixes.trusted,
            !evidence.isImplausible(after: last, turn.rules, turn.rules.leavingAcceleration)
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
    private func wait(_ fixes: FixHistory, _ turn: borrowing Turn) -> Int64 {
        guard let before = fixes.trusted?.fix.time, !turn.isEmergency else {
            return turn.rules.confirmSecondsMin
        }
        let silent = fix.fix.time.seconds(since: before)
        return turn.rules.confirmSeconds(after: max(silent, Int64(fixes.usualInterval)))
    }
}

/// The decision of a fix about a person and a zone, if it changes anything.
struct ZoneDecision {
    let found: FoundZone
    /// The known presence; nil also if the zone's schedule was closed.
    let known: ZonePresence?
    /// `unknown`: nothing was decided yet.
    let before: Presence
    let verdict: ZoneVerdict
    /// Whether the path to the fix crosses the zone while neither end is inside.
    var isCrossed = false
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
