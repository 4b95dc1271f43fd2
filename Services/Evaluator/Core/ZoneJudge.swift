import Geometry
import Hashing
import Model

/// Decides about one fix and every zone that judges its person.
struct ZoneJudge {
    /// What the decision is made for.
    enum Occasion: Hashable {
        /// A fix that can have followed the one before it.
        case fix
        /// One that looked wrong and is believed, because no other came.
        case silence
        /// The same fix as before, of which nothing was left to wait for.
        case alone
        /// The first of a device that leads.
        case first
        /// The same fix as before, and other zones.
        case arranged
        /// The same fix as before, and a schedule has opened.
        case opened
        /// One that is not believed.
        case suspect
    }

    let fix: JudgedFix
    let occasion: Occasion
    /// The fix before it, if the way from there says something.
    var way: JudgedFix?
    /// The trusted fix before the one before it, if known.
    var previous: Fix?
    /// Nil = the report.
    var cause: ID128?
    /// Whether it comes so late that one fix before it stands.
    var isLateAnswer = false
    /// Of ``Occasion/arranged``: zones that did not judge the person before.
    var isNew: (ZoneID) -> Bool = { _ in false }

    init(_ fix: JudgedFix, _ occasion: Occasion) {
        self.fix = fix
        self.occasion = occasion
    }

    /// - Parameter before: the fix from which the person has come here
    init(
        _ fix: JudgedFix, _ occasion: Occasion, from before: JudgedFix?, _ rules: EvaluatorRules
    ) {
        self.init(fix, occasion)
        guard let before, before.point != fix.point else { return }
        let between = fix.fix.time.microseconds - before.fix.time.microseconds
        if between <= rules.waySecondsMax * 1_000_000 { way = before }
    }

    /// What one fix began and no other came to contradict for a while is as sure as what another
    /// has agreed with.
    func standing(_ known: ZonePresence) -> ZonePresence {
        var known = known
        if isLateAnswer { known.restsOnOneFix = false }
        return known
    }

    /// The person's own zones, then circle by circle, then set by set, each by id.
    func decide(
        _ person: inout PersonState, _ zones: KnownZones, looking search: inout JudgedZones.Search,
        _ turn: inout Turn
    ) {
        if !person.ownZones.zones.isEmpty {
            decide(person.ownZones, of: .own, for: &person, looking: &search, &turn)
        }
        for circle in person.circles {
            guard let place = zones.circles.place(of: circle) else { continue }
            decide(zones.circles[place], of: .circle(circle), for: &person, looking: &search, &turn)
        }
        for set in person.sets {
            guard let place = zones.sets.place(of: set) else { continue }
            decide(zones.sets[place].judged, of: .set(set), for: &person, looking: &search, &turn)
        }
    }

    /// All zones of one owner.
    func decide(
        _ zones: JudgedZones, of source: ZoneSource, for person: inout PersonState,
        looking search: inout JudgedZones.Search, _ turn: inout Turn
    ) {
        guard
            zones.find(
                near: fix.point, from: way?.point, known: person.presences, into: &search)
        else {
            for place in zones.zones.indices {
                let near = NearRegion(place: Int32(place), isSurelyInside: false)
                decide(zones, near, of: source, for: &person, &turn)
            }
            return
        }
        for near in search.found { decide(zones, near, of: source, for: &person, &turn) }
    }

    /// The zones of a person's neighbourhood; others cannot matter.
    ///
    /// - Parameter spot: where the fix is on its map
    func decide(
        around person: inout PersonState, _ zones: borrowing KnownZones, at spot: Circles.Spot,
        _ turn: inout Turn
    ) {
        // First those that may say something new, in their order; then those that tell how far it
        // is to the nearest edge. These decide nothing: what is known of a zone may be that of
        // another owner's of the same id, which came later.
        var index = 0
        while let next = person.neighbourhood.next(from: index, at: spot) {
            index = next + 1
            let neighbour = person.neighbourhood.neighbours[next]
            guard let (owner, source) = zones.owner(neighbour.owner, of: person) else { continue }
            let seen = owner.regions.signedDistance(Int(neighbour.place), from: fix.point)
            person.neighbourhood.see(next, seen.centimetres, from: spot)
            if neighbour.isAsKnown(neighbour.lines.side(of: seen.centimetres)),
                way == nil || !neighbour.isCrossed
            {
                continue
            }
            let near = NearRegion(place: neighbour.place, isSurelyInside: false)
            decide(owner, near, at: seen, of: source, for: &person, &turn)
        }
        turn.glance = glance(around: &person, zones, at: spot, turn.rules.reporting)
    }

