import Model

/// The former rule, frozen for comparison with ``CurrentRule``. One person, one round zone, no
/// schedule, no alert distance.
struct OldRule {
    private struct Sight {
        var time: Timestamp
        var localPoint: TruthWay.LocalPoint
        /// Metres beyond the edge.
        var beyond: Double
        /// Metres.
        var accuracy: Double
        /// Metres a second.
        var speed: Double?
    }

    private enum Occasion { case fix, silence, alone }

    private let kind: ZoneKind
    private let radius: Double
    private let hysteresis = 20.0
    private var trusted: Sight?
    private var suspect: (sight: Sight, since: Timestamp)?
    private var usual: Int64 = 0
    private var isInside = false
    private var leaving: Timestamp?
    private var restsOnOneFix = false
    private var emitted: [EmittedCrossing] = []

    static func emitted(_ track: TruthTrack, _ kind: ZoneKind) -> [EmittedCrossing] {
        var rule = OldRule(kind: kind, radius: track.radius)
        for sample in track.samples {
            rule.pass(to: sample.received)
            let position = sample.fix.position
            let localPoint = TruthWay.LocalPoint(
                north: Double(position.latitudeE7 - World.middle.latitudeE7) * 110_574.276 / 1e7,
                east: Double(position.longitudeE7 - World.middle.longitudeE7) * 111_319.491 / 1e7)
            let accuracy = Double(sample.fix.accuracyCentimetres) / 100
            rule.apply(
                Sight(
                    time: sample.fix.time, localPoint: localPoint,
                    beyond: localPoint.metres(to: TruthWay.LocalPoint(north: 0, east: 0))
                        - track.radius,
                    accuracy: accuracy > 0 ? accuracy : 50,
                    speed: sample.fix.speedCentimetresPerSecond.map { Double($0) / 100 }),
                at: sample.received)
        }
        rule.pass(to: TruthTrack.time(track.duration))
        return rule.emitted
    }

    private init(kind: ZoneKind, radius: Double) {
        self.kind = kind
        self.radius = radius
    }

    private mutating func pass(to end: Timestamp) {
        while true {
            let suspectEnd = suspect.map { $0.since + .seconds(1800) } ?? .distantFuture
            let left = suspect == nil ? leaving ?? .distantFuture : .distantFuture
            guard min(suspectEnd, left) <= end else { return }
            if left <= suspectEnd, let trusted {
                leaving = nil
                decide(trusted, .alone, at: left)
            } else if let suspect {
                setTrusted(suspect.sight, .silence, at: suspectEnd)
            }
        }
    }

    private mutating func apply(_ sight: Sight, at now: Timestamp) {
        guard let trusted else {
            isInside = isRaw(sight)
            trusted = sight
            return
        }
        guard sight.time >= (suspect?.sight ?? trusted).time else { return }
        if canFollow(trusted, sight) {
            setTrusted(sight, .fix, at: now)
        } else if let suspect, canFollow(suspect.sight, sight) {
            setTrusted(suspect.sight, .fix, at: now)
            setTrusted(sight, .fix, at: now)
        } else {
            suspect = (sight, now)
        }
    }

    private mutating func setTrusted(_ sight: Sight, _ occasion: Occasion, at now: Timestamp) {
        let silent = trusted.map { (sight.time - $0.time).components.seconds } ?? 0
        if occasion == .fix, silent > patience(usual) { restsOnOneFix = false }
        decide(sight, occasion, at: now)
        trusted = sight
        if silent > 0 { usual = max(min(silent, 2000), usual - usual / 32) }
        suspect = nil
    }

    private mutating func decide(_ sight: Sight, _ occasion: Occasion, at now: Timestamp) {
        let isLater = trusted.map { $0.time < sight.time } ?? true
        let margin = margin(sight)
        let entering = kind == .alert ? 0 : min(margin, radius / 4)
        let mayLeave = isInside && sight.beyond > margin
        if mayLeave, occasion == .fix, !isSure(sight, isLater) {
            let silent = trusted.map { (sight.time - $0.time).components.seconds } ?? 0
            leaving = leaving ?? now + .seconds(patience(max(silent, usual)))
            return
        }
        let isIn = kind == .alert ? sight.beyond <= 0 : sight.beyond < -entering
        let mayEnter = !isInside && isIn
        if mayLeave || mayEnter {
            isInside = mayEnter
            (leaving, restsOnOneFix) = (nil, mayEnter)
            emitted.append(EmittedCrossing(time: now, isEnter: mayEnter))
        } else {
            leaving = nil
            if isLater, isRaw(sight) == isInside { restsOnOneFix = false }
        }
    }

    private func isRaw(_ sight: Sight) -> Bool {
        kind == .alert ? sight.beyond <= 0 : sight.beyond < 0
    }

    private func isSure(_ sight: Sight, _ isLater: Bool) -> Bool {
        if restsOnOneFix, isLater { return true }
        if let speed = sight.speed, speed >= 1,
            sight.beyond > max(hysteresis, 4 * sight.accuracy)
        {
            return true
        }
        guard let trusted, isLater else { return false }
        return trusted.beyond > margin(trusted)
    }

    private func margin(_ sight: Sight) -> Double {
        max(hysteresis, min(2 * sight.accuracy, max(200, sight.accuracy)))
    }

    private func patience(_ silent: Int64) -> Int64 {
        min(max(silent + silent / 9, 200), 2000)
    }

    private func canFollow(_ earlier: Sight, _ later: Sight) -> Bool {
        let way =
            earlier.localPoint.metres(to: later.localPoint) - earlier.accuracy - later.accuracy
        let seconds = max(1, Double((later.time - earlier.time).microseconds.magnitude) / 1e6)
        var fastest = 70.0
        if seconds <= 60, let one = earlier.speed, let other = later.speed {
            fastest = min(fastest, 3 * max(one, other) + 15)
        }
        return way <= 0 || way <= fastest * seconds
    }
}
