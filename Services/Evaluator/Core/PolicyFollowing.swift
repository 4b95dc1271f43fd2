import Geometry
import Model

// Hints to phones follow from where people are and which zones judge them.
extension PartitionState {
    /// Tells the leading device how to report from now on, where that is news.
    mutating func followPolicy(_ place: Int, _ turn: inout Turn) {
        if turn.isArranged { people[place].policy.rearrange() }
        guard let device = people[place].leader else { return }
        let isEmergency = people[place].emergency.isActive
        let isKnown =
            people[place].policy.told.map {
                $0.device == device && ($0.mode == .event) == isEmergency
            } ?? !isEmergency
        // The zones of a set come page by page: whoever stays is looked after with the next fix.
        guard turn.isMoved || turn.isArranged && !turn.isPage || !isKnown else { return }
        let trusted = people[place].trusted
        let moment = PolicyLife.Moment(
            device: device, point: trusted?.point,
            speed: trusted?.fix.speedCentimetresPerSecond, isEmergency: isEmergency)
        let rules = turn.rules.reporting
        var surroundings: Surroundings?
        if let point = moment.point, !isEmergency {
            surroundings = glance(place, turn)
            if surroundings == nil, people[place].policy.needsLook(at: moment, rules) {
                surroundings = look(around: point, place, turn)
            }
        }
        guard people[place].policy.follow(moment, rules, surroundings),
            let told = people[place].policy.told
        else { return }
        let person = people[place].id
        turn.tell(
            .policyChanged(told.policy(of: person, rules)), of: person, subject: .id(device),
            cause: turn.id.raw)
    }

    /// The surroundings, where a look at the zones that were judged is enough to know them.
    private func glance(_ place: Int, _ turn: Turn) -> Surroundings? {
        guard let glance = turn.glance, people[place].unshared.isEmpty,
            people[place].refused.isEmpty
        else { return nil }
        return Surroundings(glance, turn.rules.reporting)
    }

    private mutating func look(around point: EarthPoint, _ place: Int, _ turn: Turn) -> Surroundings
    {
        zones.build(people[place].sets)
        return people[place].surroundings(
            of: point, zones, looking: &survey, at: turn.now, turn.rules.reporting)
    }
}

extension PersonState {
    /// What all zones that judge the person ask of a phone, also those whose schedule is closed: it
    /// may open while the phone is silent.
    fileprivate func surroundings(
        of point: EarthPoint, _ zones: KnownZones, looking survey: inout ZoneSurvey,
        at now: Timestamp, _ rules: ReportingRules
    ) -> Surroundings {
        let areAll = unshared.isEmpty && refused.isEmpty
        return survey.surroundings(of: point, rules) { survey in
            for number in 0..<UInt16(clamping: 1 + circles.count + sets.count) {
                guard let (owner, source) = zones.owner(number, of: self) else { continue }
                survey.add(
                    owner, around: point,
                    isRelevant: areAll ? nil : { isJudged(by: $0, of: source, at: now) })
            }
        }
    }
}