    /// What is near, as exactly as hints to phones need it.
    func glance(
        around person: inout PersonState, _ zones: borrowing KnownZones, at spot: Circles.Spot,
        _ rules: ReportingRules
    ) -> Glance {
        var glance = person.neighbourhood.quickGlance(at: spot)
        while Surroundings(glance, rules) == nil,
            let unsure = person.neighbourhood.nextUnsure(at: spot)
        {
            let neighbour = person.neighbourhood.neighbours[unsure]
            guard let (owner, _) = zones.owner(neighbour.owner, of: person) else { break }
            let seen = owner.regions.signedDistance(Int(neighbour.place), from: fix.point)
            person.neighbourhood.see(unsure, seen.centimetres, from: spot)
            glance = person.neighbourhood.glance(at: spot)
        }
        return glance
    }

    /// Whether the fix leaves what is known of a person and a zone that judges them as it is, with
    /// nothing to tell.
    ///
    /// - Parameters:
    ///   - distance: to the zone's edge
    ///   - last: the trusted fix before it
    func saysNothing(
        of zones: JudgedZones, _ place: Int, at distance: SignedDistance, _ kept: ZonePresence?,
        after last: JudgedFix, _ rules: EvaluatorRules
    ) -> Bool {
        if zones.zones[place].isScheduled || kept?.isClosed == true { return false }
        if kept?.restsOnOneFix == true || kept?.isUndecided == true { return false }
        let before = kept?.presence ?? .outside
        var verdict = verdict(about: zones, place, at: distance, before, rules)
        confirm(&verdict, zones, place, before, kept, after: last, rules)
        guard verdict.presence == before, !verdict.isCoarse, kept?.isCoarse != true,
            kept?.entering == nil,
            (verdict.raw != verdict.presence) == (kept?.isWithheld ?? false),
            (verdict.reason == .unconfirmed) == (kept?.leaving != nil)
        else { return false }
        return way == nil || !zones.zones[place].isCrossed
            || !isCrossing(zones, place, before, verdict, rules)
    }

    /// One zone.
    ///
    /// - Parameter distance: to its edge, where that is known.
    func decide(
        _ zones: JudgedZones, _ near: NearRegion, at distance: SignedDistance? = nil,
        of source: ZoneSource, for person: inout PersonState, _ turn: inout Turn
    ) {
        let place = Int(near.place)
        let kept = person.presence(in: zones.zones[place].id)
        // Far outside, and nothing known: still outside, or outside for the first time.
        let isAway =
            kept == nil && distance == nil
            && zones.regions.isSurelyBeyond(
                place, metres: zones.zones[place].reachMetres, from: fix.point)
        if isAway, way == nil || !zones.zones[place].isCrossed { return }
        guard person.isJudged(by: zones.zones[place], of: source, at: turn.now) else { return }
        if zones.zones[place].isScheduled, !zones.details[place].calendar.isOpen(at: turn.now) {
            return close(zones, place, of: source, for: &person, &turn)
        }
        // Inside, and surely inside still: the edge is not worth a look.
        if near.isSurelyInside, kept?.stands == true, !zones.zones[place].isScheduled { return }
        let isUndecided = kept?.isUndecided == true
        if isUndecided, occasion == .suspect { return }
        if let kept, kept.isInDoubt, stays(inDoubt: kept, about: zones, place, for: &person, &turn)
        {
            return
        }
        let known = kept?.isClosed == true || isUndecided ? nil : kept.map(standing)
        let isNew = known == nil && isUnknown(zones.zones[place].id, kept, person)
        let rules = turn.rules
        let before = known?.presence ?? (isNew ? .unknown : .outside)
        var verdict = verdict(about: zones, place, at: distance, before, rules)
        confirm(&verdict, zones, place, before, known, after: person.trusted, rules)
        let isCrossed =
            way != nil && zones.zones[place].isCrossed
            && isCrossing(zones, place, before, verdict, rules)
        if verdict.presence == before || verdict.presence == .outside && before == .unknown,
            !isCrossed, verdict.raw == verdict.presence, known?.isWithheld != true,
            kept?.restsOnOneFix != true, kept?.isCoarse != true
        {
            // Of a zone that has opened nothing is left that would open it again.
            if kept?.isClosed == true || isUndecided { person.forget(zones.zones[place].id) }
            return
        }
        settle(
            Decision(
                found: FoundZone(zones, place, of: source), known: known, before: before,
                verdict: verdict, isCrossed: isCrossed, wasUndecided: isUndecided), &person, &turn)
    }

