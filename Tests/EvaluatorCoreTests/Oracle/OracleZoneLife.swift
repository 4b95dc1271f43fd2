import Model

/// One zone and one person over the whole log.
struct OracleZoneLife {
    typealias Known = OracleKnown

    enum ZoneEvaluation {
        case fix, silence, alone, first, suspect, arranged, opened
    }

    private static let doubtRank = 0
    private static let dwellRank = 1
    private static let scheduleRank = 2
    private static let absenceRank = 3

    private(set) var emitted: [Emission] = []
    var closeFrom = Int.max
    let id: ZoneID
    private var kind = ZoneKind.safe
    private var moment = Moment()
    private var known: Known?
    private var setup = OracleSetup()
    private(set) var trust = OracleTrust()
    /// Of the last record.
    private var passed = Timestamp.zero
    /// Absences up to this time were handled.
    private var absentFrom = Timestamp.zero
    private(set) var record = 0
    private var hours = OracleHours()

    init(_ id: ZoneID) { self.id = id }

    mutating func apply(_ step: OracleHistory.Step) {
        record = step.record
        moment.phase = 0
        advanceWaits(to: step.time, rank: step.rank)
        moment = Moment(phase: 1, due: step.time, rank: step.rank)
        let now = step.time
        let isRecord = step.rank == OracleHistory.recordRank
        if isRecord { (passed, absentFrom) = (now, now) }
        switch step.act {
        case .pass: break
        case .evaluate(let sight, let evaluation, let way):
            let occasion: ZoneEvaluation =
                switch evaluation {
                case .fix: .fix
                case .silence: .silence
                case .first: .first
                case .suspect: .suspect
                }
            decide(sight, occasion, way: way, isNew: trust.trusted == nil, at: now)
        case .reconfigure(let part): reconfigure(step, part, at: now)
        case .remove: known = nil
        }
        (setup, trust) = (step.setup, step.trust)
        moment.phase = 2
        if isRecord { advanceWaits(to: now, rank: step.rank) }
    }

    /// When the zone's next wait ends.
    mutating func nextDue() -> Timestamp? {
        let isApplicable = setup.applicable(id, at: passed) != nil
        return nextWaits().filter { isApplicable || $0.1 != OracleZoneLife.absenceRank }
            .map(\.0).min()
    }

    private mutating func reconfigure(
        _ step: OracleHistory.Step, _ part: OracleHistory.OraclePart, at now: Timestamp
    ) {
        let moment = Timestamp(microseconds: now.microseconds - 1)
        let isPauseEnd = step.rank != OracleHistory.recordRank
        let old = setup.applicable(id, at: isPauseEnd ? moment : now)
        setup = step.setup
        trust = step.trust
        let new = setup.applicable(id, at: now)
        guard let trusted = trust.trusted else { return }
        let isNew = old == nil || old?.zone.kind != new?.zone.kind
        if let known, new == nil || isNew {
            if known.counts {
                emit(
                    .zonePresenceCleared, known.presence, .unknown,
                    new == nil ? .notApplicable : .zoneChanged)
            }
            self.known = nil
        }
        // A new primary device decides by its own first fix.
        let leader = setup.person?.primaryDevice ?? trust.first
        guard let new, trusted.device == leader else { return }
        switch part {
        case .all: break
        case .circle(let circle): guard new.circle == circle else { return }
        case .page(let page): guard new.isOfSet, new.page == page else { return }
        case .none: return
        }
        decide(trusted, .arranged, way: nil, isNew: isNew, at: now)
    }

    // MARK: Time

    /// Handles all waits until a time.
    private mutating func advanceWaits(to end: Timestamp, rank: Int) {
        while let (due, kind) = nextWait(), (due, kind) < (end, rank) {
            let now = max(due, passed)
            (moment.due, moment.rank) = (due, kind)
            switch kind {
            case OracleZoneLife.doubtRank:
                known?.doubtful = nil
                trust.trusted.map { decide($0, .alone, way: nil, isNew: false, at: now) }
            case OracleZoneLife.dwellRank:
                known?.hasDwelled = true
                emit(.zoneDwelled, .inside, .inside, .stayed)
            case OracleZoneLife.scheduleRank:
                guard let trusted = trust.trusted else {
                    known = nil
                    return
                }
                decide(trusted, .opened, way: nil, isNew: true, at: now)
            default:
                absentFrom = due
                recordAbsence(at: due)
            }
        }
    }

