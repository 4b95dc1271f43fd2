import Geometry
import Model

/// Saves evaluations of one person's fixes.
///
/// Fixes that cannot change any decision are skipped, see ``QuietFixFilter``. Other fixes are
/// evaluated only against the zones around the person, see ``NearbyZones``. Neither is part of the
/// state: decisions are the same without them, only slower.
struct FastPath: Sendable {
    fileprivate var filter = QuietFixFilter()
    fileprivate var nearbyZones = NearbyZones()

    // MARK: What evaluation tells it

    /// Records the known presence in a zone.
    ///
    /// - Parameter known: `unknown` if the next fix has to be evaluated.
    mutating func update(_ zone: ZoneID, _ known: Presence) { nearbyZones.update(zone, known) }

    /// Evaluates the next fix by spatial search, because anything but a plausible fix may have
    /// changed presence.
    mutating func invalidate() { nearbyZones.invalidate() }

    // MARK: What it saves

    /// Whether a zone may change something by time alone; false without a lookup of the zone.
    func mayBeTimed(_ zone: ZoneID, _ generation: UInt64) -> Bool {
        nearbyZones.traits(of: zone, at: generation)?.isTimed ?? true
    }

    /// Whether a zone may raise alarms; false without a lookup of the zone.
    func mayAlarm(_ zone: ZoneID, _ generation: UInt64) -> Bool {
        nearbyZones.traits(of: zone, at: generation)?.alarms ?? true
    }

    /// Evaluates a fix against the nearby zones of a person; others cannot change.
    ///
    /// - Parameter before: the fix from which the person has moved here.
    /// - Returns: false if all zones have to be searched; nothing was evaluated then.
    static func evaluate(
        _ evaluator: ZoneEvaluator, from before: EvaluatedFix?, of person: inout PresenceMachine,
        _ zones: borrowing KnownZones, _ turn: inout Turn
    ) -> Bool {
        guard turn.usesFastPath, evaluator.evidence.occasion == .fix, let before,
            let localPoint = person.fastPath.nearbyZones.move(
                to: evaluator.evidence.fix.fix.position, from: before.fix.position,
                at: zones.generation)
        else { return false }
        let point = evaluator.evidence.fix.point
        let hasPath = evaluator.evidence.pathStart != nil
        // First, in order, the zones that the fix may change; then those needed to bound the
        // distance to the nearest edge. The latter decide nothing: a known presence may belong to
        // another owner's zone with the same id, which comes later.
        var start = 0
        while let next = person.fastPath.nearbyZones.next(from: start, at: localPoint) {
            start = next + 1
            let entry = person.fastPath.nearbyZones.entries[next]
            guard let (owner, source) = zones.owner(entry.owner, person.applicable) else {
                continue
            }
            let seen = owner.regions.signedDistance(Int(entry.index), from: point)
            person.fastPath.nearbyZones.recordDistance(next, seen.centimetres, from: localPoint)
            if entry.isAsKnown(entry.lines.side(of: seen.centimetres)),
                !(hasPath && entry.isCrossed)
            {
                continue
            }
            let near = NearRegion(index: entry.index, isSurelyInside: false)
            evaluator.decide(owner, near, at: seen, of: source, for: &person, &turn)
        }
        turn.edgeBounds = nearestEdgeBounds(
            around: &person, point, zones, at: localPoint, turn.rules.reporting)
        return true
    }

    /// Rebuilds the nearby zones after a fix that was evaluated by spatial search.
    static func rebuild(
        around point: EarthPoint, of person: inout PresenceMachine, _ zones: KnownZones,
        _ turn: inout Turn
    ) {
        turn.edgeBounds = nil
        guard turn.usesFastPath, person.fastPath.nearbyZones.shouldRebuild() else { return }
        turn.edgeBounds = turn.buffers.nearby.rebuild(
            &person.fastPath.nearbyZones, around: point, person.applicable, person.presences,
            in: zones)
    }

