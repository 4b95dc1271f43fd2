import Geometry
import Model

/// In which zones a person is, as fixes and time show.
struct PresenceMachine: Sendable {
    /// The zones that apply to the person.
    private(set) var applicable = ApplicableZones()
    var fixes = FixHistory()
    /// Ordered by zone id.
    private(set) var presences: [ZonePresence] = []
    /// The next absence deadline of the person's zones.
    private(set) var absence = Timestamp.distantFuture
    /// Whether ``absence`` has to be recomputed.
    private var isAbsenceStale = true
    /// When the first wait caused by a zone ends.
    private(set) var zoneWake = Timestamp.distantFuture
    /// Whether ``zoneWake`` has to be recomputed.
    private var areWaitsStale = true
    /// Saves evaluations. No decision depends on it.
    var fastPath = FastPath()

    // MARK: Presences

    @inline(__always)
    func presence(in zone: ZoneID) -> ZonePresence? {
        let (index, isKnown) = find(zone)
        return isKnown ? presences[index] : nil
    }

    /// The index of the zone in ``presences``, or its insertion point.
    @inline(__always)
    private func find(_ zone: ZoneID) -> (index: Int, isKnown: Bool) {
        var index = 0
        while index < presences.count, presences[index].zone < zone { index += 1 }
        return (index, index < presences.count && presences[index].zone == zone)
    }

    /// Stores a presence, or removes it if it carries no information.
    ///
    /// - Parameter isTimed: whether time alone can change something for a person in the zone.
    mutating func store(_ presence: ZonePresence, isTimed: Bool) {
        let (index, isKnown) = find(presence.zone)
        if isKnown, presences[index] == presence { return }
        let old = isKnown ? presences[index] : nil
        // A zone of another owner with the same id may be timed.
        let isMoved = (old?.presence ?? .outside) != presence.presence
        if isTimed || isMoved || old?.leaving != presence.leaving { areWaitsStale = true }
        fastPath.update(presence.zone, presence.settled)
        switch (isKnown, presence.isWorthKeeping) {
        case (true, true): presences[index] = presence
        case (true, false): presences.remove(at: index)
        case (false, true): presences.insert(presence, at: index)
        case (false, false): break
        }
    }

    mutating func forget(_ zone: ZoneID) {
        let (index, isKnown) = find(zone)
        guard isKnown else { return }
        presences.remove(at: index)
        fastPath.update(zone, .outside)
        areWaitsStale = true
    }

    // MARK: Fixes

    /// Evaluates a fix of the primary device.
    ///
    /// It is trusted if it can follow the trusted one. If it agrees with the suspect one, both are.
    /// Otherwise it becomes a suspect and changes nothing.
    mutating func evaluate(_ fix: EvaluatedFix, _ zones: inout KnownZones, _ turn: inout Turn) {
        switch fixes.assess(fix, turn.rules) {
        case .outdated: break
        case .first: trust(fix, .first, from: nil, &zones, &turn)
        case .follows(let trusted): trust(fix, .fix, from: trusted, &zones, &turn)
        case .repeats(let trusted, let canFollow):
            amend(fix, trusted, canFollow: canFollow, &zones, &turn)
        case .confirms(let suspect):
            trust(suspect, .fix, from: nil, &zones, &turn)
            trust(fix, .fix, from: suspect, &zones, &turn)
        case .contradicts:
            // The wait counts from the first contradicting fix.
            fixes.suspect = SuspectFix(fix: fix, since: fixes.suspect?.since ?? turn.now)
            areWaitsStale = true
            fastPath.invalidate()
            evaluate(ZoneEvaluator(fix, .suspect), &zones, &turn)
            turn.edgeBounds = nil
        }
    }

    /// Evaluates the newest fix again with values that a further message has added. It is still one
    /// fix: it confirms nothing that it said before, and no time has passed.
    private mutating func amend(
        _ fix: EvaluatedFix, _ trusted: EvaluatedFix, canFollow: Bool, _ zones: inout KnownZones,
        _ turn: inout Turn
    ) {
        let report = fixes.suspect?.fix.report ?? trusted.report
        let fix = EvaluatedFix(fix: fix.fix, device: fix.device, report: report)
        if fixes.suspect == nil {
            let (usual, previous) = (fixes.usualInterval, fixes.previous)
            trust(fix, .fix, from: trusted, &zones, &turn)
            (fixes.usualInterval, fixes.previous) = (usual, previous)
        } else if canFollow {
            trust(fix, .fix, from: trusted, &zones, &turn)
        } else {
            fixes.suspect?.fix = fix
        }
    }

