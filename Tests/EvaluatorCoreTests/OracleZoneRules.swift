import Model

// The rules about a fix and a zone.
extension OracleZoneLife {
    /// Where a fix alone sees somebody.
    mutating func sees(_ zone: PlacedZone, _ sight: OracleSight) -> Presence {
        see(zone, OracleShape(zone).distance(sight), margin: 0, from: .unknown).after
    }

    /// Where somebody is so far from the edge.
    mutating func see(
        _ zone: PlacedZone, _ distance: Double, margin: Double, from before: Presence,
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
            if zone.kind == .alert { return (.near, .tooCoarse) }
            return (before == .unknown ? away : before, .tooCoarse)
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

    /// Whether somebody would leave by one fix that is beyond, but tells no speed of a walk or is
    /// not far beyond, while the one before it was not beyond.
    mutating func isUnsure(
        _ zone: PlacedZone, _ shape: OracleShape, _ sight: OracleSight, _ before: Presence,
        _ after: Presence
    ) -> Bool {
        guard after.isAway(from: before) else { return false }
        let line = before == .near ? Double(zone.alertDistanceMetres) : 0
        let beyond = shape.distance(sight) - line
        var isClose = false
        defer { if isClose { closeFrom = min(closeFrom, record) } }
        func exceeds(_ value: Double, _ limit: Double) -> Bool {
            if abs(value - limit) < 0.05 { isClose = true }
            return value > limit
        }
        if let last = trust.trusted, last.time < sight.time {
            let near = min(last.accuracy, sight.accuracy) / 2
            let isTower = zone.isVague(sight) && !exceeds(last.metres(to: sight), near)
            if !isTower, exceeds(shape.distance(last) - line, zone.margin(last)) {
                return false
            }
        }
        if let last = trust.trusted, last.refutes(sight, isClose: &isClose) { return true }
        let far = max(Double(zone.hysteresisMetres), 4 * sight.accuracy)
        if let speed = sight.speed, speed >= 1, exceeds(beyond, far) { return false }
        return !exceeds(beyond, 1000) || !exceeds(beyond, 10 * sight.accuracy)
    }

    /// When somebody has left by one fix, if no other comes: the same fix waits no longer than it
    /// did.
    mutating func doubtEnd(
        _ zone: PlacedZone, _ shape: OracleShape, _ sight: OracleSight, _ state: Known?,
        _ isOld: Bool, at now: Timestamp
    ) -> Timestamp {
        if isOld, let doubtful = state?.doubtful { return doubtful }
        var wait = patience(sight)
        var isClose = false
        if let last = trust.trusted, !last.refutes(sight, isClose: &isClose) {
            let line = state?.presence == .near ? Double(zone.alertDistanceMetres) : 0
            let beyond = ((shape.distance(sight) - line) * 100).rounded()
            let exact = 1500 * (sight.accuracy * 100).rounded() / beyond
            if abs(exact - exact.rounded()) < 0.02 { isClose = true }
            if beyond > 0 {
                let shrunk = Duration.seconds(Int64(exact))
                wait =
                    zone.isVague(sight)
                    ? max(wait, shrunk) : min(wait, max(shrunk, .seconds(60)))
            }
        }
        if isClose { closeFrom = min(closeFrom, record) }
        return state?.doubtful.map { min($0, now + wait) } ?? now + wait
    }

    /// Whether fixes show that somebody is in a safe zone: one well inside unless the speeds that
    /// are said disagree and the one before is not inside, too; one well inside after
    /// another that was not sure; or some for a while.
    mutating func hasCome(
        _ zone: PlacedZone, _ shape: OracleShape, _ sight: OracleSight, _ state: Known?
    ) -> Bool {
        guard let last = trust.trusted else { return false }
        let isLater = last.time < sight.time
        let margin = zone.margin(sight)
        let depth = -shape.distance(sight)
        var isClose = abs(depth - margin) < 0.05
        defer { if isClose { closeFrom = min(closeFrom, record) } }
        if depth > margin {
            if isLater, state?.coming != nil { return true }
            if !last.refutes(sight, isClose: &isClose) { return true }
            let toEdge = shape.distance(last)
            if abs(toEdge) < 0.05 { isClose = true }
            return !zone.isVague(last) && toEdge < 0
        }
        guard isLater, let coming = state?.coming else { return false }
        let isSmall = margin > zone.inradius / 2
        if abs(margin - zone.inradius / 2) < 0.05 { isClose = true }
        return sight.time - coming >= .seconds(isSmall ? 60 : 300)
    }

    enum Doubt { case tooClose, oneFix }

    /// Why nobody would leave the zone by a fix if it were open; nil if they would.
    mutating func doubt(
        _ zone: PlacedZone, _ shape: OracleShape, _ sight: OracleSight, _ occasion: Judgement,
        _ state: Known
    ) -> Doubt? {
        let before = state.presence
        let margin = zone.margin(sight)
        let after = see(
            zone, shape.distance(sight), margin: margin, from: before,
            isCoarse: zone.isCoarse(sight)
        ).after
        guard after.isAway(from: before) else { return .tooClose }
        let isOld = occasion == .opened || occasion == .arranged
        if isOld, state.isPuzzling { return .oneFix }
        let mayBeUnsure = occasion == .fix || isOld && state.doubtful != nil
        let isUnsure =
            mayBeUnsure && !endsAtOnce(state, sight, zone)
            && isUnsure(zone, shape, sight, before, after)
        return isUnsure ? .oneFix : nil
    }

    /// Through the zone from well outside to well outside.
    mutating func isPassed(
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
