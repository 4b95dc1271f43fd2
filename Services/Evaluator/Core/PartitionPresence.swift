import Geometry
import Model

// What fixes and time decide about a person and zones.
extension PartitionState {
    /// A fix: of the leading device and no older than the last it moves presence; else it is
    /// history.
    mutating func judge(
        _ report: Report, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        turn(report.person, event, rules, into: &outputs) { state, place, turn in
            state.people[place].note(report)
            if state.people[place].firstDevice == nil {
                state.people[place].firstDevice = report.device
            }
            guard state.people[place].leader == report.device else { return }
            state.hear(report, place, &turn)
            guard !report.late else { return }
            state.take(JudgedFix(report), place, &turn)
        }
    }

    /// Believes a fix that can have followed the trusted one, and one that can have followed the
    /// suspect before it, which was none then; else it is a suspect, and changes nothing.
    private mutating func take(_ fix: JudgedFix, _ place: Int, _ turn: inout Turn) {
        guard let trusted = people[place].leadingFix else {
            return believe(fix, .first, from: nil, place, &turn)
        }
        let suspect = people[place].suspect?.fix
        guard fix.fix.time >= (suspect ?? trusted).fix.time else { return }
        if fix.repeats(suspect ?? trusted) { return complete(fix, trusted, place, &turn) }
        if turn.rules.canFollow(trusted, fix) {
            return believe(fix, .fix, from: trusted, place, &turn)
        }
        if let suspect,
            turn.rules.canFollow(suspect, fix) || turn.rules.areSteady(trusted, suspect, fix)
        {
            believe(suspect, .fix, from: nil, place, &turn)
            return believe(fix, .fix, from: suspect, place, &turn)
        }
        // The wait counts from the first that contradicted.
        people[place].suspect = SuspectFix(
            fix: fix, since: people[place].suspect?.since ?? turn.now)
        people[place].stale()
        people[place].neighbourhood.end()
        judge(ZoneJudge(fix, .suspect), place, &turn)
        turn.glance = nil
    }

    /// Evaluates the newest fix again, with values that a further message of it has added. It is
    /// one fix still: it confirms nothing that it said before, and no time has passed.
    private mutating func complete(
        _ fix: JudgedFix, _ trusted: JudgedFix, _ place: Int, _ turn: inout Turn
    ) {
        guard let suspect = people[place].suspect else {
            let fix = JudgedFix(fix: fix.fix, device: fix.device, report: trusted.report)
            let (usual, previous) = (people[place].usualSilence, people[place].previous)
            believe(fix, .fix, from: trusted, place, &turn)
            (people[place].usualSilence, people[place].previous) = (usual, previous)
            return
        }
        let fix = JudgedFix(fix: fix.fix, device: fix.device, report: suspect.fix.report)
        if turn.rules.canFollow(trusted, fix) {
            believe(fix, .fix, from: trusted, place, &turn)
        } else {
            people[place].suspect = SuspectFix(fix: fix, since: suspect.since)
        }
    }

    /// Judges by a fix and trusts it from here on.
    ///
    /// - Parameter before: from which the person can have come here; nil if from nowhere known, and
    ///   then nothing was crossed on the way.
    mutating func believe(
        _ fix: JudgedFix, _ occasion: ZoneJudge.Occasion, from before: JudgedFix?, _ place: Int,
        _ turn: inout Turn
    ) {
        var judge = ZoneJudge(fix, occasion, from: before, turn.rules)
        let silent = people[place].trusted.map { fix.fix.time.seconds(since: $0.fix.time) } ?? 0
        judge.isLateAnswer = people[place].isLateAnswer(fix, occasion, turn.rules)
        judge.previous = people[place].previous
        if occasion == .fix, !looksAlways, let before,
            let spot = people[place].neighbourhood.go(
                to: fix.fix.position, from: before.fix.position, at: arrangements)
        {
            judge.decide(around: &people[place], zones, at: spot, &turn)
        } else {
            self.judge(judge, place, &turn)
            settle(around: fix.point, place, &turn)
        }
        people[place].previous = occasion == .first ? nil : people[place].trusted?.fix
        people[place].trusted = fix
        people[place].usualSilence =
            occasion == .first
            ? 0 : turn.rules.usualSilence(people[place].usualSilence, after: silent)
        turn.believed = fix
        // An alarm rings by itself for a while after each fix.
        if !people[place].alarms.alarms.isEmpty { people[place].isWakeStale = true }
        if people[place].suspect != nil {
            people[place].suspect = nil
            people[place].stale()
        }
    }

    private mutating func judge(_ judge: ZoneJudge, _ place: Int, _ turn: inout Turn) {
        let sets = people[place].sets
        if !sets.isEmpty { zones.build(sets) }
        judge.decide(&people[place], zones, looking: &nearZones, &turn)
    }

    /// After a fix that was judged by indices: finds out what is around it.
    private mutating func settle(around point: EarthPoint, _ place: Int, _ turn: inout Turn) {
        turn.glance = nil
        guard !looksAlways, people[place].neighbourhood.isWorthWhile() else { return }
        turn.glance = neighbours.settle(
            &people[place], around: point, in: zones, at: arrangements)
    }

    // MARK: What time brings

    /// No other fix came: the one by which the person would have left a zone is what there is.
    mutating func leave(_ zone: ZoneID, _ place: Int, _ turn: inout Turn) {
        guard var presence = people[place].presence(in: zone) else { return }
        presence.leaving = nil
        people[place].keep(presence, isTimed: true)
        guard let trusted = people[place].trusted,
            let source = zones.zone(zone, of: people[place], at: turn.now)?.source
        else { return people[place].forget(zone) }
        let judge = ZoneJudge(trusted, .alone)
        judge.decide(zone, of: source, for: &people[place], zones, &turn)
    }

