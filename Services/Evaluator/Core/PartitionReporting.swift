import Geometry
import Model

// Reporting policies: derived from where people are and which zones apply to them.
extension PartitionState {
    /// Emits a new reporting policy for the primary device if it changed.
    mutating func updatePolicy(_ index: Int, _ turn: inout Turn) {
        if turn.isReconfigured { people[index].policy.invalidate() }
        guard let device = people[index].primaryDevice else { return }
        let isEmergency = people[index].emergency.isActive
        let isKnown =
            people[index].policy.sent.map {
                $0.device == device && ($0.mode == .event) == isEmergency
            } ?? !isEmergency
        // The zones of a set arrive page by page: people who stay are updated with their next fix.
        guard turn.isMoved || turn.isReconfigured && !turn.isPage || !isKnown else { return }
        let trusted = people[index].trusted
        let context = ReportingMachine.Context(
            device: device, point: trusted?.point,
            speed: trusted?.fix.speedCentimetresPerSecond, isEmergency: isEmergency)
        let rules = turn.rules.reporting
        var nearestEdges: NearestEdges?
        if let point = context.point, !isEmergency {
            nearestEdges = nearestEdgesFromBounds(index, turn)
            if nearestEdges == nil, people[index].policy.needsNearestEdges(for: context, rules) {
                nearestEdges = probe(around: point, index, turn)
            }
        }
        guard people[index].policy.update(context, rules, nearestEdges),
            let sent = people[index].policy.sent
        else { return }
        let person = people[index].id
        turn.emit(
            .policyChanged(sent.policy(of: person, rules)), of: person, subject: .id(device),
            cause: turn.id.raw)
    }

    /// The nearest edges, if the bounds from the evaluation are enough to decide.
    private func nearestEdgesFromBounds(_ index: Int, _ turn: Turn) -> NearestEdges? {
        guard let bounds = turn.edgeBounds, people[index].unshared.isEmpty,
            people[index].optOuts.isEmpty
        else { return nil }
        return NearestEdges(bounds, turn.rules.reporting)
    }

    private mutating func probe(around point: EarthPoint, _ index: Int, _ turn: Turn)
        -> NearestEdges
    {
        zones.build(people[index].sets)
        return people[index].nearestEdges(
            of: point, zones, using: &zoneProbe, at: turn.now, turn.rules.reporting)
    }
}

extension PersonState {
    /// The nearest edges of all zones that apply to the person, including those with a closed
    /// schedule: one may open while the phone is silent.
    fileprivate func nearestEdges(
        of point: EarthPoint, _ zones: KnownZones, using probe: inout ZoneProbe,
        at now: Timestamp, _ rules: ReportingRules
    ) -> NearestEdges {
        let areAll = unshared.isEmpty && optOuts.isEmpty
        return probe.nearestEdges(of: point, rules) { probe in
            for number in 0..<UInt16(clamping: 1 + circles.count + sets.count) {
                guard let (owner, source) = zones.owner(number, of: self) else { continue }
                probe.add(
                    owner, around: point,
                    isRelevant: areAll ? nil : { isEvaluated(by: $0, of: source, at: now) })
            }
        }
    }
}