    private mutating func nextWait() -> (Timestamp, Int)? { nextWaits().min { $0 < $1 } }

    private mutating func nextWaits() -> [(Timestamp, Int)] {
        var waits: [(Timestamp, Int)] = []
        if let known, let zone = setup.applicable(id, at: passed)?.zone {
            hours.show(zone)
            if let doubtful = known.doubtful, trust.suspect == nil {
                waits.append((doubtful, OracleZoneLife.doubtRank))
            }
            let moment = max(known.since, passed)
            if known.isShut {
                hours.opening(after: moment).map { waits.append(($0, OracleZoneLife.scheduleRank)) }
            } else if known.presence != .outside {
                let closing = hours.closing(after: moment)
                closing.map { waits.append(($0, OracleZoneLife.scheduleRank)) }
                let goesOn = known.presence == .inside && known.doubtful == nil
                if goesOn, zone.dwellSeconds > 0, !known.hasDwelled {
                    waits.append(
                        (known.since + .seconds(Int64(zone.dwellSeconds)), OracleZoneLife.dwellRank)
                    )
                }
            }
        }
        if let absent = nextAbsence() { waits.append((absent, OracleZoneLife.absenceRank)) }
        return waits
    }

    /// The zone's next absence deadline, whether or not it applies then.
    private mutating func nextAbsence() -> Timestamp? {
        guard let place = setup.zones.first(where: { $0.id == id }) else { return nil }
        hours.show(place.zone)
        return hours.absence(after: absentFrom)
    }

    private mutating func recordAbsence(at due: Timestamp) {
        guard let zone = setup.applicable(id, at: due)?.zone else { return }
        let since = due - .seconds(900)
        if let trusted = trust.trusted, trusted.time >= since {
            if let known, known.presence == .inside, known.doubtful == nil, !known.isPuzzling {
                return
            }
            if !zone.isVague(trusted), sees(zone, trusted) == .inside { return }
        }
        let isDoubted =
            trust.suspect.map { sees(zone, $0) == .inside && !zone.isVague($0) } ?? true
        let last = isDoubted ? trust.trusted : trust.suspect
        let hasContact = last.map { $0.time >= since } ?? false
        emit(Oracle.ExpectedEvent(kind: .zoneAbsent, zone: id, hasContact: hasContact))
    }

    // MARK: A fix

    private mutating func decide(
        _ sight: OracleSight, _ occasion: ZoneEvaluation, way: OracleSight?, isNew: Bool,
        at now: Timestamp
    ) {
        guard let zone = setup.applicable(id, at: now)?.zone else { return }
        kind = zone.kind
        let shape = OracleShape(zone)
        hours.show(zone)
        guard hours.isOpen(at: now) else {
            guard occasion != .suspect else { return }
            return shut(zone, shape, sight, occasion, at: now)
        }
        if occasion == .fix, isProven(before: sight) { known?.isSlight = false }
        let raw = sees(zone, sight)
        let isPuzzling = known?.isPuzzling ?? false
        let wasUndecided = known?.presence == .unknown
        if isPuzzling || wasUndecided, occasion == .suspect { return }
        let isOld = occasion == .opened || occasion == .arranged
        if let state = known, isPuzzling, isOld, raw.isAway(from: state.presence) {
            known?.since = now
            return
        }
        let state = known?.isShut == true || wasUndecided ? nil : known
        let mayBeNew =
            isNew && (occasion == .first || isOld) || wasUndecided
            || isPuzzling && [.fix, .silence, .alone].contains(occasion)
        var finding = Finding(
            sight: sight, occasion: occasion,
            before: state?.presence ?? (mayBeNew ? .unknown : .outside), after: .unknown, raw: raw,
            reason: .initial, wasUndecided: wasUndecided)
        find(&finding, zone, shape, state)
        finding.isPassed = isPassed(zone, shape, way, sight, finding.before, finding.after)
        settle(finding, zone, shape, state, at: now)
    }