    /// Evaluates a fix and trusts it from now on.
    ///
    /// - Parameter before: the fix from which the person can have moved here; nil if there is none.
    ///   Then no zone was crossed.
    mutating func trust(
        _ fix: EvaluatedFix, _ occasion: FixEvidence.Occasion, from before: EvaluatedFix?,
        _ zones: inout KnownZones, _ turn: inout Turn
    ) {
        var evidence = FixEvidence(fix, occasion, from: before, turn.rules)
        evidence.isLateAnswer = occasion == .fix && fixes.isLateAnswer(fix, turn.rules)
        evidence.previous = fixes.previous
        let evaluator = ZoneEvaluator(evidence)
        if !FastPath.evaluate(evaluator, from: before, of: &self, zones, &turn) {
            evaluate(evaluator, &zones, &turn)
            FastPath.rebuild(around: fix.point, of: &self, zones, &turn)
        }
        if fixes.suspect != nil { areWaitsStale = true }
        fixes.trust(fix, isFirst: occasion == .first, turn.rules)
        turn.trustedFix = fix
    }

    private mutating func evaluate(
        _ evaluator: ZoneEvaluator, _ zones: inout KnownZones, _ turn: inout Turn
    ) {
        if !applicable.sets.isEmpty { zones.build(applicable.sets) }
        evaluator.decide(&self, zones, &turn)
    }

    // MARK: Time

    /// Evaluates the leaving of a zone by one fix, because no other fix arrived.
    mutating func confirmLeaving(_ zone: ZoneID, _ zones: KnownZones, _ turn: inout Turn) {
        guard var presence = presence(in: zone) else { return }
        presence.leaving = nil
        store(presence, isTimed: true)
        decideAgain(zone, .leavingTimeout, cause: nil, zones, &turn)
    }

    /// Handles the opening or closing of a zone's schedule: presence is established or cleared.
    mutating func openOrClose(
        _ zone: ZoneID, due: Timestamp, _ zones: KnownZones, _ turn: inout Turn
    ) {
        decideAgain(zone, .scheduleOpened, cause: Turn.cause(due: due), zones, &turn)
    }

    /// Evaluates one zone by the trusted fix.
    private mutating func decideAgain(
        _ zone: ZoneID, _ occasion: FixEvidence.Occasion, cause: ID128?, _ zones: KnownZones,
        _ turn: inout Turn
    ) {
        guard let trusted = fixes.trusted,
            let source = zones.zone(zone, of: applicable, at: turn.now)?.source
        else { return forget(zone) }
        ZoneEvaluator(trusted, occasion, cause: cause).decide(
            zone, of: source, for: &self, zones, &turn)
    }

    /// Reports that the person has been in a zone for its dwell time.
    mutating func dwell(_ zone: ZoneID, _ zones: KnownZones, _ turn: inout Turn) {
        guard var presence = presence(in: zone) else { return }
        presence.hasDwelled = true
        store(presence, isTimed: true)
        guard let trusted = fixes.trusted,
            let found = zones.zone(zone, of: applicable, at: turn.now)
        else { return }
        let age = turn.now.seconds(since: trusted.fix.time)
        let isFixOld = age > max(turn.rules.contactSeconds, Int64(fixes.usualInterval))
        ZoneEvents(fix: trusted, occasion: .reconfigured, cause: Turn.cause(due: turn.now))
            .emitDwelled(found, isFixOld: isFixOld, &turn)
    }

    /// Reports that the person is absent from zones at their deadline.
    ///
    /// A person counts as present if they are known to be inside, by a recent fix or a phone that
    /// keeps contact. They also count as present if the newest trusted fix alone shows them inside
    /// and is recent and accurate enough. A suspect fix proves neither presence nor contact.
    ///
    /// - Parameter isInContact: whether the phone follows its reporting policy and is not late.
    mutating func evaluateAbsence(
        due: Timestamp, isInContact: Bool, _ zones: KnownZones, _ turn: inout Turn
    ) {
        let before = Timestamp(microseconds: due.microseconds - 1)
        var absent = zones.absentZones(of: applicable, at: turn.now).filter { found in
            found.details.nextAbsence(after: before) == due
        }
        absent.sort { $0.zone.id < $1.zone.id }
        let rules = turn.rules
        func isRecent(_ fix: EvaluatedFix) -> Bool {
            due - fix.fix.time <= .seconds(rules.contactSeconds)
        }
        let isKnown = isInContact || fixes.trusted.map(isRecent) == true
        for found in absent where !(isKnown && isInside(found)) {
            func isThere(_ fix: EvaluatedFix) -> Bool {
                let inradius = found.inradiusCentimetres
                return found.presence(of: fix.point) == .inside
                    && !rules.isCoarse(fix.fix, .safe, inradiusCentimetres: inradius)
            }
            if let trusted = fixes.trusted, isRecent(trusted), isThere(trusted) { continue }
            let suspect = fixes.suspect?.fix
            let last = suspect.map(isThere) == false ? suspect : fixes.trusted
            let absence = ZoneAbsence(
                person: turn.person, zone: found.zone.id, zoneName: found.details.name,
                circle: found.source.circle, set: found.source.set, by: due, fix: last?.fix,
                hasContact: isInContact || last.map(isRecent) == true)
            turn.emit(
                .zoneAbsent(absence), subject: .id(found.zone.id), cause: Turn.cause(due: due))
            // Without contact absence is not certain: no message leaves the app.
            if absence.hasContact { turn.triggered.add(safe: found, .absent) }
        }
        absence = nextAbsence(after: due, zones)
    }

