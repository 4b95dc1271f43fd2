import Model

/// How a zone sees a person by a fix, also where that changes nothing.
public struct ZoneLook: Hashable, Sendable {
    /// What the fix is to the person's zones.
    public enum Use: Hashable, Sendable {
        /// It is judged by.
        case judged
        /// Nobody could have come there: the next one decides.
        case suspect
        /// It is late, older than the newest, or of a device that does not lead.
        case history
    }

    public let zone: ZoneID
    public let name: String
    public let use: Use
    /// False while the zone's schedule is closed: it judges nobody.
    public let isOpen: Bool
    public let before: Presence
    public let after: Presence
    /// Where the fix alone would see the person.
    public let seen: Presence
    /// Why presence becomes, or stays, ``after``.
    public let reason: CrossingReason
    /// To the true edge, negative inside.
    public let distanceCentimetres: Int32
    /// That the fix had to be beyond; 0 where nothing is measured by it.
    public let marginCentimetres: Int32
    /// 0 = nothing is near.
    public let alertCentimetres: Int32
}

extension PartitionState {
    /// How every zone that judges a person will see a report, if it is the next record; nothing is
    /// changed by asking. For explaining what told nothing: the same rules decide as in
    /// ``handle(_:into:)``, and it takes as long as there are zones.
    ///
    /// - Parameter event: the report's record
    /// - Returns: by zone; nothing of somebody who is not known
    public func looks(at report: Report, in event: Event) -> [ZoneLook] {
        guard let rules = logics.rules(of: logic), people.place(of: report.person) != nil else {
            return []
        }
        var state = self
        let place = state.awake(report.person)
        var turn = Turn(event, rules)
        state.zones.build(state.people[place].sets)
        state.advance(place, to: event.time, &turn)
        if state.people[place].firstDevice == nil {
            state.people[place].firstDevice = report.device
        }
        let fix = JudgedFix(report)
        let (use, occasion) = state.use(of: fix, late: report.late, place, &turn)
        let person = state.people[place]
        var judge = ZoneJudge(fix, occasion)
        judge.isLateAnswer = person.isLateAnswer(fix, occasion, turn.rules)
        judge.previous = person.previous
        var looks: [ZoneLook] = []
        let sources =
            [.own] + person.circles.map(ZoneSource.circle) + person.sets.map(ZoneSource.set)
        for source in sources {
            guard let zones = state.zones.zones(of: source, person) else { continue }
            for place in zones.zones.indices
            where person.isJudged(by: zones.zones[place], of: source, at: turn.now) {
                looks.append(judge.look(at: zones, place, person, use, turn))
            }
        }
        return looks.sorted { $0.zone < $1.zone }
    }

    /// As a report is taken; a suspect that the fix agrees with is believed before it.
    private mutating func use(
        of fix: JudgedFix, late: Bool, _ place: Int, _ turn: inout Turn
    ) -> (ZoneLook.Use, ZoneJudge.Occasion) {
        let person = people[place]
        guard !late, person.leader == fix.device else { return (.history, .suspect) }
        guard let trusted = person.leadingFix else { return (.judged, .first) }
        let suspect = person.suspect?.fix
        guard fix.fix.time >= (suspect ?? trusted).fix.time else { return (.history, .suspect) }
        if turn.rules.canFollow(trusted, fix) { return (.judged, .fix) }
        guard let suspect, !fix.repeats(suspect),
            turn.rules.canFollow(suspect, fix) || turn.rules.areSteady(trusted, suspect, fix)
        else { return (.suspect, .suspect) }
        believe(suspect, .fix, from: nil, place, &turn)
        return (.judged, .fix)
    }
}

extension ZoneJudge {
    fileprivate func look(
        at zones: JudgedZones, _ place: Int, _ person: PersonState, _ use: ZoneLook.Use,
        _ turn: Turn
    ) -> ZoneLook {
        let zone = zones.zones[place]
        let kept = person.presence(in: zone.id)
        let isOpen = zones.details[place].calendar.isOpen(at: turn.now)
        let isNew = (isOpen || occasion == .first) && isUnknown(zone.id, kept, person)
        let before =
            kept.flatMap { $0.isClosed ? nil : $0.presence } ?? (isNew ? .unknown : .outside)
        var verdict = verdict(about: zones, place, before, turn.rules)
        confirm(
            &verdict, zones, place, before, kept.map(standing), after: person.trusted, turn.rules)
        let stays = use != .judged || !isOpen
        return ZoneLook(
            zone: zone.id, name: zones.details[place].name, use: use, isOpen: isOpen,
            before: before, after: stays ? before : verdict.presence, seen: verdict.raw,
            reason: use == .suspect ? .suspect : verdict.reason,
            distanceCentimetres: verdict.distance.centimetres,
            marginCentimetres: verdict.margin, alertCentimetres: zone.alertCentimetres)
    }
}
