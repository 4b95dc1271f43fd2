import Model

/// Explains how a fix is evaluated against one zone, even if nothing changes.
public struct ZoneExplanation: Hashable, Sendable {
    /// How the fix is used.
    public enum Use: String, Hashable, Sendable {
        /// It decides presence.
        case evaluated
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
        guard let rules = logics.rules(of: logic), let index = people.index(of: report.person)
        else { return [] }
        var person = people[index].withQuietFixes
        var known = zones
        var turn = Turn(event, of: report.person, rules, isHeld: isHeld)
        known.build(person.presence.applicable.sets)
        person.advance(to: event.time, &known, &turn)
        return person.presence.explain(report, &known, &turn)
    }
}

extension PresenceMachine {
    /// Explains a report for every zone. It trusts a suspect fix that the report agrees with.
    fileprivate mutating func explain(
        _ report: Report, _ zones: inout KnownZones, _ turn: inout Turn
    ) -> [ZoneExplanation] {
        if fixes.firstDevice == nil { fixes.firstDevice = report.device }
        let fix = EvaluatedFix(report)
        let (use, occasion) = use(of: fix, late: report.late, &zones, &turn)
        var evidence = FixEvidence(fix, occasion)
        evidence.isLateAnswer = occasion == .fix && fixes.isLateAnswer(fix, turn.rules)
        evidence.previous = fixes.previous
        let evaluator = ZoneEvaluator(evidence)
        var explanations: [ZoneExplanation] = []
        for number in applicable.owners {
            guard let (owner, source) = zones.owner(number, applicable) else { continue }
            for index in owner.zones.indices
            where applicable.includes(owner.zones[index], of: source, at: turn.now) {
                explanations.append(evaluator.explain(owner, index, self, use, turn))
            }
        }
        return explanations.sorted { $0.zone < $1.zone }
    }

    /// How a report is used.
    private mutating func use(
        of fix: EvaluatedFix, late: Bool, _ zones: inout KnownZones, _ turn: inout Turn
    ) -> (ZoneExplanation.Use, FixEvidence.Occasion) {
        guard !late, fixes.primaryDevice == fix.device else { return (.history, .suspect) }
        switch fixes.assess(fix, turn.rules) {
        case .outdated: return (.history, .suspect)
        case .first: return (.evaluated, .first)
        case .follows, .repeats(_, canFollow: true): return (.evaluated, .fix)
        case .contradicts, .repeats(_, canFollow: false): return (.suspect, .suspect)
        case .confirms(let suspect):
            trust(suspect, .fix, from: nil, &zones, &turn)
            return (.evaluated, .fix)
        }
    }
}

extension ZoneEvaluator {
    fileprivate func explain(
        _ zones: ActiveZones, _ index: Int, _ person: PresenceMachine, _ use: ZoneExplanation.Use,
        _ turn: borrowing Turn
    ) -> ZoneExplanation {
        let zone = zones.zones[index]
        let kept = person.presence(in: zone.id)
        let isOpen = zones.details[index].calendar.isOpen(at: turn.now)
        let isNew =
            (isOpen || evidence.occasion == .first)
            && isUnknown(zone.id, kept, isFirst: person.fixes.trusted == nil)
        let before =
            kept.flatMap { $0.isClosed ? nil : $0.presence } ?? (isNew ? .unknown : .outside)
        let verdict = evidence.verdict(
            about: zones, index, before, kept.map(evidence.confirmedIfLate),
            after: person.fixes.trusted, turn.rules)
        let stays = use != .evaluated || !isOpen
        return ZoneExplanation(
            zone: zone.id, name: zones.details[index].name, use: use, isOpen: isOpen,
            before: before, after: stays ? before : verdict.presence, seen: verdict.raw,
            reason: use == .suspect ? .suspect : verdict.reason,
            distanceCentimetres: verdict.distance.centimetres,
            marginCentimetres: verdict.margin, alertCentimetres: zone.alertCentimetres)
    }
}
