import Model

/// Explains how a fix is evaluated against one zone, even if nothing changes.
public struct ZoneExplanation: Hashable, Sendable {
    /// How the fix is used.
    public enum Use: String, Hashable, Sendable {
        /// It decides presence.
        case evaluated = "judged"
        /// It is implausible; the next one decides.
        case suspect
        /// It is late, older than the newest, or of a device that is not primary.
        case history
    }

    public let zone: ZoneID
    public let name: String
    public let use: Use
    /// False while the zone's schedule is closed; it is not evaluated then.
    public let isOpen: Bool
    public let before: Presence
    public let after: Presence
    /// The presence by the fix alone, without hysteresis or history.
    public let seen: Presence
    /// Why presence becomes, or stays, ``after``.
    public let reason: CrossingReason
    /// Distance to the true edge, negative inside.
    public let distanceCentimetres: Int32
    /// The margin that the fix had to be beyond; 0 if no margin applies.
    public let marginCentimetres: Int32
    /// 0 = no alert distance.
    public let alertCentimetres: Int32
}

extension PartitionState {
    /// Explains how every zone that applies to a person would evaluate a report if it were the next
    /// record. Changes nothing.
    ///
    /// It uses the same rules as ``handle(_:into:)``, and its time is linear in the number of
    /// zones.
    ///
    /// - Parameter event: the report's record.
    /// - Returns: ordered by zone id; empty for an unknown person.
    public func explain(_ report: Report, in event: Event) -> [ZoneExplanation] {
        guard let rules = logics.rules(of: logic), people.index(of: report.person) != nil else {
            return []
        }
        var state = self
        let index = state.prepare(report.person)
        var turn = Turn(event, rules)
        state.zones.build(state.people[index].sets)
        state.advance(index, to: event.time, &turn)
        if state.people[index].firstDevice == nil {
            state.people[index].firstDevice = report.device
        }
        let fix = EvaluatedFix(report)
        let (use, occasion) = state.use(of: fix, late: report.late, index, &turn)
        let person = state.people[index]
        var evaluator = ZoneEvaluator(fix, occasion)
        evaluator.isLateAnswer = person.isLateAnswer(fix, occasion, turn.rules)
        evaluator.previous = person.previous
        var explanations: [ZoneExplanation] = []
        let sources =
            [.own] + person.circles.map(ZoneSource.circle) + person.sets.map(ZoneSource.set)
        for source in sources {
            guard let zones = state.zones.zones(of: source, person) else { continue }
            for index in zones.zones.indices
            where person.isEvaluated(by: zones.zones[index], of: source, at: turn.now) {
                explanations.append(evaluator.explain(zones, index, person, use, turn))
            }
        }
        return explanations.sorted { $0.zone < $1.zone }
    }

    /// How the report is used. A suspect fix that it agrees with becomes trusted first.
    private mutating func use(
        of fix: EvaluatedFix, late: Bool, _ index: Int, _ turn: inout Turn
    ) -> (ZoneExplanation.Use, ZoneEvaluator.Occasion) {
        let person = people[index]
        guard !late, person.primaryDevice == fix.device else { return (.history, .suspect) }
        guard let trusted = person.primaryFix else { return (.evaluated, .first) }
        let suspect = person.suspect?.fix
        guard fix.fix.time >= (suspect ?? trusted).fix.time else { return (.history, .suspect) }
        if turn.rules.canFollow(trusted, fix) { return (.evaluated, .fix) }
        guard let suspect, !fix.repeats(suspect),
            turn.rules.canFollow(suspect, fix) || turn.rules.areSteady(trusted, suspect, fix)
        else { return (.suspect, .suspect) }
        trust(suspect, .fix, from: nil, index, &turn)
        return (.evaluated, .fix)
    }
}

extension ZoneEvaluator {
    fileprivate func explain(
        _ zones: ActiveZones, _ index: Int, _ person: PersonState, _ use: ZoneExplanation.Use,
        _ turn: Turn
    ) -> ZoneExplanation {
        let zone = zones.zones[index]
        let kept = person.presence(in: zone.id)
        let isOpen = zones.details[index].calendar.isOpen(at: turn.now)
        let isNew = (isOpen || occasion == .first) && isUnknown(zone.id, kept, person)
        let before =
            kept.flatMap { $0.isClosed ? nil : $0.presence } ?? (isNew ? .unknown : .outside)
        var verdict = verdict(about: zones, index, before, turn.rules)
        confirm(
            &verdict, zones, index, before, kept.map(confirmedIfLate), after: person.trusted,
            turn.rules)
        let stays = use != .evaluated || !isOpen
        return ZoneExplanation(
            zone: zone.id, name: zones.details[index].name, use: use, isOpen: isOpen,
            before: before, after: stays ? before : verdict.presence, seen: verdict.raw,
            reason: use == .suspect ? .suspect : verdict.reason,
            distanceCentimetres: verdict.distance.centimetres,
            marginCentimetres: verdict.margin, alertCentimetres: zone.alertCentimetres)
    }
}
