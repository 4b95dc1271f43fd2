import Geometry
import Model

// A closer look at a fix that may be on another side of a line than the one before it.
extension PersonState {
    /// Whether a report that a calm admits changes nothing, by all neighbours that it may say
    /// something new of. What is seen of them is kept.
    mutating func isQuiet(
        _ report: borrowing Report, at time: Timestamp, _ spot: Circles.Spot,
        _ calm: inout Calm, _ zones: borrowing KnownZones, _ rules: EvaluatorRules
    ) -> Bool {
        guard neighbourhood.reaches(spot) else { return false }
        guard neighbourhood.isClear(spot) || saysNothing(report, at: time, spot, calm, zones, rules)
        else { return false }
        if calm.keepsHint(at: spot) { return true }
        return keepsHint(report, at: spot, &calm, zones, rules)
    }

    /// Whether a report says nothing new of any neighbour.
    private mutating func saysNothing(
        _ report: borrowing Report, at time: Timestamp, _ spot: Circles.Spot,
        _ calm: borrowing Calm, _ zones: borrowing KnownZones, _ rules: EvaluatorRules
    ) -> Bool {
        let last = calm.trusted
        var judge = ZoneJudge(
            JudgedFix(fix: report.fix, device: report.device, report: report.id), .fix,
            from: last, rules)
        judge.previous = calm.previous
        let now = max(time, passed)
        var index = 0
        while let next = neighbourhood.next(from: index, at: spot) {
            index = next + 1
            let neighbour = neighbourhood.neighbours[next]
            guard let (owner, source) = zones.owner(neighbour.owner, of: self) else {
                return false
            }
            let place = Int(neighbour.place)
            let seen = owner.regions.signedDistance(place, from: judge.fix.point)
            let isAsKnown = neighbour.isAsKnown(neighbour.lines.side(of: seen.centimetres))
            if !isAsKnown || judge.way != nil && neighbour.isCrossed {
                guard
                    !isJudged(by: owner.zones[place], of: source, at: now)
                        || judge.saysNothing(
                            of: owner, place, at: seen, presence(in: neighbour.zone), after: last,
                            rules)
                else { return false }
            }
            neighbourhood.see(next, seen.centimetres, from: spot)
        }
        return true
    }

    /// Whether the phone is told nothing else where a fix is.
    private mutating func keepsHint(
        _ report: borrowing Report, at spot: Circles.Spot, _ calm: inout Calm,
        _ zones: borrowing KnownZones, _ rules: EvaluatorRules
    ) -> Bool {
        guard calm.mode == .standard || calm.mode == .significant, !policy.isStale,
            unshared.isEmpty, refused.isEmpty
        else { return false }
        var found = Surroundings(neighbourhood.quickGlance(at: spot), rules.reporting)
        if found == nil {
            let fix = JudgedFix(fix: report.fix, device: report.device, report: report.id)
            let glance = ZoneJudge(fix, .fix).glance(
                around: &self, zones, at: spot, rules.reporting)
            found = Surroundings(glance, rules.reporting)
        }
        guard let found, found.mode == calm.mode else { return false }
        calm.keepHint(found.slackMetres, around: spot)
        return true
    }
}
