import Geometry
import Hashing
import Model

/// Evaluates one fix against every zone that applies to its person.
struct ZoneEvaluator {
    /// Why the fix is evaluated.
    enum Occasion: Hashable {
        /// A fix that can follow the previous one.
        case fix
        /// A suspect fix that is trusted because no other arrived.
        case suspectTimeout
        /// The same fix again: the wait for a second one has ended.
        case leavingTimeout
        /// The first fix of a primary device.
        case first
        /// The same fix again: zones changed.
        case reconfigured
        /// The same fix again: a schedule opened.
        case scheduleOpened
        /// A fix that is not trusted.
        case suspect
    }

    let fix: EvaluatedFix
    let occasion: Occasion
    /// The previous fix, if the path from there counts.
    var pathStart: EvaluatedFix?
    /// The trusted fix before the previous one, if known.
    var previous: Fix?
    /// Nil = the report.
    var cause: ID128?
    /// Whether it arrives so late that the single fix before it stands.
    var isLateAnswer = false
    /// For ``Occasion/reconfigured``: whether a zone did not apply to the person before.
    var isNew: (ZoneID) -> Bool = { _ in false }

    init(_ fix: EvaluatedFix, _ occasion: Occasion) {
        self.fix = fix
        self.occasion = occasion
    }

    /// - Parameter before: the fix from which the person has moved here.
    init(
        _ fix: EvaluatedFix, _ occasion: Occasion, from before: EvaluatedFix?,
        _ rules: EvaluatorRules
    ) {
        self.init(fix, occasion)
        guard let before, before.point != fix.point else { return }
        let between = fix.fix.time.microseconds - before.fix.time.microseconds
        if between <= rules.pathSecondsMax * 1_000_000 { pathStart = before }
    }

    /// The known presence. Before a late fix, what a single fix began counts as confirmed.
    func confirmedIfLate(_ known: ZonePresence) -> ZonePresence {
        var known = known
        if isLateAnswer { known.restsOnOneFix = false }
        return known
    }

    /// Evaluates the person's own zones, then each circle's, then each set's, each ordered by id.
    func decide(
        _ person: inout PersonState, _ zones: KnownZones, using search: inout ActiveZones.Search,
        _ turn: inout Turn
    ) {
        if !person.ownZones.zones.isEmpty {
            decide(person.ownZones, of: .own, for: &person, using: &search, &turn)
        }
        for circle in person.circles {
            guard let index = zones.circles.index(of: circle) else { continue }
            decide(zones.circles[index], of: .circle(circle), for: &person, using: &search, &turn)
        }
        for set in person.sets {
            guard let index = zones.sets.index(of: set) else { continue }
            decide(
                zones.sets[index].activeZones, of: .set(set), for: &person, using: &search, &turn)
        }
    }

    /// Evaluates all zones of one owner.
    func decide(
        _ zones: ActiveZones, of source: ZoneSource, for person: inout PersonState,
        using search: inout ActiveZones.Search, _ turn: inout Turn
    ) {
        guard
            zones.find(
                near: fix.point, from: pathStart?.point, known: person.presences, into: &search)
        else {
            for index in zones.zones.indices {
                let near = NearRegion(index: Int32(index), isSurelyInside: false)
                decide(zones, near, of: source, for: &person, &turn)
            }
            return
        }
        for near in search.found { decide(zones, near, of: source, for: &person, &turn) }
    }

    /// Evaluates the nearby zones of a person; others cannot change.
    ///
    /// - Parameter localPoint: the fix on the map of nearby zones.
    func decide(
        around person: inout PersonState, _ zones: borrowing KnownZones,
        at localPoint: Circles.LocalPoint,
        _ turn: inout Turn
    ) {
        // First, in order, the zones that the fix may change; then those needed to bound the
        // distance to the nearest edge. The latter decide nothing: a known presence may belong to
        // another owner's zone with the same id, which comes later.
        var start = 0
        while let next = person.nearbyZones.next(from: start, at: localPoint) {
            start = next + 1
            let entry = person.nearbyZones.entries[next]
            guard let (owner, source) = zones.owner(entry.owner, of: person) else { continue }
            let seen = owner.regions.signedDistance(Int(entry.index), from: fix.point)
            person.nearbyZones.recordDistance(next, seen.centimetres, from: localPoint)
            if entry.isAsKnown(entry.lines.side(of: seen.centimetres)),
                pathStart == nil || !entry.isCrossed
            {
                continue
            }
            let near = NearRegion(index: entry.index, isSurelyInside: false)
            decide(owner, near, at: seen, of: source, for: &person, &turn)
        }
        turn.edgeBounds = nearestEdgeBounds(
            around: &person, zones, at: localPoint, turn.rules.reporting)
    }

