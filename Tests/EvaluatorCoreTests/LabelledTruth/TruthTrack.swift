import Glibc
import Model
import TestSupport

/// A true path and the fixes that a phone reports of it.
struct TruthTrack {
    struct Sample {
        var fix: Fix
        /// When the report arrives.
        var received: Timestamp
        var localPoint: TruthWay.LocalPoint
        /// Metres.
        var accuracy: Double
        /// Index in the true path.
        var second: Int
    }

    static let start = Timestamp(seconds: 1_760_000_000)

    let kind: TruthClass
    /// Metres.
    let radius: Double
    /// Seconds between fixes.
    let interval: Int
    let way: TruthWay
    private(set) var samples: [Sample] = []

    init(_ kind: TruthClass, seed: UInt64, interval: Int, seconds: Int) {
        self.kind = kind
        self.interval = interval
        var random = SeededGenerator(seed: seed)
        radius = kind.radii.randomElement(using: &random) ?? 100
        way = TruthWay(kind, radius: radius, seconds: seconds, &random)
        var phone = TruthPhone(kind, interval: interval, &random)
        for second in stride(from: 0, to: seconds, by: interval) {
            guard let seen = phone.see(way, at: second, &random) else { continue }
            samples.append(TruthTrack.sample(seen, at: second, &random))
        }
    }

    /// Seconds of the track.
    var duration: Int { way.spots.count }

    /// Distance of a fix beyond the edge, metres.
    func beyond(_ sample: Sample) -> Double {
        let localPoint = sample.localPoint
        return (localPoint.north * localPoint.north + localPoint.east * localPoint.east)
            .squareRoot() - radius
    }

    /// Whether the first fix is inside.
    var startsInside: Bool { samples.first.map { beyond($0) <= 0 } ?? false }

    static func time(_ second: Int) -> Timestamp { start + .seconds(second) }

    private static func sample(
        _ seen: TruthPhone.Sight, at second: Int, _ random: inout SeededGenerator
    ) -> Sample {
        let position = Coordinate(
            latitudeE7: World.middle.latitudeE7 + Int32(seen.localPoint.north * 1e7 / 110_574.276),
            longitudeE7: World.middle.longitudeE7 + Int32(seen.localPoint.east * 1e7 / 111_319.491))
        let fix = Fix(
            time: time(second), position: position,
            accuracyCentimetres: Int32(seen.accuracy * 100),
            speedCentimetresPerSecond: seen.speed.map { Int32($0 * 100) })
        let delay = Int.random(in: 200...3000, using: &random)
        return Sample(
            fix: fix, received: time(second) + .milliseconds(delay), localPoint: seen.localPoint,
            accuracy: seen.accuracy, second: second)
    }
}

/// Simulates the fixes that a phone reports.
struct TruthPhone {
    struct Sight {
        var localPoint: TruthWay.LocalPoint
        /// Metres.
        var accuracy: Double
        /// Metres a second; nil = not reported.
        var speed: Double?
    }

    private let kind: TruthClass
    private let interval: Int
    /// Deviation of noise on each axis, metres.
    private let deviation: Double
    /// Correlation time of noise, seconds.
    private let lasting: Double
    /// Reported accuracy divided by the true one.
    private let honesty: Double
    private let reportsSpeed: Bool
    private var noise = TruthWay.LocalPoint(north: 0, east: 0)
    private var tower: (leg: Int, offset: TruthWay.LocalPoint, accuracy: Double)?
    private var towerLeg = -1
    private var spike: (left: Int, offset: TruthWay.LocalPoint, accuracy: Double)?
    /// Fixes outside until the phone is switched off, and for how long.
    private var fixesLeft: Int
    private var isInside = false
    private var offUntil = 0

    init(_ kind: TruthClass, interval: Int, _ random: inout SeededGenerator) {
        self.kind = kind
        self.interval = interval
        deviation = kind == .canyon ? .random(in: 12...30, using: &random) : 5
        lasting = kind == .canyon ? 120 : 60
        honesty = .random(in: 0.7...1.2, using: &random)
        let isReporting = Bool.random(using: &random)
        reportsSpeed =
            isReporting || kind == .spikeWithSpeed || kind == .spikeWithoutSpeed
        fixesLeft = .random(in: 1...3, using: &random)
    }

