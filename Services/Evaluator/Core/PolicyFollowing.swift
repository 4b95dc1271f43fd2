import Geometry
import Model

// Hints to phones follow from where people are and which zones judge them.
extension PartitionState {
    /// Tells the leading device how to report from now on, where that is news.
    mutating func followPolicy(_ place: Int, _ turn: inout Turn) {
        if turn.isArranged { people[place].policy.rearrange() }
        guard let device = people[place].leader else { return }
        let isEmergency = people[place].emergency.active != nil
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
        let (person, known) = (people[place], zones)
        return survey.surroundings(of: point, turn.rules.reporting) { survey in
            known.survey(&survey, around: point, for: person, at: turn.now)
        }
    }
}

extension KnownZones {
    /// Looks among all zones that judge a person, also those whose schedule is closed: it may open
    /// while the phone is silent.
    fileprivate func survey(
        _ survey: inout ZoneSurvey, around point: EarthPoint, for person: PersonState,
        at now: Timestamp
    ) {
        let areAll = person.unshared.isEmpty && person.refused.isEmpty
        func add(_ zones: JudgedZones, of source: ZoneSource) {
            survey.add(
                zones, around: point,
                isRelevant: areAll ? nil : { person.isJudged(by: $0, of: source, at: now) })
        }
        add(person.ownZones, of: .own)
        for circle in person.circles {
            if let place = circles.place(of: circle) { add(circles[place], of: .circle(circle)) }
        }
        for set in person.sets {
            if let place = sets.place(of: set) { add(sets[place].judged, of: .set(set)) }
        }
    }
}