    /// Whether the person is known to be inside a zone and no fix says that they have left; also
    /// while its schedule is closed.
    private func isInside(_ found: FoundZone) -> Bool {
        guard let known = presence(in: found.zone.id) else { return false }
        return known.presence == .inside && known.leaving == nil && !known.isInDoubt
    }

    /// Trusts the suspect fix because no other fix arrived.
    mutating func trustSuspect(_ zones: inout KnownZones, _ turn: inout Turn) {
        guard let suspect = fixes.suspect else { return }
        trust(suspect.fix, .suspectTimeout, from: nil, &zones, &turn)
    }

    /// Ends a sharing pause: the circle's safe zones apply to the person again.
    mutating func endSharingPause(
        of circle: CircleID, due: Timestamp, _ zones: inout KnownZones, _ turn: inout Turn
    ) {
        let before = applicable
        applicable.unshared.removeAll { $0.circle == circle }
        let paused = Timestamp(microseconds: due.microseconds - 1)
        reconfigure(
            .all(before: before, at: paused), cause: Turn.cause(due: due), &zones, &turn)
        absence = nextAbsence(after: due, zones)
    }

    // MARK: Configuration

    /// Applies the person's configuration without evaluating anything. Returns the zones that
    /// applied before.
    mutating func configure(
        _ person: ConfiguredPerson, _ zones: inout KnownZones
    ) -> ApplicableZones {
        let before = applicable
        let primaryDevice = fixes.primaryDevice
        applicable = ApplicableZones(person)
        fixes.chosenDevice = person.primaryDevice
        // A suspect fix of another device contradicts nothing.
        if fixes.primaryDevice != primaryDevice { fixes.suspect = nil }
        zones.unreadable += applicable.own.unreadable - before.own.unreadable
        return before
    }

    /// Clears the presence in zones that no longer apply to the person, and evaluates new and
    /// changed zones by the last fix.
    mutating func reconfigure(
        _ change: ZoneChange, cause: ID128, _ zones: inout KnownZones, _ turn: inout Turn
    ) {
        areWaitsStale = true
        isAbsenceStale = true
        turn.isReconfigured = true
        // Bounds that an earlier wait measured belong to the old zones.
        turn.edgeBounds = nil
        switch change {
        case .all: zones.build(applicable.sets)
        case .circle: break
        case .page: turn.isPage = true
        }
        guard let trusted = fixes.trusted else { return }
        let isNew = { [applicable, known = zones, now = turn.now] (id: ZoneID) -> Bool in
            let old = change.before(id, applicable, known, at: now)?.zone.kind
            return old == nil || old != known.zone(id, of: applicable, at: now)?.zone.kind
        }
        var evaluator = ZoneEvaluator(trusted, .reconfigured, cause: cause)
        evaluator.isNew = isNew
        let events = ZoneEvents(fix: trusted, occasion: .reconfigured, cause: cause)
        for presence in presences {
            let found = zones.zone(presence.zone, of: applicable, at: turn.now)
            if found != nil, !isNew(presence.zone) { continue }
            let reason: CrossingReason = found == nil ? .notApplicable : .zoneChanged
            let before = change.before(presence.zone, applicable, zones, at: turn.now)
            if presence.isPresent, let found = before ?? found {
                events.emitCleared(found, presence, reason, &turn)
            }
            forget(presence.zone)
        }
        // A new primary device decides by its own first fix.
        guard fixes.primaryFix != nil else { return }
        switch change {
        case .all: evaluator.decide(&self, zones, &turn)
        case .circle(let circle, _):
            guard let owner = zones.circles.index(of: circle) else { return }
            evaluator.decide(
                zones.circles[owner], of: .circle(circle), for: &self, &turn)
        case .page(let new, let set, _):
            evaluator.decide(new, of: .set(set), for: &self, &turn)
        }
    }

    // MARK: Waits

    /// The next absence deadline of the person's zones.
    private func nextAbsence(after time: Timestamp, _ zones: KnownZones) -> Timestamp {
        zones.absentZones(of: applicable, at: time).compactMap {
            $0.details.nextAbsence(after: time)
        }.min() ?? .distantFuture
    }