    mutating func dwell(_ zone: ZoneID, _ place: Int, _ turn: inout Turn) {
        guard var presence = people[place].presence(in: zone) else { return }
        presence.hasDwelled = true
        people[place].keep(presence, isTimed: true)
        guard let trusted = people[place].trusted,
            let found = zones.zone(zone, of: people[place], at: turn.now)
        else { return }
        var judge = ZoneJudge(trusted, .arranged)
        judge.cause = Turn.cause(due: turn.now)
        let person = people[place]
        let age = turn.now.seconds(since: trusted.fix.time)
        let isFixOld = age > max(turn.rules.contactSeconds, Int64(person.usualSilence))
        judge.dwell(found, person.id, isFixOld: isFixOld, &turn)
    }

    /// A zone's schedule opens: whoever is there is found there. Or it closes: they are forgotten.
    mutating func openOrClose(_ zone: ZoneID, _ place: Int, due: Timestamp, _ turn: inout Turn) {
        guard let trusted = people[place].trusted,
            let source = zones.zone(zone, of: people[place], at: turn.now)?.source
        else { return people[place].forget(zone) }
        var judge = ZoneJudge(trusted, .opened)
        judge.cause = Turn.cause(due: due)
        judge.decide(zone, of: source, for: &people[place], zones, &turn)
    }

    /// Whoever is not known to be inside of a zone by now is missed: known by a fix that is not old
    /// or a phone that keeps its contact, or unless the newest trusted fix by itself sees them
    /// there and is neither old nor too inaccurate. A suspect says neither that they are there nor,
    /// where it does, that there is contact.
    mutating func missPeople(_ place: Int, due: Timestamp, _ turn: inout Turn) {
        let person = people[place]
        let before = Timestamp(microseconds: due.microseconds - 1)
        var missed = zones.absentZones(of: person, at: turn.now).filter { found in
            found.details.absentByMinute.flatMap {
                found.details.calendar.next(minute: $0, after: before)
            } == due
        }
        missed.sort { $0.zone.id < $1.zone.id }
        func isRecent(_ fix: JudgedFix) -> Bool {
            due - fix.fix.time <= .seconds(turn.rules.contactSeconds)
        }
        let keepsContact = person.keepsContact
        let isKnown = keepsContact || person.trusted.map(isRecent) == true
        for found in missed where !(isKnown && person.isInside(found)) {
            func isThere(_ fix: JudgedFix) -> Bool {
                let inradius = found.inradiusCentimetres
                return found.presence(of: fix.point) == .inside
                    && !turn.rules.isCoarse(fix.fix, .safe, inradiusCentimetres: inradius)
            }
            if let trusted = person.trusted, isRecent(trusted), isThere(trusted) { continue }
            let suspect = person.suspect?.fix
            let last = suspect.map(isThere) == false ? suspect : person.trusted
            let absence = ZoneAbsence(
                person: person.id, zone: found.zone.id, zoneName: found.details.name,
                circle: found.source.circle, set: found.source.set, by: due, fix: last?.fix,
                hasContact: keepsContact || last.map(isRecent) == true)
            turn.tell(
                .zoneAbsent(absence), of: person.id, subject: .id(found.zone.id),
                cause: Turn.cause(due: due))
            // Without contact nobody knows: nothing is said to a number outside.
            if absence.hasContact { turn.fire(.absent, found) }
        }
        people[place].absence = nextAbsence(of: person, after: due)
    }

    /// No other fix came: the suspect is what there is.
    mutating func believeSuspect(_ place: Int, _ turn: inout Turn) {
        guard let suspect = people[place].suspect else { return }
        believe(suspect.fix, .silence, from: nil, place, &turn)
    }

    /// The circle's safe zones judge the person again.
    mutating func endPause(
        of circle: CircleID, _ place: Int, due: Timestamp, _ turn: inout Turn
    ) {
        let before = people[place]
        people[place].unshared.removeAll { $0.circle == circle }
        let paused = Timestamp(microseconds: due.microseconds - 1)
        arrange(place, .all, cause: Turn.cause(due: due), &turn) { [zones] id in
            zones.zone(id, of: before, at: paused)
        }
        people[place].absence = nextAbsence(of: people[place], after: due)
    }
}

extension PersonState {
    /// Whether a fix comes so long after the trusted one that this stands, though it is one alone.
    func isLateAnswer(
        _ fix: JudgedFix, _ occasion: ZoneJudge.Occasion, _ rules: EvaluatorRules
    ) -> Bool {
        guard occasion == .fix, let trusted else { return false }
        let silent = fix.fix.time.seconds(since: trusted.fix.time)
        return silent > rules.confirmSeconds(after: Int64(usualSilence))
    }

    /// Whether the phone follows its reporting policy and is not overdue.
    fileprivate var keepsContact: Bool {
        silence.phase == .heard && silence.terms != nil && silence.terms?.device == leader
    }

    /// Whether the person is inside of a zone, as far as is known, and no fix says that they have
    /// left; also while its schedule is closed.
    fileprivate func isInside(_ found: FoundZone) -> Bool {
        guard let known = presence(in: found.zone.id) else { return false }
        return known.presence == .inside && known.leaving == nil && !known.isInDoubt
    }
}

extension ZoneJudge {
    /// One zone, by its id.
    fileprivate func decide(
        _ zone: ZoneID, of source: ZoneSource, for person: inout PersonState,
        _ zones: KnownZones, _ turn: inout Turn
    ) {
        guard let owner = zones.zones(of: source, person), let place = owner.place(of: zone)
        else { return person.forget(zone) }
        let near = NearRegion(place: Int32(place), isSurelyInside: false)
        decide(owner, near, of: source, for: &person, &turn)
    }
}