    /// The presence after a fix, and its reason.
    private mutating func find(
        _ finding: inout Finding, _ zone: ConfiguredZone, _ shape: OracleShape, _ state: Known?
    ) {
        let (sight, before) = (finding.sight, finding.before)
        (finding.after, finding.reason) = see(
            zone, shape.distance(sight), margin: zone.margin(sight),
            from: finding.occasion == .first ? .unknown : before, isCoarse: zone.isCoarse(sight))
        if finding.after == .unknown { finding.after = before }
        let isDoubtful: Bool
        switch finding.occasion {
        case .fix where finding.after.isAway(from: before):
            isDoubtful =
                !endsAtOnce(state, sight, zone) && isUnsure(zone, shape, sight, before)
        case .fix:
            isDoubtful =
                zone.kind == .safe && finding.after == .inside
                && [.outside, .near].contains(before) && !hasCome(zone, shape, sight, state)
        case .arranged:
            isDoubtful = state?.doubtful != nil && finding.after.isAway(from: before)
        case .opened, .silence, .alone, .first, .suspect: isDoubtful = false
        }
        if isDoubtful { (finding.after, finding.reason) = (before, .unconfirmed) }
    }

    /// Emits the events of a finding and updates the state.
    private mutating func settle(
        _ finding: Finding, _ zone: ConfiguredZone, _ shape: OracleShape, _ state: Known?,
        at now: Timestamp
    ) {
        let (before, after) = (finding.before, finding.after)
        let isCoarse = finding.reason == .tooCoarse && zone.kind == .alert && after == .near
        let isClearer =
            state?.isCoarse == true && after == .near && finding.raw == .near && !isCoarse
        if finding.occasion == .suspect {
            return suspect(finding, state, at: now)
        } else if after == .unknown {
            if finding.wasUndecided { return }
            emit(.zoneSuppressed, .unknown, .unknown, .tooCoarse)
            known = Known(presence: .unknown, since: now, isSuppressed: true)
        } else if finding.isPassed {
            emit(.zoneEntered, before, .inside, .passedThrough)
            emit(.zoneExited, .inside, after, .passedThrough)
            let since = after == state?.presence ? state?.since : nil
            known = Known(presence: after, since: since ?? now)
            known?.hasDwelled = since != nil && state?.hasDwelled == true
        } else if after != finding.stood || isClearer {
            emit(finding, isCoarse: isCoarse)
            var next = Known(
                presence: after, since: (isClearer ? state?.since : nil) ?? now,
                isCoarse: isCoarse)
            let isSeen = finding.occasion == .fix || finding.occasion == .silence
            let wasSlight = before == .outside || before == .near && state?.isSlight == true
            let isNearer = before == .outside || after == .inside || isClearer
            next.isSlight =
                isSeen && before != .unknown && wasSlight && isNearer && state?.coming == nil
            known = next
        } else {
            known = state ?? Known(presence: finding.stood, since: now)
            stay(finding, zone, shape, state, at: now)
        }
        if known?.presence == .outside, known?.isSuppressed == false { known = nil }
    }

    /// A suspect changes nothing and is reported once.
    private mutating func suspect(_ finding: Finding, _ state: Known?, at now: Timestamp) {
        let stood = finding.stood
        guard finding.raw != stood, state?.isSuppressed != true else { return }
        known = state ?? Known(presence: stood, since: now)
        known?.isSuppressed = true
        emit(.zoneSuppressed, stood, stood, .suspect)
    }