    /// What the fix says of one zone, before it is asked whether one fix is enough.
    func verdict(
        about zones: JudgedZones, _ place: Int, at distance: SignedDistance? = nil,
        _ before: Presence, _ rules: EvaluatorRules
    ) -> ZoneVerdict {
        let inradius = zones.regions.inradiusCentimetres(place)
        let verdict = ZoneVerdict(
            distance: distance ?? zones.regions.signedDistance(place, from: fix.point),
            zone: zones.zones[place], inradiusCentimetres: inradius,
            margin: margin(fix, zones, place, rules),
            isCoarse: rules.isCoarse(
                fix.fix, zones.zones[place].kind, inradiusCentimetres: inradius),
            before: occasion == .first ? nil : before)
        return verdict.keeping(before)
    }

    /// Beyond a line of a zone by more than this a fix counts, centimetres.
    private func margin(
        _ fix: JudgedFix, _ zones: JudgedZones, _ place: Int, _ rules: EvaluatorRules
    ) -> Int32 {
        rules.margin(
            hysteresisMetres: zones.zones[place].hysteresisMetres,
            accuracyCentimetres: fix.fix.accuracyCentimetres,
            inradius: zones.regions.inradiusCentimetres(place))
    }

    /// Whether nothing was decided about a person and a zone yet.
    func isUnknown(
        _ zone: ZoneID, _ kept: ZonePresence?, _ person: PersonState
    ) -> Bool {
        let isUndecided = kept?.isUndecided ?? false
        return switch occasion {
        case .fix, .silence, .alone: isUndecided || kept?.isInDoubt ?? false
        case .suspect: false
        case .first: isUndecided || person.trusted == nil
        case .arranged: isUndecided || isNew(zone)
        case .opened: true
        }
    }

    /// Holds back what one fix alone may not decide: leaving, and entering a safe zone.
    ///
    /// - Parameters:
    ///   - known: what is known of the zone
    ///   - last: the trusted fix, before this one where this is one
    func confirm(
        _ verdict: inout ZoneVerdict, _ zones: JudgedZones, _ place: Int, _ before: Presence,
        _ known: ZonePresence?, after last: @autoclosure () -> JudgedFix?, _ rules: EvaluatorRules
    ) {
        let isHeld = (occasion == .arranged || occasion == .opened) && known?.leaving != nil
        guard occasion == .fix || isHeld else { return }
        if verdict.isLeave(from: before) {
            // The same fix as before confirms nothing.
            if occasion == .fix,
                isLeaveSure(verdict, zones, place, before, known, last(), rules)
            {
                return
            }
            let sure = rules.sureMargin(
                hysteresisMetres: zones.zones[place].hysteresisMetres,
                accuracyCentimetres: fix.fix.accuracyCentimetres)
            verdict = verdict.unconfirmed(before, margin: sure)
        } else if occasion == .fix, zones.zones[place].kind == .safe,
            verdict.presence == .inside, before == .outside || before == .near
        {
            let margin = margin(fix, zones, place, rules)
            if isEnterSure(verdict, margin, zones, place, known, last(), rules) { return }
            verdict = verdict.notEntered(before, margin: margin)
        }
    }

