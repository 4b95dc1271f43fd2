import Model

/// One zone and one person, from the beginning of the log to its end.
struct OracleZoneLife {
    private typealias Known = OracleKnown

    private enum Judgement {
        case fix, silence, alone, first, suspect, arranged, opened
    }

    private static let doubtRank = 0
    private static let dwellRank = 1
    private static let scheduleRank = 2
    private static let absenceRank = 3

    private(set) var told: [Telling] = []
    private(set) var closeFrom = Int.max
    let id: ZoneID
    private var kind = ZoneKind.safe
    private var moment = Moment()
    private var known: Known?
    private var setup = OracleSetup()
    private(set) var trust = OracleTrust()
    /// Of the last record.
    private var passed = Timestamp.zero
    /// Absences until here are settled.
    private var absentFrom = Timestamp.zero
    private var record = 0
    private var hours = OracleHours()

    init(_ id: ZoneID) { self.id = id }

    mutating func take(_ step: OracleHistory.Step) {
        record = step.record
        moment.phase = 0
        passWaits(to: step.time, rank: step.rank)
        moment = Moment(phase: 1, due: step.time, rank: step.rank)
        let now = step.time
        let isRecord = step.rank == OracleHistory.recordRank
        if isRecord { (passed, absentFrom) = (now, now) }
        switch step.act {
        case .pass: break
        case .judge(let sight, let judgement, let way):
            let occasion: Judgement =
                switch judgement {
                case .fix: .fix
                case .silence: .silence
                case .first: .first
                case .suspect: .suspect
                }
            decide(sight, occasion, way: way, isNew: trust.trusted == nil, at: now)
        case .arrange(let part): arrange(step, part, at: now)
        case .remove: known = nil
        }
        (setup, trust) = (step.setup, step.trust)
        moment.phase = 2
        if isRecord { passWaits(to: now, rank: step.rank) }
    }

    /// When time alone brings the person something of this zone first, after all that is over.
    mutating func nextDue() -> Timestamp? {
        let isJudging = setup.judging(id, at: passed) != nil
        return nextWaits().filter { isJudging || $0.1 != OracleZoneLife.absenceRank }
            .map(\.0).min()
    }