    /// Bounds of the distance to the nearest edge, exact enough to decide the reporting policy.
    fileprivate static func nearestEdgeBounds(
        around person: inout PresenceMachine, _ point: EarthPoint, _ zones: borrowing KnownZones,
        at localPoint: Circles.LocalPoint, _ rules: ReportingRules
    ) -> NearestEdgeBounds {
        var bounds = person.fastPath.nearbyZones.quickNearestEdgeBounds(at: localPoint)
        while NearestEdges(bounds, rules) == nil,
            let uncertain = person.fastPath.nearbyZones.nextUncertain(at: localPoint)
        {
            let entry = person.fastPath.nearbyZones.entries[uncertain]
            guard let (owner, _) = zones.owner(entry.owner, person.applicable) else { break }
            let seen = owner.regions.signedDistance(Int(entry.index), from: point)
            person.fastPath.nearbyZones.recordDistance(
                uncertain, seen.centimetres, from: localPoint)
            bounds = person.fastPath.nearbyZones.nearestEdgeBounds(at: localPoint)
        }
        return bounds
    }
}

extension PartitionState {
    /// Applies a report that changes nothing but its person's position.
    ///
    /// - Returns: false if the report has to be evaluated; nothing was changed then.
    @inline(__always)
    mutating func skips(_ report: borrowing Report, at time: Timestamp) -> Bool {
        // Most fixes are decided by a few instructions, which touch nothing but the fast path.
        guard let index = people.index(of: report.person),
            let localPoint = people[index].presence.fastPath.admits(
                report, at: time, zones.generation, rules)
        else { return false }
        if !people[index].presence.fastPath.isClear(localPoint) {
            guard people[index].isQuiet(report, at: time, localPoint, zones, rules) else {
                return false
            }
        }
        people[index].presence.fastPath.filter.apply(report, at: time, localPoint, rules)
        quietFixes += 1
        return true
    }
}

extension FastPath {
    /// The point of an admissible report on the map of nearby zones; nil if the report has to be
    /// evaluated.
    @inline(__always)
    fileprivate func admits(
        _ report: borrowing Report, at time: Timestamp, _ generation: UInt64,
        _ rules: borrowing EvaluatorRules
    ) -> Circles.LocalPoint? {
        guard filter.admits(report, at: time, generation, rules) else { return nil }
        let localPoint = nearbyZones.localPoint(of: report.fix.position)
        return filter.canMove(to: report.fix, at: localPoint, rules) ? localPoint : nil
    }

    /// Whether a fix at this point changes nothing in any zone, nor the reporting policy.
    @inline(__always)
    fileprivate func isClear(_ localPoint: Circles.LocalPoint) -> Bool {
        nearbyZones.isClear(localPoint) && filter.isPolicyUnchanged(at: localPoint)
    }
}

extension PersonState {
    /// Whether an admitted report changes nothing in any nearby zone. Stores the measured
    /// distances.
    fileprivate mutating func isQuiet(
        _ report: borrowing Report, at time: Timestamp, _ localPoint: Circles.LocalPoint,
        _ zones: borrowing KnownZones, _ rules: borrowing EvaluatorRules
    ) -> Bool {
        guard presence.fastPath.nearbyZones.reaches(localPoint) else { return false }
        if !presence.fastPath.nearbyZones.isClear(localPoint) {
            guard changesNothing(report, at: time, localPoint, zones, rules) else {
                return false
            }
        }
        if presence.fastPath.filter.isPolicyUnchanged(at: localPoint) { return true }
        return keepsPolicy(report, at: localPoint, zones, rules)
    }

    /// Whether a report changes nothing in any nearby zone.
    private mutating func changesNothing(
        _ report: borrowing Report, at time: Timestamp, _ localPoint: Circles.LocalPoint,
        _ zones: borrowing KnownZones, _ rules: borrowing EvaluatorRules
    ) -> Bool {
        let last = presence.fastPath.filter.trusted
        var evidence = FixEvidence(EvaluatedFix(report), .fix, from: last, rules)
        evidence.previous = presence.fastPath.filter.previous
        let now = max(time, waits.passed)
        var start = 0
        while let next = presence.fastPath.nearbyZones.next(from: start, at: localPoint) {
            start = next + 1
            let entry = presence.fastPath.nearbyZones.entries[next]
            guard let (owner, source) = zones.owner(entry.owner, presence.applicable) else {
                return false
            }
            let index = Int(entry.index)
            let seen = owner.regions.signedDistance(index, from: evidence.fix.point)
            let isAsKnown = entry.isAsKnown(entry.lines.side(of: seen.centimetres))
            if !isAsKnown || evidence.pathStart != nil && entry.isCrossed,
                presence.applicable.includes(owner.zones[index], of: source, at: now)
            {
                let kept = presence.presence(in: entry.zone)
                guard
                    evidence.changesNothing(of: owner, index, at: seen, kept, after: last, rules)
                else { return false }
            }
            presence.fastPath.nearbyZones.recordDistance(
                next, seen.centimetres, from: localPoint)
        }
        return true
    }

