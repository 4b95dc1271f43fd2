import Model

// Rules for a fix and a zone.
extension OracleZoneLife {
    /// The presence by a fix alone.
    mutating func sees(_ zone: ConfiguredZone, _ sight: OracleSight) -> Presence {
        see(zone, OracleShape(zone).distance(sight), margin: 0, from: .unknown).after
    }

    /// The presence at a distance from the edge.
    mutating func see(
        _ zone: ConfiguredZone, _ distance: Double, margin: Double, from before: Presence,
        isCoarse: Bool = false
    ) -> (after: Presence, reason: CrossingReason) {
        let alert = Double(zone.alertDistanceMetres)
        let entering =
            zone.kind == .alert
            ? 0 : min(margin, Double(zone.geometry.inradiusCentimetres) / 400)
        for limit in [0, alert, margin, -entering, alert + margin] {
            if abs(distance - limit) < 0.05 { closeFrom = min(closeFrom, record) }
        }
        let away: Presence = alert > 0 && distance <= alert ? .near : .outside
        if isCoarse, before != .inside, distance <= 0 || zone.kind == .alert && away == .near {
            return (zone.kind == .alert ? .near : before, .tooCoarse)
        }
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

    /// Whether a person who is beyond by one fix may still be there: the fix before was not beyond,
    /// and this one is implausible, or is neither of a moving person nor far beyond.
    mutating func isUnsure(
        _ zone: ConfiguredZone, _ shape: OracleShape, _ sight: OracleSight, _ before: Presence
    ) -> Bool {
        let line = before == .near ? Double(zone.alertDistanceMetres) : 0
        let beyond = shape.distance(sight) - line
        var isClose = false
        defer { if isClose { closeFrom = min(closeFrom, record) } }
        func exceeds(_ value: Double, _ limit: Double) -> Bool {
            if abs(value - limit) < 0.05 { isClose = true }
            return value > limit
        }
        var isMoving = sight.speed ?? 0 >= 1
        if let last = trust.trusted {
            let near = min(last.accuracy, sight.accuracy) / 2
            let isTower = zone.isVague(sight) && !exceeds(last.metres(to: sight), near)
            if last.time < sight.time, !isTower,
                exceeds(shape.distance(last) - line, zone.margin(last))
            {
                return false
            }
            if last.isTooFar(sight, after: trust.previous, acceleration: 1, isClose: &isClose) {
                return true
            }
            if last.isOnTheWay(to: sight, after: trust.previous, isClose: &isClose) {
                isMoving = true
            }
        }
        let noise = max(Double(zone.hysteresisMetres), 4 * sight.accuracy)
        if isMoving, exceeds(beyond, noise) { return false }
        return !exceeds(beyond, 1000) || !exceeds(beyond, 10 * sight.accuracy)
    }

    /// When a person has left by one fix if no other arrives: 1,500 s divided by the multiple of
    /// its accuracy that it is beyond, but at least a minute.
    mutating func doubtEnd(
        _ zone: ConfiguredZone, _ shape: OracleShape, _ sight: OracleSight, _ state: Known?,
        at now: Timestamp
    ) -> Timestamp {
        var isClose = false
        defer { if isClose { closeFrom = min(closeFrom, record) } }
        let longest = patience(sight)
        let isTooFar = trust.trusted.map {
            $0.isTooFar(sight, after: trust.previous, acceleration: 1, isClose: &isClose)
        }
        let line = state?.presence == .near ? Double(zone.alertDistanceMetres) : 0
        let beyond = ((shape.distance(sight) - line) * 100).rounded()
        var wait = longest
        if isTooFar == false, beyond > 0 {
            let exact = 1500 * (sight.accuracy * 100).rounded() / beyond
            if abs(exact - exact.rounded()) < 0.02 { isClose = true }
            let asked = Duration.seconds(Int64(exact))
            wait =
                zone.isVague(sight) ? max(longest, asked) : min(longest, max(asked, .seconds(60)))
        }
        return min(state?.doubtful ?? .distantFuture, now + wait)
    }

    /// Whether fixes prove that a person is in a safe zone: one well inside that is plausible or
    /// follows one inside, or several for a while.
    mutating func hasCome(
        _ zone: ConfiguredZone, _ shape: OracleShape, _ sight: OracleSight, _ state: Known?
    ) -> Bool {
        guard let last = trust.trusted else { return false }
        let coming = last.time < sight.time ? state?.coming : nil
        let margin = zone.margin(sight)
        let depth = -shape.distance(sight)
        var isClose = abs(depth - margin) < 0.05 || abs(margin - zone.inradius / 2) < 0.05
        defer { if isClose { closeFrom = min(closeFrom, record) } }
        if depth > margin {
            let isTooFar = last.isTooFar(
                sight, after: trust.previous, acceleration: 0.5, isClose: &isClose)
            let toEdge = shape.distance(last)
            if abs(toEdge) < 0.05 { isClose = true }
            return coming != nil || !isTooFar || !zone.isVague(last) && toEdge < 0
        }
        let seconds: Int64 = margin > zone.inradius / 2 ? 60 : 300
        return coming.map { sight.time - $0 >= .seconds(seconds) } ?? false
    }

    /// Since when fixes show the person inside a safe zone without having entered, after this one.
    mutating func coming(
        _ zone: ConfiguredZone, _ shape: OracleShape, _ sight: OracleSight, _ stood: Presence,
        _ state: Known?, _ reason: CrossingReason
    ) -> Timestamp? {
        guard zone.kind == .safe, stood != .inside else { return nil }
        let distance = shape.distance(sight)
        let limit = state?.coming == nil ? 0 : zone.margin(sight) / 2
        if abs(distance - limit) < 0.05 { closeFrom = min(closeFrom, record) }
        if let coming = state?.coming { return distance <= limit ? coming : nil }
        return distance <= limit && reason == .unconfirmed ? sight.time : nil
    }

    enum Doubt { case tooClose, oneFix }

    /// Why a fix would not make the person leave the zone if it were open; nil if it would.
    mutating func doubt(
        _ zone: ConfiguredZone, _ shape: OracleShape, _ sight: OracleSight,
        _ occasion: ZoneEvaluation,
        _ state: Known
    ) -> Doubt? {
        let before = state.presence
        let margin = zone.margin(sight)
        let after = see(
            zone, shape.distance(sight), margin: margin, from: before,
            isCoarse: zone.isCoarse(sight)
        ).after
        guard after.isAway(from: before) else { return .tooClose }
        switch occasion {
        case .opened, .arranged: return state.isPuzzling || state.doubtful != nil ? .oneFix : nil
        case .fix where !endsAtOnce(state, sight, zone):
            return isUnsure(zone, shape, sight, before) ? .oneFix : nil
        case .fix, .silence, .alone, .first, .suspect: return nil
        }
    }

    /// Whether the path crosses the zone from well outside to well outside.
    mutating func isPassed(
        _ zone: ConfiguredZone, _ shape: OracleShape, _ way: OracleSight?, _ sight: OracleSight,
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