    /// Bounds of the distance to the nearest edge, exact enough to decide the reporting policy.
    func nearestEdgeBounds(
        around person: inout PersonState, _ zones: borrowing KnownZones,
        at localPoint: Circles.LocalPoint,
        _ rules: ReportingRules
    ) -> NearestEdgeBounds {
        var bounds = person.nearbyZones.quickNearestEdgeBounds(at: localPoint)
        while NearestEdges(bounds, rules) == nil,
            let uncertain = person.nearbyZones.nextUncertain(at: localPoint)
        {
            let entry = person.nearbyZones.entries[uncertain]
            guard let (owner, _) = zones.owner(entry.owner, of: person) else { break }
            let seen = owner.regions.signedDistance(Int(entry.index), from: fix.point)
            person.nearbyZones.recordDistance(uncertain, seen.centimetres, from: localPoint)
            bounds = person.nearbyZones.nearestEdgeBounds(at: localPoint)
        }
        return bounds
    }

    /// Whether the fix changes nothing in a zone that applies to the person, and emits nothing.
    ///
    /// - Parameters:
    ///   - distance: to the zone's edge.
    ///   - last: the trusted fix before it.
    func changesNothing(
        of zones: ActiveZones, _ index: Int, at distance: SignedDistance, _ kept: ZonePresence?,
        after last: EvaluatedFix, _ rules: EvaluatorRules
    ) -> Bool {
        if zones.zones[index].isScheduled || kept?.isClosed == true { return false }
        if kept?.restsOnOneFix == true || kept?.isUndecided == true { return false }
        let before = kept?.presence ?? .outside
        var verdict = verdict(about: zones, index, at: distance, before, rules)
        confirm(&verdict, zones, index, before, kept, after: last, rules)
        guard verdict.presence == before, !verdict.isCoarse, kept?.isCoarse != true,
            kept?.entering == nil,
            (verdict.raw != verdict.presence) == (kept?.isSuppressed ?? false),
            (verdict.reason == .unconfirmed) == (kept?.leaving != nil)
        else { return false }
        return pathStart == nil || !zones.zones[index].isCrossed
            || !isCrossing(zones, index, before, verdict, rules)
    }