    private mutating func arrange(
        _ step: OracleHistory.Step, _ part: OracleHistory.OraclePart, at now: Timestamp
    ) {
        let moment = Timestamp(microseconds: now.microseconds - 1)
        let isPauseEnd = step.rank != OracleHistory.recordRank
        let old = setup.judging(id, at: isPauseEnd ? moment : now)
        setup = step.setup
        trust = step.trust
        let new = setup.judging(id, at: now)
        guard let trusted = trust.trusted else { return }
        let isNew = old == nil || old?.zone.kind != new?.zone.kind
        if let known, new == nil || isNew {
            if known.counts {
                tell(
                    .zoneForgotten, known.presence, .unknown,
                    new == nil ? .notJudged : .zoneChanged)
            }
            self.known = nil
        }
        // A device that leads newly is asked first.
        let leader = setup.person?.leadingDevice ?? trust.first
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

    /// What time brings until then, and what was due already.
    private mutating func passWaits(to end: Timestamp, rank: Int) {
        while let (due, kind) = nextWait(), (due, kind) < (end, rank) {
            let now = max(due, passed)
            (moment.due, moment.rank) = (due, kind)
            switch kind {
            case OracleZoneLife.doubtRank:
                known?.doubtful = nil
                trust.trusted.map { decide($0, .alone, way: nil, isNew: false, at: now) }
            case OracleZoneLife.dwellRank:
                known?.hasDwelled = true
                tell(.zoneDwelled, .inside, .inside, .stayed)
            case OracleZoneLife.scheduleRank:
                guard let trusted = trust.trusted else {
                    known = nil
                    return
                }
                decide(trusted, .opened, way: nil, isNew: true, at: now)
            default:
                absentFrom = due
                miss(at: due)
            }
        }
    }

    private mutating func nextWait() -> (Timestamp, Int)? { nextWaits().min { $0 < $1 } }

    private mutating func nextWaits() -> [(Timestamp, Int)] {
        var waits: [(Timestamp, Int)] = []
        if let known, let zone = setup.judging(id, at: passed)?.zone {
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

    /// When the zone would miss somebody next, whether it judges then or not.
    private mutating func nextAbsence() -> Timestamp? {
        guard let place = setup.zones.first(where: { $0.id == id }) else { return nil }
        hours.show(place.zone)
        return hours.absence(after: absentFrom)
    }

    private mutating func miss(at due: Timestamp) {
        guard let zone = setup.judging(id, at: due)?.zone,
            known?.presence != .inside || known?.doubtful != nil || known?.isPuzzling == true
        else { return }
        let since = due - .seconds(900)
        if let trusted = trust.trusted, trusted.time >= since, sees(zone, trusted) == .inside {
            return
        }
        let isDoubted = trust.suspect.map { sees(zone, $0) == .inside } ?? true
        let last = isDoubted ? trust.trusted : trust.suspect
        let hasContact = last.map { $0.time >= since } ?? false
        tell(Oracle.Told(kind: .zoneAbsent, zone: id, hasContact: hasContact))
    }

    // MARK: A fix

    private mutating func decide(
        _ sight: OracleSight, _ occasion: Judgement, way: OracleSight?, isNew: Bool,
        at now: Timestamp
    ) {
        guard let zone = setup.judging(id, at: now)?.zone else { return }
        kind = zone.kind
        let shape = OracleShape(zone)
        let raw = sees(zone, sight)
        hours.show(zone)
        guard hours.isOpen(at: now) else {
            guard occasion != .suspect else { return }
            return shut(zone, shape, sight, occasion, at: now)
        }
        if occasion == .fix, isProven(before: sight) { known?.isSlight = false }
        let isPuzzling = known?.isPuzzling ?? false
        if isPuzzling, occasion == .suspect { return }
        let isOld = occasion == .opened || occasion == .arranged
        if let state = known, isPuzzling, isOld, raw.isAway(from: state.presence) {
            known?.since = now
            return
        }
        let state = known?.isShut == true ? nil : known
        let mayBeNew =
            isNew && (occasion == .first || isOld)
            || isPuzzling && [.fix, .silence, .alone].contains(occasion)
        let before = state?.presence ?? (mayBeNew ? .unknown : .outside)
        var (after, reason) = see(
            zone, shape.distance(sight), margin: zone.margin(sight),
            from: occasion == .first ? .unknown : before)
        let mayBeUnsure = occasion == .fix || occasion == .arranged && state?.doubtful != nil
        let isDoubtful =
            mayBeUnsure && !endsAtOnce(state, sight) && isUnsure(zone, shape, sight, before, after)
        if isDoubtful { (after, reason) = (before, .unconfirmed) }
        let stood = before == .unknown ? .outside : before
        var next = state ?? Known(presence: stood, since: now)
        if occasion == .suspect {
            guard raw != stood, !next.isWithheld else { return }
            next.isWithheld = true
            tell(.zoneWithheld, stood, stood, .suspect)
        } else if isPassed(zone, shape, way, sight, before, after) {
            tell(.zoneEntered, before, .inside, .passedThrough)
            tell(.zoneExited, .inside, after, .passedThrough)
            if after != state?.presence { next = Known(presence: after, since: now) }
            (next.isWithheld, next.doubtful, next.isSlight) = (false, nil, false)
        } else if after != stood {
            tell(before, after, reason, occasion)
            next = Known(presence: after, since: now)
            let isSeen = (occasion == .fix || occasion == .silence) && before != .unknown
            let wasSlight = before == .outside || state?.isSlight == true
            next.isSlight = isSeen && wasSlight && (before == .outside || after == .inside)
        } else {
            if isAnother(sight), raw == after { next.isSlight = false }
            if raw != after, !next.isWithheld {
                tell(.zoneWithheld, stood, stood, isDoubtful ? .unconfirmed : .withinMargin)
            }
            next.isWithheld = raw != after
            next.doubtful = isDoubtful ? next.doubtful ?? now + patience(sight) : nil
        }
        known = next.presence == .outside && !next.isWithheld ? nil : next
    }

    /// The zone is closed: whoever was there is forgotten, and where they are is kept for when it
    /// opens.
    private mutating func shut(
        _ zone: PlacedZone, _ shape: OracleShape, _ sight: OracleSight, _ occasion: Judgement,
        at now: Timestamp
    ) {
        if let state = known, state.counts, state.doubtful != nil, trust.suspect == nil {
            leaveAtLast(zone, sight, state.presence, at: now)
        }
        if let known, known.counts {
            tell(.zoneForgotten, known.presence, .unknown, .scheduleClosed)
        }
        var next = Known(presence: sees(zone, sight), since: now, isShut: true)
        if let known, occasion != .first, next.presence.isAway(from: known.presence),
            let doubt = doubt(zone, shape, sight, occasion, known)
        {
            (next.presence, next.isWithheld) = (known.presence, true)
            if doubt == .oneFix { next.doubtful = known.doubtful ?? now + patience(sight) }
        }
        let isSame =
            known?.isShut == true && known?.presence == next.presence
            && known?.isWithheld == next.isWithheld && known?.doubtful == next.doubtful
        if !isSame { known = next }
        if next.presence == .outside { known = nil }
    }

    /// The zone closes around somebody who has left, as far as one fix says.
    private mutating func leaveAtLast(
        _ zone: PlacedZone, _ sight: OracleSight, _ before: Presence, at now: Timestamp
    ) {
        let distance = OracleShape(zone).distance(sight)
        let (after, reason) = see(zone, distance, margin: zone.margin(sight), from: before)
        guard after.isAway(from: before) else { return }
        tell(before, after, reason, .alone)
        known = after == .outside ? nil : Known(presence: after, since: now)
    }

    /// A change of presence, under its name.
    private mutating func tell(
        _ before: Presence, _ after: Presence, _ reason: CrossingReason, _ occasion: Judgement
    ) {
        switch occasion {
        case .first: return tell(.zoneInitial, before, after, .initial)
        case .opened: return tell(.zoneInitial, before, after, .scheduleOpened)
        case .arranged:
            return tell(
                .zoneInitial, before, after, before == .unknown ? .initial : .zoneChanged)
        case .fix, .silence, .alone, .suspect: break
        }
        if before == .unknown { return tell(.zoneInitial, before, after, .scheduleOpened) }
        let why: CrossingReason =
            occasion == .silence ? .silence : occasion == .alone ? .uncontradicted : reason
        if after == .inside {
            tell(.zoneEntered, before, after, why)
        } else if before == .inside {
            tell(.zoneExited, before, after, why)
        } else {
            tell(after == .near ? .zoneApproached : .zoneReceded, before, after, why)
        }
    }

    private mutating func tell(
        _ kind: EventKind, _ before: Presence, _ after: Presence, _ reason: CrossingReason
    ) {
        tell(Oracle.Told(kind: kind, zone: id, before: before, after: after, reason: reason))
    }

    private mutating func tell(_ what: Oracle.Told) {
        told.append(Telling(record: record, told: what, kind: kind, moment: moment))
    }

    // MARK: The rules

    /// Where a fix alone sees somebody.
    private mutating func sees(_ zone: PlacedZone, _ sight: OracleSight) -> Presence {
        see(zone, OracleShape(zone).distance(sight), margin: 0, from: .unknown).after
    }

    /// Where somebody is so far from the edge.
    private mutating func see(
        _ zone: PlacedZone, _ distance: Double, margin: Double, from before: Presence
    ) -> (after: Presence, reason: CrossingReason) {
        let alert = Double(zone.alertDistanceMetres)
        let entering =
            zone.kind == .alert
            ? 0 : min(margin, Double(zone.geometry.inradiusCentimetres) / 400)
        for limit in [0, alert, margin, -entering, alert + margin] {
            if abs(distance - limit) < 0.05 { closeFrom = min(closeFrom, record) }
        }
        let away: Presence = alert > 0 && distance <= alert ? .near : .outside
        switch before {
        case .unknown: return (distance <= 0 ? .inside : away, .initial)
        case .inside:
            return distance <= margin ? (.inside, .withinMargin) : (away, .outsideBeyondMargin)
        case .near, .outside:
            if zone.kind == .alert, distance <= 0 { return (.inside, .onEdgeOfAlertZone) }
            if zone.kind == .safe, distance < -entering { return (.inside, .insideBeyondMargin) }
        }
        guard before == .near else {
            return away == .near ? (.near, .withinAlertDistance) : (.outside, .withinMargin)
        }
        return alert > 0 && distance <= alert + margin
            ? (.near, .withinMargin) : (.outside, .beyondAlertDistance)
    }

    /// Whether somebody would leave by one fix that is beyond, but tells no speed of a walk or is
    /// not far beyond, while the one before it was not beyond.
    private mutating func isUnsure(
        _ zone: PlacedZone, _ shape: OracleShape, _ sight: OracleSight, _ before: Presence,
        _ after: Presence
    ) -> Bool {
        guard after.isAway(from: before) else { return false }
        let line = before == .near ? Double(zone.alertDistanceMetres) : 0
        let far = max(Double(zone.hysteresisMetres), 4 * sight.accuracy)
        var reserves: [Double] = []
        if let speed = sight.speed, speed >= 1 {
            reserves.append(shape.distance(sight) - line - far)
        }
        if let last = trust.trusted, last.time < sight.time {
            reserves.append(shape.distance(last) - line - zone.margin(last))
        }
        if reserves.contains(where: { abs($0) < 0.05 }) { closeFrom = min(closeFrom, record) }
        return reserves.allSatisfy { $0 <= 0 }
    }

    private enum Doubt { case tooClose, oneFix }

    /// Why nobody would leave the zone by a fix if it were open; nil if they would.
    private mutating func doubt(
        _ zone: PlacedZone, _ shape: OracleShape, _ sight: OracleSight, _ occasion: Judgement,
        _ state: Known
    ) -> Doubt? {
        let before = state.presence
        let margin = zone.margin(sight)
        let after = see(zone, shape.distance(sight), margin: margin, from: before).after
        guard after.isAway(from: before) else { return .tooClose }
        let isOld = occasion == .opened || occasion == .arranged
        if isOld, state.isPuzzling { return .oneFix }
        let mayBeUnsure = occasion == .fix || isOld && state.doubtful != nil
        let isUnsure =
            mayBeUnsure && !endsAtOnce(state, sight) && isUnsure(zone, shape, sight, before, after)
        return isUnsure ? .oneFix : nil
    }

    /// Through the zone from well outside to well outside.
    private mutating func isPassed(
        _ zone: PlacedZone, _ shape: OracleShape, _ way: OracleSight?, _ sight: OracleSight,
        _ before: Presence, _ after: Presence
    ) -> Bool {
        guard let way, zone.transitions.contains(.cross), before != .inside, after != .inside,
            before != .unknown,
            (way.north, way.east) != (sight.north, sight.east)
        else { return false }
        let reserve = shape.reserve(ofWayFrom: way, to: sight)
        let ends = [way, sight].map { shape.distance($0) - zone.margin($0) }
        if ([reserve] + ends).contains(where: { abs($0) < 0.05 }) {
            closeFrom = min(closeFrom, record)
        }
        return reserve < 0 && ends.allSatisfy { $0 > 0 }
    }
}