    /// Adds the waits caused by presence in zones.
    func addZoneWaits(
        to next: inout FirstWait, after passed: Timestamp, _ zones: KnownZones
    ) {
        for presence in presences {
            // A suspect fix contradicts leaving.
            if fixes.suspect == nil {
                next.add(presence.leaving, .leaving, zone: presence.zone)
            }
            guard fastPath.mayBeTimed(presence.zone, zones.generation),
                let found = zones.zone(presence.zone, of: applicable, at: passed),
                found.zone.isTimed
            else { continue }
            let wait = found.details.wait(of: presence, after: passed)
            next.add(wait?.due, wait?.kind ?? .dwell, zone: presence.zone)
        }
    }

    /// Adds the other waits.
    func addOtherWaits(
        to next: inout FirstWait, after passed: Timestamp, isEmergency: Bool,
        _ rules: EvaluatorRules
    ) {
        next.add(absence, .absence)
        next.add(fixes.suspectEnd(isEmergency: isEmergency, rules), .suspect)
        for pause in applicable.unshared {
            guard let until = pause.until, until > passed else { continue }
            next.add(until, .pause, circle: pause.circle)
        }
    }

    /// Recomputes when the first wait caused by a zone ends, if it may be another one.
    mutating func updateWake(after passed: Timestamp, _ zones: KnownZones) {
        if isAbsenceStale {
            absence = nextAbsence(after: passed, zones)
            isAbsenceStale = false
        }
        guard areWaitsStale else { return }
        var next = FirstWait()
        addZoneWaits(to: &next, after: passed, zones)
        zoneWake = next.due
        areWaitsStale = false
    }

    /// Whether ``updateWake(after:_:)`` is needed.
    var isWakeStale: Bool { areWaitsStale || isAbsenceStale }

    /// Marks the waits caused by zones as outdated.
    mutating func invalidateWake() { areWaitsStale = true }
}

extension PresenceMachine {
    /// Encodes or decodes the state, and the waits between its fields.
    mutating func code(
        _ waits: inout WaitSchedule, _ coder: inout StateCoder
    ) throws(StateError) {
        // Flag 128 exists since version 6, as that of a presence does.
        var lastFix = fixes.lastFix == fixes.trusted?.fix ? nil : fixes.lastFix
        let has = try coder.flags(
            fixes.firstDevice != nil, fixes.trusted != nil, fixes.suspect != nil, lastFix != nil,
            fixes.battery != nil, waits.deadline != nil, fixes.usualInterval > 0,
            fixes.previous != nil)
        try coder.code(&waits.passed)
        try coder.code(&fixes.firstDevice, if: has[0])
        try coder.code(&fixes.trusted, if: has[1])
        var usualInterval: UInt16? = UInt16(clamping: fixes.usualInterval)
        try coder.code(&usualInterval, if: has[6])
        fixes.usualInterval = Int32(usualInterval ?? 0)
        try coder.check(
            !has[6] || has[1] && 1...2000 ~= fixes.usualInterval,
            "usual interval is out of range")
        try coder.code(&fixes.previous, if: has[7])
        try coder.check(has[1] || !has[7], "previous fix without a trusted one")
        try coder.code(&fixes.suspect, if: has[2])
        try coder.code(&lastFix, if: has[3])
        try coder.code(&fixes.battery, if: has[4])
        try coder.code(&waits.deadline, if: has[5])
        try coder.check(
            !has[3] || lastFix != fixes.trusted?.fix, "last fix equals the trusted one")
        fixes.lastFix = lastFix ?? fixes.trusted?.fix
        var last: ZoneID?
        try coder.code(list: &presences, bytesMin: 25) {
            (presence: inout ZonePresence, coder: inout StateCoder) throws(StateError) in
            try coder.code(&presence.zone, after: &last)
            try presence.code(&coder)
        }
        try coder.check(
            has[1] || !has[2] && presences.isEmpty, "presences without a trusted fix")
    }
}

extension ZoneDetails {
    /// When the person should next be in the zone; nil if never.
    fileprivate func nextAbsence(after time: Timestamp) -> Timestamp? {
        absentByMinute.flatMap { calendar.next(minute: $0, after: time) }
    }

    /// The first wait that this zone causes.
    fileprivate func wait(
        of presence: ZonePresence, after passed: Timestamp
    ) -> (due: Timestamp, kind: Wait.Kind)? {
        let since = max(presence.since, passed)
        if presence.isClosed { return calendar.opening(after: since).map { ($0, .schedule) } }
        guard presence.presence != .outside else { return nil }
        let closing = calendar.closing(after: since)
        // A stay does not dwell while the person may be leaving.
        guard presence.presence == .inside, presence.leaving == nil, dwellSeconds > 0,
            !presence.hasDwelled
        else {
            return closing.map { ($0, .schedule) }
        }
        let stayed = presence.since.plus(seconds: dwellSeconds)
        if let closing, closing < stayed { return (closing, .schedule) }
        return (stayed, .dwell)
    }
}