    /// The presence stays, whatever the fix alone says.
    private mutating func stay(
        _ finding: Finding, _ zone: ConfiguredZone, _ shape: OracleShape, _ state: Known?,
        at now: Timestamp
    ) {
        let (sight, stood) = (finding.sight, finding.stood)
        let isHeldBack = finding.raw != finding.after
        if isAnother(sight), !isHeldBack { known?.isSlight = false }
        if isHeldBack, state?.isSuppressed != true {
            let isNamed = finding.reason == .unconfirmed || finding.reason == .tooCoarse
            emit(.zoneSuppressed, stood, stood, isNamed ? finding.reason : .withinMargin)
        }
        let coming = coming(zone, shape, sight, stood, state, finding.reason)
        known?.coming = coming
        known?.isSuppressed = isHeldBack || coming != nil
        if finding.reason != .unconfirmed || !finding.raw.isAway(from: stood) {
            known?.doubtful = nil
        } else if finding.occasion == .fix {
            let end = doubtEnd(zone, shape, sight, state, at: now)
            known?.doubtful = end
        }
    }

    /// Handles a closed zone: the presence is cleared and stored for the next opening.
    private mutating func shut(
        _ zone: ConfiguredZone, _ shape: OracleShape, _ sight: OracleSight,
        _ occasion: ZoneEvaluation,
        at now: Timestamp
    ) {
        if let state = known, state.counts, state.doubtful != nil, trust.suspect == nil {
            leaveAtLast(zone, sight, state.presence, at: now)
        }
        if let known, known.counts {
            emit(.zonePresenceCleared, known.presence, .unknown, .scheduleClosed)
        }
        var next = Known(presence: sees(zone, sight), since: now, isShut: true)
        if let known, occasion != .first, next.presence.isAway(from: known.presence),
            let doubt = doubt(zone, shape, sight, occasion, known)
        {
            (next.presence, next.isSuppressed) = (known.presence, true)
            if doubt == .oneFix {
                let isOld = occasion == .opened || occasion == .arranged
                next.doubtful =
                    isOld ? known.doubtful : doubtEnd(zone, shape, sight, known, at: now)
            }
        }
        let isSame =
            known?.isShut == true && known?.presence == next.presence
            && known?.isSuppressed == next.isSuppressed && known?.doubtful == next.doubtful
        if !isSame { known = next }
        if next.presence == .outside { known = nil }
    }

    /// Confirms an exit by one fix when the zone closes.
    private mutating func leaveAtLast(
        _ zone: ConfiguredZone, _ sight: OracleSight, _ before: Presence, at now: Timestamp
    ) {
        let distance = OracleShape(zone).distance(sight)
        let (after, reason) = see(
            zone, distance, margin: zone.margin(sight), from: before,
            isCoarse: zone.isCoarse(sight))
        guard after.isAway(from: before) else { return }
        emit(
            Finding(
                sight: sight, occasion: .alone, before: before, after: after, raw: after,
                reason: reason, wasUndecided: false), isCoarse: false)
        known = after == .outside ? nil : Known(presence: after, since: now)
    }

    /// Emits a change of presence.
    private mutating func emit(_ finding: Finding, isCoarse: Bool) {
        let (before, after, occasion) = (finding.before, finding.after, finding.occasion)
        let initial: CrossingReason? =
            switch occasion {
            case .first: .initial
            case .opened: .scheduleOpened
            case .arranged: before == .unknown ? .initial : .zoneChanged
            case .fix, .silence, .alone, .suspect:
                before != .unknown ? nil : finding.wasUndecided ? .initial : .scheduleOpened
            }
        if let initial { return emit(.zonePresenceEstablished, before, after, initial, isCoarse) }
        let why: CrossingReason =
            occasion == .silence
            ? .silence : occasion == .alone ? .uncontradicted : finding.reason
        if after == .inside {
            emit(.zoneEntered, before, after, why)
        } else if before == .inside {
            emit(.zoneExited, before, after, why)
        } else {
            emit(after == .near ? .zoneApproached : .zoneLeftVicinity, before, after, why, isCoarse)
        }
    }

    private mutating func emit(
        _ kind: EventKind, _ before: Presence, _ after: Presence, _ reason: CrossingReason,
        _ isCoarse: Bool = false
    ) {
        emit(
            Oracle.ExpectedEvent(
                kind: kind, zone: id, before: before, after: after, reason: reason,
                isCoarse: isCoarse))
    }

    private mutating func emit(_ what: Oracle.ExpectedEvent) {
        emitted.append(Emission(record: record, emitted: what, kind: kind, moment: moment))
    }
}
