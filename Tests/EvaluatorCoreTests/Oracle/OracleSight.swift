import Model

/// A fix on a flat earth, metres from the centre of ``World``.
struct OracleSight: Hashable {
    var north: Double
    var east: Double
    var time: Timestamp
    var device: DeviceID
    /// Metres.
    var accuracy: Double
    /// Metres a second.
    var speed: Double?

    init(_ report: Report) {
        let position = report.fix.position
        north = Double(position.latitudeE7 - World.middle.latitudeE7) * 110_574.276 / 1e7
        east = Double(position.longitudeE7 - World.middle.longitudeE7) * 111_319.491 / 1e7
        time = report.fix.time
        device = report.device
        let emitted = report.fix.accuracyCentimetres
        accuracy = emitted > 0 ? Double(emitted) / 100 : 50
        speed = report.fix.speedCentimetresPerSecond.map { Double($0) / 100 }
    }

    /// Nobody moves faster than 70 m/s. Within a minute, nobody moves faster than three times the
    /// larger reported speed plus 15 m/s. Both accuracies are taken off.
    func canBeFollowed(by later: OracleSight, isClose: inout Bool) -> Bool {
        let north = later.north - north
        let east = later.east - east
        let way = (north * north + east * east).squareRoot() - accuracy - later.accuracy
        let seconds = max(1, abs(Double((later.time - time).microseconds)) / 1_000_000)
        var fastest = 70.0
        if seconds <= 60, let one = speed, let other = later.speed {
            fastest = min(fastest, 3 * max(one, other) + 15)
        }
        if abs(way) < 0.05 || abs(way - fastest * seconds) < 0.05 { isClose = true }
        if way <= 0 || way <= fastest * seconds { return true }
        // As fast as both report, within a quarter.
        let whole = metres(to: later)
        guard let emitted = meanSpeed(with: later) else { return false }
        let expected = emitted * seconds
        let reserve = 0.25 * expected + accuracy + later.accuracy - abs(whole - expected)
        if abs(reserve) < 0.05 || abs(whole - 350 * seconds) < 0.05 { isClose = true }
        return reserve >= 0 && whole <= 350 * seconds
    }

    func metres(to later: OracleSight) -> Double {
        let (north, east) = (later.north - north, later.east - east)
        return (north * north + east * east).squareRoot()
    }

    private func meanSpeed(with later: OracleSight) -> Double? {
        switch (speed, later.speed) {
        case (let one?, let other?): (one + other) / 2
        case (let one?, nil): one
        case (nil, let other?): other
        case (nil, nil): nil
        }
    }

    /// How far a person can have moved from here to a later fix, metres, by what is known of their
    /// speed; nil after more than 5 min.
    func reach(
        to later: OracleSight, after previous: OracleSight?, acceleration: Double,
        isClose: inout Bool
    ) -> Double? {
        let seconds = seconds(to: later)
        if seconds > 300 { return nil }
        guard let speed else {
            var fastest = later.speed ?? 0
            if let previous, previous.points(through: self, to: later, isClose: &isClose) {
                fastest = max(fastest, previous.leastSpeed(to: self))
            }
            return max(acceleration / 2 * seconds * seconds, 1.5 * fastest * seconds)
        }
        let other = later.speed ?? speed
        return 1.5 * (seconds > 60 ? max(speed, other) : (speed + other) / 2) * seconds
    }

    /// Whether the movement from here through a fix leads nearer to a later fix than the fix itself
    /// is.
    private func points(
        through fix: OracleSight, to later: OracleSight, isClose: inout Bool
    ) -> Bool {
        let times = fix.seconds(to: later) / seconds(to: fix)
        let (north, east) = ((fix.north - north) * times, (fix.east - east) * times)
        let (offNorth, offEast) = (fix.north + north - later.north, fix.east + east - later.east)
        let expected = (north * north + east * east).squareRoot()
        let off = (offNorth * offNorth + offEast * offEast).squareRoot()
        if abs(off - expected) < 0.05 { isClose = true }
        return off < expected
    }

    /// Whether a later fix is farther than a person can have moved.
    func isTooFar(
        _ later: OracleSight, after previous: OracleSight?, acceleration: Double,
        isClose: inout Bool
    ) -> Bool {
        let reach = reach(
            to: later, after: previous, acceleration: acceleration, isClose: &isClose)
        guard let reach else { return false }
        let reserve = reach + accuracy + later.accuracy - metres(to: later)
        if abs(reserve) < 0.05 { isClose = true }
        return reserve < 0
    }

    /// Whether a person continued the movement, if neither this fix nor a later one reports a
    /// speed.
    func isOnTheWay(
        to later: OracleSight, after previous: OracleSight?, isClose: inout Bool
    ) -> Bool {
        guard speed == nil, later.speed == nil, let previous else { return false }
        let speed = previous.leastSpeed(to: self)
        if abs(speed - 1) < 0.01 { isClose = true }
        return OracleSight.areSteady(previous, self, later, isClose: &isClose) && speed >= 1
    }

    /// The minimum mean speed to a later fix, metres a second.
    private func leastSpeed(to later: OracleSight) -> Double {
        max(0, metres(to: later) - accuracy - later.accuracy) / seconds(to: later)
    }

    private func seconds(to later: OracleSight) -> Double {
        max(1, abs(Double((later.time - time).microseconds)) / 1_000_000)
    }

    /// Whether three consecutive fixes have the same direction and speed, within a quarter.
    static func areSteady(
        _ one: OracleSight, _ two: OracleSight, _ three: OracleSight, isClose: inout Bool
    ) -> Bool {
        let gaps = [(one, two), (two, three)].map { ($1.time - $0.time).components.seconds }
        guard one.time < two.time, two.time < three.time, gaps.allSatisfy({ $0 <= 300 }) else {
            return false
        }
        func seconds(_ from: OracleSight, _ to: OracleSight) -> Double {
            max(1, Double((to.time - from.time).microseconds) / 1_000_000)
        }
        let ratio = seconds(two, three) / seconds(one, two)
        let north = two.north + (two.north - one.north) * ratio - three.north
        let east = two.east + (two.east - one.east) * ratio - three.east
        let off = (north * north + east * east).squareRoot()
        let slack = two.accuracy + three.accuracy
        let reserves = [
            350 * seconds(one, two) - one.metres(to: two),
            350 * seconds(two, three) - two.metres(to: three),
            two.metres(to: three) / 4 + slack - off,
        ]
        if reserves.contains(where: { abs($0) < 0.05 }) { isClose = true }
        return reserves.allSatisfy { $0 >= 0 }
    }
}
