import Geometry
import Model

// Exact checks of a fix that may be on another side of a line than the previous fix.
extension PersonState {
    /// Whether an admitted report changes nothing in any nearby zone. Stores the measured
    /// distances.
    mutating func isQuiet(
        _ report: borrowing Report, at time: Timestamp, _ localPoint: Circles.LocalPoint,
        _ quietFixFilter: inout QuietFixFilter, _ zones: borrowing KnownZones,
        _ rules: EvaluatorRules
    ) -> Bool {
        guard nearbyZones.reaches(localPoint) else { return false }
        guard
            nearbyZones.isClear(localPoint)
                || changesNothing(report, at: time, localPoint, quietFixFilter, zones, rules)
        else { return false }
        if quietFixFilter.isPolicyUnchanged(at: localPoint) { return true }
        return keepsPolicy(report, at: localPoint, &quietFixFilter, zones, rules)
    }

    /// Whether a report changes nothing in any nearby zone.
    private mutating func changesNothing(
        _ report: borrowing Report, at time: Timestamp, _ localPoint: Circles.LocalPoint,
        _ quietFixFilter: borrowing QuietFixFilter, _ zones: borrowing KnownZones,
        _ rules: EvaluatorRules
    ) -> Bool {
        let last = quietFixFilter.trusted
        var evaluator = ZoneEvaluator(
            EvaluatedFix(fix: report.fix, device: report.device, report: report.id), .fix,
            from: last, rules)
        evaluator.previous = quietFixFilter.previous
        let now = max(time, passed)
        var start = 0
        while let next = nearbyZones.next(from: start, at: localPoint) {
            start = next + 1
            let entry = nearbyZones.entries[next]
            guard let (owner, source) = zones.owner(entry.owner, of: self) else {
                return false
            }
            let index = Int(entry.index)
            let seen = owner.regions.signedDistance(index, from: evaluator.fix.point)
            let isAsKnown = entry.isAsKnown(entry.lines.side(of: seen.centimetres))
            if !isAsKnown || evaluator.pathStart != nil && entry.isCrossed {
                guard
                    !isEvaluated(by: owner.zones[index], of: source, at: now)
                        || evaluator.changesNothing(
                            of: owner, index, at: seen, presence(in: entry.zone), after: last,
                            rules)
                else { return false }
            }
            nearbyZones.recordDistance(next, seen.centimetres, from: localPoint)
        }
        return true
    }

    /// Whether the reporting policy stays the same at a fix.
    private mutating func keepsPolicy(
        _ report: borrowing Report, at localPoint: Circles.LocalPoint,
        _ quietFixFilter: inout QuietFixFilter,
        _ zones: borrowing KnownZones, _ rules: EvaluatorRules
    ) -> Bool {
        guard quietFixFilter.mode == .standard || quietFixFilter.mode == .significant,
            !policy.isStale,
            unshared.isEmpty, optOuts.isEmpty
        else { return false }
        var found = NearestEdges(
            nearbyZones.quickNearestEdgeBounds(at: localPoint), rules.reporting)
        if found == nil {
            let fix = EvaluatedFix(fix: report.fix, device: report.device, report: report.id)
            let bounds = ZoneEvaluator(fix, .fix).nearestEdgeBounds(
                around: &self, zones, at: localPoint, rules.reporting)
            found = NearestEdges(bounds, rules.reporting)
        }
        guard let found, found.mode == quietFixFilter.mode else { return false }
        quietFixFilter.setPolicyArea(found.slackMetres, around: localPoint)
        return true
    }
}
