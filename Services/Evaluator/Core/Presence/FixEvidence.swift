import Geometry
import Model

/// What one fix proves about the zones around it, given the fixes before it.
struct FixEvidence {
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
    private(set) var pathStart: EvaluatedFix?
    /// The trusted fix before the previous one, if known.
    var previous: Fix?
    /// Whether it arrives so late that the single fix before it stands.
    var isLateAnswer = false

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

    /// Whether nothing but the zone has changed since the fix was evaluated before.
    var isRepeated: Bool { occasion == .reconfigured || occasion == .scheduleOpened }

    /// The known presence. Before a late fix, what a single fix began counts as confirmed.
    func confirmedIfLate(_ known: ZonePresence) -> ZonePresence {
        var known = known
        if isLateAnswer { known.restsOnOneFix = false }
        return known
    }

    /// The verdict of the fix about one zone.
    ///
    /// - Parameters:
    ///   - distance: to its edge, if known.
    ///   - before: the presence before.
    ///   - known: the known presence in the zone.
    ///   - last: the previous trusted fix.
    func verdict(
        about zones: ActiveZones, _ index: Int, at distance: SignedDistance? = nil,
        _ before: Presence, _ known: ZonePresence?,
        after last: @autoclosure () -> EvaluatedFix? = nil, _ rules: EvaluatorRules
    ) -> ZoneVerdict {
        let inradius = zones.regions.inradiusCentimetres(index)
        let verdict = ZoneVerdict(
            distance: distance ?? zones.regions.signedDistance(index, from: fix.point),
            zone: zones.zones[index], inradiusCentimetres: inradius,
            margin: margin(fix, zones, index, rules),
            isCoarse: rules.isCoarse(
                fix.fix, zones.zones[index].kind, inradiusCentimetres: inradius),
            before: occasion == .first ? nil : before
        ).keeping(before)
        return confirm(verdict, zones, index, before, known, after: last(), rules)
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

    /// Suppresses what one fix alone must not decide: leaving, and entering a safe zone.
    private func confirm(
        _ verdict: ZoneVerdict, _ zones: ActiveZones, _ index: Int, _ before: Presence,
        _ known: ZonePresence?, after last: @autoclosure () -> EvaluatedFix?,
        _ rules: EvaluatorRules
    ) -> ZoneVerdict {
        guard occasion == .fix || isRepeated && known?.leaving != nil else { return verdict }
        if verdict.isLeave(from: before) {
            // The same fix again confirms nothing.
            if occasion == .fix,
                isLeaveSure(verdict, zones, index, before, known, last(), rules)
            {
                return verdict
            }
            let sure = rules.sureMargin(
                hysteresisMetres: zones.zones[index].hysteresisMetres,
                accuracyCentimetres: fix.fix.accuracyCentimetres)
            return verdict.unconfirmed(before, margin: sure)
        }
        guard occasion == .fix, zones.zones[index].kind.rules.confirmsEntry,
            verdict.presence == .inside, before == .outside || before == .near
        else { return verdict }
        let margin = margin(fix, zones, index, rules)
        return isEnterSure(verdict, margin, zones, index, known, last(), rules)
            ? verdict : verdict.unconfirmed(before, margin: margin)
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
    func isCrossing(
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
