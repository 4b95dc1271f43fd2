import Hashing
import Model

/// Emits the events of decisions about one fix and a zone.
struct ZoneEvents {
    let fix: EvaluatedFix
    let occasion: FixEvidence.Occasion
    /// Nil = the report.
    let cause: ID128?

    /// Reports a presence that is cleared although the person did not move.
    func emitCleared(
        _ found: FoundZone, _ known: ZonePresence, _ reason: CrossingReason, _ turn: inout Turn
    ) {
        let crossing = crossing(found, from: known.presence, to: .unknown, reason, turn.person)
        recordChange(crossing, found, isInitial: false, &turn)
        emit(.zonePresenceCleared(crossing), of: found, &turn)
    }

    /// Reports that the person has been inside for the zone's dwell time.
    ///
    /// - Parameter isFixOld: whether the last fix is older than the phone's usual interval.
    func emitDwelled(_ found: FoundZone, isFixOld: Bool, _ turn: inout Turn) {
        var crossing = crossing(found, from: .inside, to: .inside, .stayed, turn.person)
        crossing.isFixOld = isFixOld
        emit(.zoneDwelled(crossing), of: found, &turn)
        turn.triggered.add(safe: found, .dwell)
    }

    func emitSuppressed(_ decision: ZoneDecision, _ reason: CrossingReason, _ turn: inout Turn) {
        let stays = decision.verdict.presence == .unknown ? .unknown : decision.effectiveBefore
        let crossing = crossing(decision, from: stays, to: stays, reason, turn.person)
        // The same fix may be suppressed again when it becomes trusted later.
        let suspect = reason == .suspect ? Hash.id("suspect", .id(fix.report)) : nil
        emit(.zoneSuppressed(crossing), of: decision.found, &turn, because: suspect)
    }

    func emitTransition(_ decision: ZoneDecision, _ turn: inout Turn) {
        let after = decision.verdict.presence
        let isSeen = isSeen(decision)
        var crossing = crossing(
            decision, from: decision.before, to: after, reason(of: decision), turn.person)
        crossing.coarse = decision.verdict.isCoarse
        recordChange(crossing, decision.found, isInitial: !isSeen, &turn)
        let body: EventBody =
            switch (decision.before, after) {
            case _ where !isSeen: .zonePresenceEstablished(crossing)
            case (_, .inside): .zoneEntered(crossing)
            case (.inside, _): .zoneExited(crossing)
            case (_, .near): .zoneApproached(crossing)
            case (_, .outside), (_, .unknown): .zoneLeftVicinity(crossing)
            }
        emit(body, of: decision.found, &turn)
    }

    /// Emits enter and exit of a zone crossed between two fixes.
    func emitPassThrough(_ decision: ZoneDecision, _ turn: inout Turn) {
        for (from, to) in [
            (decision.before, Presence.inside), (.inside, decision.verdict.presence),
        ] {
            var crossing = crossing(
                decision, from: from, to: to, .passedThrough, turn.person)
            crossing.marginCentimetres = 0
            crossing.interpolated = true
            recordChange(crossing, decision.found, isInitial: false, &turn)
            emit(
                to == .inside ? .zoneEntered(crossing) : .zoneExited(crossing),
                of: decision.found, &turn)
        }
    }

    /// Whether the change was observed, not found.
    func isSeen(_ decision: ZoneDecision) -> Bool {
        isMovement && decision.before != .unknown
    }

    /// Whether the person may have moved.
    private var isMovement: Bool {
        switch occasion {
        case .fix, .suspectTimeout, .leavingTimeout: true
        case .first, .reconfigured, .scheduleOpened, .suspect: false
        }
    }

    private func reason(of decision: ZoneDecision) -> CrossingReason {
        // The presence was unknown when the zone opened, or no fix was accurate enough before.
        if isMovement, decision.before == .unknown {
            return decision.wasUndecided ? .initial : .scheduleOpened
        }
        return switch occasion {
        case .fix, .suspect: decision.verdict.reason
        case .suspectTimeout: .silence
        case .leavingTimeout: .uncontradicted
        case .first: .initial
        case .reconfigured: decision.before == .unknown ? .initial : .zoneChanged
        case .scheduleOpened: .scheduleOpened
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
                interpolated: crossing.interpolated))
    }

    private func crossing(
        _ decision: ZoneDecision, from before: Presence, to after: Presence,
        _ reason: CrossingReason, _ person: PersonID
    ) -> ZoneCrossing {
        crossing(
            decision.found, from: before, to: after, reason, person,
            centimetres: decision.verdict.distance.centimetres, margin: decision.verdict.margin)
    }

    private func crossing(
        _ found: FoundZone, from before: Presence, to after: Presence, _ reason: CrossingReason,
        _ person: PersonID, centimetres: Int32? = nil, margin: Int32 = 0
    ) -> ZoneCrossing {
        ZoneCrossing(
            person: person, device: fix.device, zone: found.zone.id,
            zoneName: found.details.name, zoneKind: found.zone.kind, circle: found.source.circle,
            set: found.source.set, before: before, after: after, fix: fix.fix,
            distanceCentimetres: centimetres
                ?? found.signedDistance(from: fix.point).centimetres,
            marginCentimetres: margin, reason: reason, report: fix.report)
    }

    private func emit(
        _ body: EventBody, of found: FoundZone, _ turn: inout Turn,
        because special: ID128? = nil
    ) {
        if turn.isErased { return }
        turn.emit(
            body, subject: .id(found.zone.id), cause: special ?? cause ?? fix.report.raw)
    }
}