    /// Whether the reporting policy stays the same at a fix.
    private mutating func keepsPolicy(
        _ report: borrowing Report, at localPoint: Circles.LocalPoint,
        _ zones: borrowing KnownZones, _ rules: borrowing EvaluatorRules
    ) -> Bool {
        let mode = presence.fastPath.filter.mode
        guard mode == .standard || mode == .significant, !policy.isStale,
            presence.applicable.areAll
        else { return false }
        var found = NearestEdges(
            presence.fastPath.nearbyZones.quickNearestEdgeBounds(at: localPoint),
            rules.reporting)
        if found == nil {
            let bounds = FastPath.nearestEdgeBounds(
                around: &presence, EarthPoint(report.fix.position), zones, at: localPoint,
                rules.reporting)
            found = NearestEdges(bounds, rules.reporting)
        }
        guard let found, found.mode == mode else { return false }
        presence.fastPath.filter.setPolicyArea(found.slackMetres, around: localPoint)
        return true
    }

    /// Starts to skip fixes if the following ones can be quiet.
    mutating func beginQuietFixes(_ rules: borrowing EvaluatorRules, _ generation: UInt64) {
        guard let trusted = presence.fixes.primaryFix, presence.fixes.suspect == nil,
            presence.fixes.lastFix == trusted.fix, !emergency.isActive, !alarms.isStartPending,
            !alarms.isFixAwaited(fix: trusted.fix.time, rules: rules),
            contact.expectation?.device != trusted.device || contact.phase == .ok,
            let sent = policy.sent, sent.device == trusted.device
        else { return }
        let localPoint = presence.fastPath.nearbyZones.localPoint(of: trusted.fix.position)
        guard presence.fastPath.nearbyZones.reaches(localPoint) else { return }
        presence.fastPath.filter = QuietFixFilter(
            self, trusted, sent, at: localPoint, generation, rules)
    }

    /// Stops skipping fixes, and records what the skipped ones have changed.
    @inline(__always)
    mutating func endQuietFixes() {
        guard presence.fastPath.filter.isActive else { return }
        if presence.fastPath.filter.hits > 0 {
            presence.fastPath.filter.write(to: &presence.fixes)
            waits.passed = presence.fastPath.filter.passed
            if presence.fastPath.filter.resetsContact { contact.lastContact = waits.passed }
            presence.fastPath.nearbyZones.countHits(presence.fastPath.filter.hits)
        }
        presence.fastPath.filter.end()
    }

    /// A copy that includes what skipped fixes have changed.
    var withQuietFixes: PersonState {
        var person = self
        person.endQuietFixes()
        return person
    }
}

extension FixEvidence {
    /// Whether the fix changes nothing in a zone that applies to the person, and emits nothing.
    ///
    /// - Parameters:
    ///   - distance: to the zone's edge.
    ///   - last: the trusted fix before it.
    fileprivate func changesNothing(
        of zones: ActiveZones, _ index: Int, at distance: SignedDistance, _ kept: ZonePresence?,
        after last: EvaluatedFix, _ rules: EvaluatorRules
    ) -> Bool {
        if zones.zones[index].isScheduled || kept?.isClosed == true { return false }
        if kept?.restsOnOneFix == true || kept?.isUndecided == true { return false }
        let before = kept?.presence ?? .outside
        let verdict = verdict(about: zones, index, at: distance, before, kept, after: last, rules)
        guard verdict.presence == before, !verdict.isCoarse, kept?.isCoarse != true,
            kept?.entering == nil,
            (verdict.raw != verdict.presence) == (kept?.isSuppressed ?? false),
            (verdict.reason == .unconfirmed) == (kept?.leaving != nil)
        else { return false }
        return pathStart == nil || !zones.zones[index].isCrossed
            || !isCrossing(zones, index, before, verdict, rules)
    }
}