    /// Evaluates one zone.
    ///
    /// - Parameter distance: to its edge, if known.
    func decide(
        _ zones: ActiveZones, _ near: NearRegion, at distance: SignedDistance? = nil,
        of source: ZoneSource, for person: inout PersonState, _ turn: inout Turn
    ) {
        let index = Int(near.index)
        let kept = person.presence(in: zones.zones[index].id)
        // Far outside and no known presence: still outside, or outside for the first time.
        let isAway =
            kept == nil && distance == nil
            && zones.regions.isSurelyBeyond(
                index, metres: zones.zones[index].reachMetres, from: fix.point)
        if isAway, pathStart == nil || !zones.zones[index].isCrossed { return }
        guard person.isEvaluated(by: zones.zones[index], of: source, at: turn.now) else { return }
        if zones.zones[index].isScheduled, !zones.details[index].calendar.isOpen(at: turn.now) {
            return close(zones, index, of: source, for: &person, &turn)
        }
        // Still certainly inside: the distance to the edge does not matter.
        if near.isSurelyInside, kept?.isSettledInside == true, !zones.zones[index].isScheduled {
            return
        }
        let isUndecided = kept?.isUndecided == true
        if isUndecided, occasion == .suspect { return }
        if let kept, kept.isInDoubt,
            remains(inDoubt: kept, about: zones, index, for: &person, &turn)
        {
            return
        }
        let known = kept?.isClosed == true || isUndecided ? nil : kept.map(confirmedIfLate)
        let isNew = known == nil && isUnknown(zones.zones[index].id, kept, person)
        let rules = turn.rules
        let before = known?.presence ?? (isNew ? .unknown : .outside)
        var verdict = verdict(about: zones, index, at: distance, before, rules)
        confirm(&verdict, zones, index, before, known, after: person.trusted, rules)
        let isCrossed =
            pathStart != nil && zones.zones[index].isCrossed
            && isCrossing(zones, index, before, verdict, rules)
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

    /// The verdict of the fix about one zone, before checking whether one fix is enough.
    func verdict(
        about zones: ActiveZones, _ index: Int, at distance: SignedDistance? = nil,
        _ before: Presence, _ rules: EvaluatorRules
    ) -> ZoneVerdict {
        let inradius = zones.regions.inradiusCentimetres(index)
        let verdict = ZoneVerdict(
            distance: distance ?? zones.regions.signedDistance(index, from: fix.point),
            zone: zones.zones[index], inradiusCentimetres: inradius,
            margin: margin(fix, zones, index, rules),
            isCoarse: rules.isCoarse(
                fix.fix, zones.zones[index].kind, inradiusCentimetres: inradius),
            before: occasion == .first ? nil : before)
        return verdict.keeping(before)
    }

    /// How far beyond a line of a zone the fix must be, centimetres.
    private func margin(
        _ fix: EvaluatedFix, _ zones: ActiveZones, _ index: Int, _ rules: EvaluatorRules
    ) -> Int32 {
        rules.margin(
            hysteresisMetres: zones.zones[index].hysteresisMetres,
            accuracyCentimetres: fix.fix.accuracyCentimetres,
            inradius: zones.regions.inradiusCentimetres(index))
    }

    /// Whether nothing was decided yet about the person and the zone.
    func isUnknown(
        _ zone: ZoneID, _ kept: ZonePresence?, _ person: PersonState
    ) -> Bool {
        let isUndecided = kept?.isUndecided ?? false
        return switch occasion {
        case .fix, .suspectTimeout, .leavingTimeout: isUndecided || kept?.isInDoubt ?? false
        case .suspect: false
        case .first: isUndecided || person.trusted == nil
        case .reconfigured: isUndecided || isNew(zone)
        case .scheduleOpened: true
        }
    }

    /// Suppresses what one fix alone must not decide: leaving, and entering a safe zone.
    ///
    /// - Parameters:
    ///   - known: the known presence in the zone.
    ///   - last: the previous trusted fix.
    func confirm(
        _ verdict: inout ZoneVerdict, _ zones: ActiveZones, _ index: Int, _ before: Presence,
        _ known: ZonePresence?, after last: @autoclosure () -> EvaluatedFix?,
        _ rules: EvaluatorRules
    ) {
        let isHeld =
            (occasion == .reconfigured || occasion == .scheduleOpened) && known?.leaving != nil
        guard occasion == .fix || isHeld else { return }
        if verdict.isLeave(from: before) {
            // The same fix again confirms nothing.
            if occasion == .fix,
                isLeaveSure(verdict, zones, index, before, known, last(), rules)
            {
                return
            }
            let sure = rules.sureMargin(
                hysteresisMetres: zones.zones[index].hysteresisMetres,
                accuracyCentimetres: fix.fix.accuracyCentimetres)
            verdict = verdict.unconfirmed(before, margin: sure)
        } else if occasion == .fix, zones.zones[index].kind == .safe,
            verdict.presence == .inside, before == .outside || before == .near
        {
            let margin = margin(fix, zones, index, rules)
            if isEnterSure(verdict, margin, zones, index, known, last(), rules) { return }
            verdict = verdict.notEntered(before, margin: margin)
        }
    }

    /// Whether a fix beyond the margin is enough to leave.
    ///
    /// It is enough if the previous fix agrees, if the person moves and is farther beyond than
    /// noise reaches, or if it is very far beyond, unless nobody can have moved that far. If only
    /// one fix says that the person has come, a later one is enough: it agrees with all before. Two
    /// inaccurate fixes at the same position, which is that of a cell tower, count as one.
    private func isLeaveSure(
        _ verdict: ZoneVerdict, _ zones: ActiveZones, _ index: Int, _ before: Presence,
        _ known: ZonePresence?, _ last: EvaluatedFix?, _ rules: EvaluatorRules
    ) -> Bool {
        let zone = zones.zones[index]
        // Of two fixes at the same time either may be wrong.
        let isLater = last.map { $0.fix.time < fix.fix.time } ?? true
        let isCoarse = self.isCoarse(fix, zones, index, rules)
        if known?.restsOnOneFix == true, isLater, !isCoarse || known?.isCoarse == true {
            return true
        }
        let beyond = verdict.distance.centimetres - (before == .near ? zone.alertCentimetres : 0)
        if let last, isLater, isBeyond(last, zones, index, before, rules),
            !isCoarse || !isSamePlace(last, rules)
        {
            return true
        }
        if let last, isImplausible(after: last, rules, rules.leavingAcceleration) { return false }
        let sure = rules.sureMargin(
            hysteresisMetres: zone.hysteresisMetres,
            accuracyCentimetres: fix.fix.accuracyCentimetres)
        return rules.isMoving(fix, from: last, after: previous) && beyond > sure
            || rules.isFarBeyond(fix.fix, beyond)
    }

    /// Whether the fix is farther from the previous one than its person can have moved.
    func isImplausible(
        after last: EvaluatedFix, _ rules: EvaluatorRules, _ acceleration: Int32
    ) -> Bool {
        // A further message of the same fix is not another fix.
        guard fix.repeats(last) else {
            return rules.isImplausible(last, fix, after: previous, acceleration: acceleration)
        }
        guard let previous else { return false }
        let before = EvaluatedFix(fix: previous, device: last.device, report: last.report)
        return rules.isImplausible(before, fix, after: nil, acceleration: acceleration)
    }

    /// Whether the previous fix was beyond the line by its margin, too.
    private func isBeyond(
        _ last: EvaluatedFix, _ zones: ActiveZones, _ index: Int, _ before: Presence,
        _ rules: EvaluatorRules
    ) -> Bool {
        let line = before == .near ? zones.zones[index].alertCentimetres : 0
        let distance = zones.regions.signedDistance(index, from: last.point)
        return distance.centimetres - line > margin(last, zones, index, rules)
    }

    /// Whether two fixes are no farther apart than half their accuracy.
    private func isSamePlace(_ last: EvaluatedFix, _ rules: EvaluatorRules) -> Bool {
        let accuracy = min(
            rules.accuracy(last.fix.accuracyCentimetres),
            rules.accuracy(fix.fix.accuracyCentimetres))
        return last.point.straightMetres(to: fix.point) * 200 <= Double(accuracy)
    }

    /// Whether a fix is too inaccurate to enter a safe zone of the same shape.
    private func isCoarse(
        _ fix: EvaluatedFix, _ zones: ActiveZones, _ index: Int, _ rules: EvaluatorRules
    ) -> Bool {
        rules.isCoarse(
            fix.fix, .safe, inradiusCentimetres: zones.regions.inradiusCentimetres(index))
    }

    /// Whether fixes prove that the person has entered a safe zone.
    ///
    /// One is enough if it is inside by more than its margin and plausible; otherwise another one
    /// has to agree. If the zone is too small for the margin, or the person is less deep inside,
    /// fixes have to agree for a while, because noise persists.
    private func isEnterSure(
        _ verdict: ZoneVerdict, _ margin: Int32, _ zones: ActiveZones, _ index: Int,
        _ known: ZonePresence?, _ last: EvaluatedFix?, _ rules: EvaluatorRules
    ) -> Bool {
        guard let last else { return false }
        let isLater = last.fix.time < fix.fix.time
        if -verdict.distance.centimetres > margin {
            let isPlausible = !isImplausible(after: last, rules, rules.enteringAcceleration)
            if isPlausible || isLater && known?.entering != nil { return true }
            return !isCoarse(last, zones, index, rules)
                && zones.regions.signedDistance(index, from: last.point).isInside
        }
        guard isLater, let since = known?.entering else { return false }
        let isSmall = margin > zones.regions.inradiusCentimetres(index) / 2
        let wait = isSmall ? rules.smallZoneSeconds : rules.shallowSeconds
        return fix.fix.time.microseconds - since.microseconds >= wait * 1_000_000
    }

    /// Whether the path crosses the zone. Both fixes have to be outside by more than their margins,
    /// so that noise at an edge crosses nothing.
    private func isCrossing(
        _ zones: ActiveZones, _ index: Int, _ before: Presence, _ verdict: ZoneVerdict,
        _ rules: EvaluatorRules
    ) -> Bool {
        guard let pathStart, before != .inside, before != .unknown, verdict.presence != .inside,
            zones.regions.isCrossed(index, from: pathStart.point, to: fix.point)
        else { return false }
        func isClear(_ distance: SignedDistance, _ fix: EvaluatedFix) -> Bool {
            distance.centimetres > margin(fix, zones, index, rules)
        }
        return isClear(verdict.distance, fix)
            && isClear(zones.regions.signedDistance(index, from: pathStart.point), pathStart)
    }
}