    mutating func see(
        _ way: TruthWay, at second: Int, _ random: inout SeededGenerator
    ) -> Sight? {
        if kind == .dying, isOff(way, at: second, &random) { return nil }
        let share = exp(-Double(interval) / lasting)
        let rest = (1 - share * share).squareRoot() * deviation
        noise.north = noise.north * share + rest * random.normal()
        noise.east = noise.east * share + rest * random.normal()
        let truth = way.spots[second]
        var sight = Sight(
            localPoint: TruthWay.LocalPoint(
                north: truth.north + noise.north, east: truth.east + noise.east),
            accuracy: max(3, 1.515 * deviation * honesty * .random(in: 0.8...1.2, using: &random)),
            speed: reportsSpeed ? max(0, way.speeds[second] + 0.3 * random.normal()) : nil)
        if kind == .tower { seeTower(way.legs[second], truth, &sight, &random) }
        if kind.spikeEvery > 0 { throwAway(&sight, &random) }
        return sight
    }

    /// Switched off after the first to third fix outside, for one to three hours.
    private mutating func isOff(
        _ way: TruthWay, at second: Int, _ random: inout SeededGenerator
    ) -> Bool {
        if second < offUntil { return true }
        let isOutside = way.beyond(at: second) > 0
        defer { isInside = !isOutside }
        guard isOutside else { return false }
        if isInside {
            fixesLeft = .random(in: 1...3, using: &random)
        } else if fixesLeft == 0 {
            return false
        }
        fixesLeft -= 1
        if fixesLeft == 0 {
            offUntil = second + Int.random(in: 3600...10_800, using: &random)
        }
        return false
    }

    /// In half of all stays the phone sees only one cell tower.
    private mutating func seeTower(
        _ leg: Int, _ truth: TruthWay.LocalPoint, _ sight: inout Sight,
        _ random: inout SeededGenerator
    ) {
        guard leg % 2 == 0 else { return }
        if towerLeg != leg {
            towerLeg = leg
            tower = nil
            if Bool.random(using: &random) {
                let accuracy = 400 * pow(7.5, Double.random(in: 0...1, using: &random))
                let offset = TruthWay.LocalPoint(
                    north: accuracy / 1.515 * random.normal(),
                    east: accuracy / 1.515 * random.normal())
                tower = (leg, offset, accuracy)
            }
        }
        guard let tower else { return }
        sight = Sight(
            localPoint: TruthWay.LocalPoint(
                north: truth.north + tower.offset.north + 10 * random.normal(),
                east: truth.east + tower.offset.east + 10 * random.normal()),
            accuracy: tower.accuracy, speed: nil)
    }

    /// A wrong fix, 100 m to 3 km away; one in seven comes with a second one.
    private mutating func throwAway(_ sight: inout Sight, _ random: inout SeededGenerator) {
        if spike == nil, Int.random(in: 0..<kind.spikeEvery, using: &random) == 0 {
            let metres = 100 * pow(30, Double.random(in: 0...1, using: &random))
            let angle = Double.random(in: 0...(2 * .pi), using: &random)
            let isPair = Int.random(in: 0..<7, using: &random) == 0
            spike = (
                isPair ? 2 : 1,
                TruthWay.LocalPoint(north: metres * cos(angle), east: metres * sin(angle)),
                .random(in: 5...65, using: &random)
            )
        }
        guard var spike else { return }
        sight.localPoint.north += spike.offset.north
        sight.localPoint.east += spike.offset.east
        sight.accuracy = spike.accuracy
        sight.speed =
            kind == .spikeWithSpeed ? Double.random(in: 1...25, using: &random) : nil
        spike.left -= 1
        self.spike = spike.left == 0 ? nil : spike
    }
}

extension SeededGenerator {
    /// A normally distributed value with deviation 1.
    mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: 1e-12...1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0...1, using: &self))
    }
}
