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
        if kept?.restsOnOneFix == true { return false }
        let before = kept?.presence ?? .outside
        var verdict = verdict(about: zones, place, at: distance, before, rules)
        confirm(&verdict, zones, place, before, kept, after: last, rules)
        guard verdict.presence == before,
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
        if let kept, kept.isInDoubt, stays(inDoubt: kept, about: zones, place, for: &person, &turn)
        {
            return
        }
        let known = kept?.isClosed == true ? nil : kept.map(standing)
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
            kept?.restsOnOneFix != true
        {
            // Of a zone that has opened nothing is left that would open it again.
            if kept?.isClosed == true { person.forget(zones.zones[place].id) }
            return
        }
        settle(
            Decision(
                found: FoundZone(zones, place, of: source), known: known, before: before,
                verdict: verdict, isCrossed: isCrossed), &person, &turn)
    }

    /// What the fix says of one zone, before it is asked whether one fix is enough.
    func verdict(
        about zones: JudgedZones, _ place: Int, at distance: SignedDistance? = nil,
        _ before: Presence, _ rules: EvaluatorRules
    ) -> ZoneVerdict {
        ZoneVerdict(
            distance: distance ?? zones.regions.signedDistance(place, from: fix.point),
            zone: zones.zones[place],
            inradiusCentimetres: zones.regions.inradiusCentimetres(place),
            margin: rules.margin(
                hysteresisMetres: zones.zones[place].hysteresisMetres,
                accuracyCentimetres: fix.fix.accuracyCentimetres),
            before: occasion == .first ? nil : before)
    }

    /// Whether nothing was decided about a person and a zone yet.
    private func isUnknown(
        _ zone: ZoneID, _ kept: ZonePresence?, _ person: PersonState
    ) -> Bool {
        switch occasion {
        case .fix, .silence, .alone: kept?.isInDoubt ?? false
        case .suspect: false
        case .first: person.trusted == nil
        case .arranged: isNew(zone)
        case .opened: true
        }
    }

    /// Nobody leaves by one fix that may be wrong, however sure it claims to be of itself: it has
    /// to tell that the person moves, from farther beyond than noise as wide as its accuracy
    /// reaches, or the one before it has to be beyond the margin, too. What is held back so stays
    /// held back where something else is configured. Where only one fix says that somebody has
    /// come, one later is enough: it agrees with all those before.
    ///
    /// - Parameters:
    ///   - known: what is known of the zone
    ///   - last: the trusted fix, before this one where this is one
    func confirm(
        _ verdict: inout ZoneVerdict, _ zones: JudgedZones, _ place: Int, _ before: Presence,
        _ known: ZonePresence?, after last: @autoclosure () -> JudgedFix?, _ rules: EvaluatorRules
    ) {
        let isHeld = (occasion == .arranged || occasion == .opened) && known?.leaving != nil
        guard occasion == .fix || isHeld, verdict.isLeave(from: before) else { return }
        // Of two of one moment nobody knows which is wrong.
        let last = last()
        let isLater = last.map { $0.fix.time < fix.fix.time } ?? true
        if known?.restsOnOneFix == true, isLater { return }
        let zone = zones.zones[place]
        let line = before == .near ? zone.alertCentimetres : 0
        let sure = rules.sureMargin(
            hysteresisMetres: zone.hysteresisMetres,
            accuracyCentimetres: fix.fix.accuracyCentimetres)
        if rules.isMoving(fix.fix), verdict.distance.centimetres > line + sure { return }
        if let last, isLater {
            let margin = rules.margin(
                hysteresisMetres: zone.hysteresisMetres,
                accuracyCentimetres: last.fix.accuracyCentimetres)
            let distance = zones.regions.signedDistance(place, from: last.point)
            if distance.centimetres > line + margin { return }
        }
        verdict = verdict.unconfirmed(before, margin: sure)
    }

    /// Both fixes have to be outside by more than their margin: noise at an edge passes nothing.
    private func isCrossing(
        _ zones: JudgedZones, _ place: Int, _ before: Presence, _ verdict: ZoneVerdict,
        _ rules: EvaluatorRules
    ) -> Bool {
        guard let way, before != .inside, before != .unknown, verdict.presence != .inside,
            zones.regions.isCrossed(place, from: way.point, to: fix.point)
        else { return false }
        func isClear(_ distance: SignedDistance, _ fix: Fix) -> Bool {
            distance.centimetres
                > rules.margin(
                    hysteresisMetres: zones.zones[place].hysteresisMetres,
                    accuracyCentimetres: fix.accuracyCentimetres)
        }
        return isClear(verdict.distance, fix.fix)
            && isClear(zones.regions.signedDistance(place, from: way.point), way.fix)
    }
}