    /// Whether a fix beyond the margin is enough to leave.
    ///
    /// It is where the fix before agrees, where the person moves and is farther beyond than noise
    /// reaches, and where it is very far beyond, unless nobody can have come so far. Where only one
    /// fix says that somebody has come, one later is enough: it agrees with all those before. Two
    /// inaccurate fixes of one place, which is that of a tower, do not agree with each other: they
    /// are one.
    private func isLeaveSure(
        _ verdict: ZoneVerdict, _ zones: JudgedZones, _ place: Int, _ before: Presence,
        _ known: ZonePresence?, _ last: JudgedFix?, _ rules: EvaluatorRules
    ) -> Bool {
        let zone = zones.zones[place]
        // Of two of one moment nobody knows which is wrong.
        let isLater = last.map { $0.fix.time < fix.fix.time } ?? true
        let isCoarse = self.isCoarse(fix, zones, place, rules)
        if known?.restsOnOneFix == true, isLater, !isCoarse || known?.isCoarse == true {
            return true
        }
        let beyond = verdict.distance.centimetres - (before == .near ? zone.alertCentimetres : 0)
        if let last, isLater, isBeyond(last, zones, place, before, rules),
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

    /// Whether the fix is farther from the one before than its person can have come.
    func isImplausible(
        after last: JudgedFix, _ rules: EvaluatorRules, _ acceleration: Int32
    ) -> Bool {
        // A further message of the same fix is no other fix.
        guard fix.repeats(last) else {
            return rules.isImplausible(last, fix, after: previous, acceleration: acceleration)
        }
        guard let previous else { return false }
        let before = JudgedFix(fix: previous, device: last.device, report: last.report)
        return rules.isImplausible(before, fix, after: nil, acceleration: acceleration)
    }

    /// Whether the fix before was beyond the line by its margin, too.
    private func isBeyond(
        _ last: JudgedFix, _ zones: JudgedZones, _ place: Int, _ before: Presence,
        _ rules: EvaluatorRules
    ) -> Bool {
        let line = before == .near ? zones.zones[place].alertCentimetres : 0
        let distance = zones.regions.signedDistance(place, from: last.point)
        return distance.centimetres - line > margin(last, zones, place, rules)
    }

    /// Whether two fixes are no farther apart than half their accuracy.
    private func isSamePlace(_ last: JudgedFix, _ rules: EvaluatorRules) -> Bool {
        let accuracy = min(
            rules.accuracy(last.fix.accuracyCentimetres),
            rules.accuracy(fix.fix.accuracyCentimetres))
        return last.point.straightMetres(to: fix.point) * 200 <= Double(accuracy)
    }

    /// Whether a fix is too inaccurate to enter a safe zone of the same shape.
    private func isCoarse(
        _ fix: JudgedFix, _ zones: JudgedZones, _ place: Int, _ rules: EvaluatorRules
    ) -> Bool {
        rules.isCoarse(
            fix.fix, .safe, inradiusCentimetres: zones.regions.inradiusCentimetres(place))
    }

    /// Whether fixes show that somebody has entered a safe zone.
    ///
    /// One does if it is inside by more than its margin and its person can have come there. Else
    /// another one has to agree. Where the zone is too small for the margin, and where somebody is
    /// inside by less, fixes have to agree for a while: noise lasts, too.
    private func isEnterSure(
        _ verdict: ZoneVerdict, _ margin: Int32, _ zones: JudgedZones, _ place: Int,
        _ known: ZonePresence?, _ last: JudgedFix?, _ rules: EvaluatorRules
    ) -> Bool {
        guard let last else { return false }
        let isLater = last.fix.time < fix.fix.time
        if -verdict.distance.centimetres > margin {
            let isPlausible = !isImplausible(after: last, rules, rules.enteringAcceleration)
            if isPlausible || isLater && known?.entering != nil { return true }
            return !isCoarse(last, zones, place, rules)
                && zones.regions.signedDistance(place, from: last.point).isInside
        }
        guard isLater, let since = known?.entering else { return false }
        let isSmall = margin > zones.regions.inradiusCentimetres(place) / 2
        let wait = isSmall ? rules.smallZoneSeconds : rules.shallowSeconds
        return fix.fix.time.microseconds - since.microseconds >= wait * 1_000_000
    }

    /// Both fixes have to be outside by more than their margin: noise at an edge passes nothing.
    private func isCrossing(
        _ zones: JudgedZones, _ place: Int, _ before: Presence, _ verdict: ZoneVerdict,
        _ rules: EvaluatorRules
    ) -> Bool {
        guard let way, before != .inside, before != .unknown, verdict.presence != .inside,
            zones.regions.isCrossed(place, from: way.point, to: fix.point)
        else { return false }
        func isClear(_ distance: SignedDistance, _ fix: JudgedFix) -> Bool {
            distance.centimetres > margin(fix, zones, place, rules)
        }
        return isClear(verdict.distance, fix)
            && isClear(zones.regions.signedDistance(place, from: way.point), way)
    }
}
