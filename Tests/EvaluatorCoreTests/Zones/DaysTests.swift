import EvaluatorCore
import Glibc
import Model
import TestSupport
import Testing

/// Simulated days of a person who stands, walks and drives among four zones, reported by several
/// kinds of phones. Reported crossings are compared with the truth.
@Suite struct DaysTests {
    @Test(arguments: Day.Phone.allCases)
    func `no false crossing is reported, whatever the phone's reporting pattern`(phone: Day.Phone) {
        var crossings = 0
        for seed in 0..<6 as Range<UInt64> {
            var day = Day(seed: seed, phone, wrong: .never)
            let emitted = day.emitted()
            crossings += emitted.count
            for each in emitted { #expect(day.isTrue(each), "seed \(seed): \(each)") }
        }
        #expect(crossings > 20)
    }

    /// Without a known speed, a fix a kilometre away after minutes of rest is indistinguishable
    /// from leaving. A fix that reports standing, or arrives too soon, is distinguishable.
    @Test(arguments: [Day.Wrong.standing, .soon])
    func `no wrong fix that is distinguishable from a true one makes a person leave`(
        kind: Day.Wrong
    ) {
        var wrong = 0
        for seed in 0..<8 as Range<UInt64> {
            var day = Day(seed: seed, .clock, wrong: kind)
            for exit in day.emitted() where !exit.isEnter {
                #expect(day.isTrue(exit), "seed \(seed): \(exit)")
            }
            wrong += day.wrong
        }
        #expect(wrong > 40)
    }
}

/// A day generated from a seed.
struct Day {
    enum Phone: CaseIterable {
        /// Every one to three minutes.
        case clock
        /// After a move, and every half hour.
        case rarely
        /// After a move.
        case moved
        /// When it enters a zone or is well outside.
        case edges
    }

    /// When a standing phone reports another position.
    enum Wrong {
        case never
        /// At any time; it reports speeds and that it stands.
        case standing
        /// At most 20 s after a correct one; it reports no speeds.
        case soon
    }

    /// An entered or left zone.
    struct Crossing {
        var isEnter: Bool
        var zone: Int
        /// Time of the fix and of the report, seconds since the start.
        var taken: Int64
        var emitted: Int64
    }

    /// Metres from the centre.
    private struct Place: Equatable {
        var north: Double
        var east: Double

        func metres(to other: Place) -> Double { hypot(other.north - north, other.east - east) }
    }

    private struct Leg {
        var start: Double
        var end: Double
        var from: Place
        var to: Place
    }

    private static let length: Int64 = 86_400
    private static let step: Int64 = 10

    /// Wrong fixes.
    private(set) var wrong = 0
    private let phone: Phone
    private let kind: Wrong
    private var random: SeededGenerator
    private var circles: [(center: Place, radius: Double)] = []
    private var legs: [Leg] = []
    private var noise = 0.0
    private var interval: Int64 = 0

    init(seed: UInt64, _ phone: Phone, wrong kind: Wrong) {
        random = SeededGenerator(seed: seed)
        (self.phone, self.kind) = (phone, kind)
        for (north, east) in [(0.0, 0.0), (1500, 300), (-900, 800), (700, -600)] {
            circles.append((Place(north: north, east: east), draw(60, 200).rounded()))
        }
        noise = draw(3, 25)
        interval = Int64(draw(60, 180))
        while legs.last.map({ $0.end < Double(Day.length) }) ?? true { live() }
    }

    /// Whether the person was there, or close, at about the time of the fix or until it was
    /// reported.
    func isTrue(_ crossing: Crossing) -> Bool {
        let last = crossing.isEnter ? crossing.taken + 120 : crossing.emitted
        let times = stride(from: crossing.taken - 120, through: last, by: 10)
        let distances = times.map { distance(of: crossing.zone, $0) }
        return distances.contains { crossing.isEnter ? $0 < 60 : $0 > 0 }
    }

    // MARK: Truth

    /// Stands for a while, then moves.
    private mutating func live() {
        let here = legs.last?.to ?? Place(north: 0, east: 0)
        let start = legs.last?.end ?? 0
        let leaving = start + (chance(40) ? draw(300, 1500) : draw(2000, 20_000))
        legs.append(Leg(start: start, end: leaving, from: here, to: here))
        var there = Place(north: draw(-2500, 2500), east: draw(-2500, 2500))
        if chance(70), let circle = circles.randomElement(using: &random) {
            let angle = draw(0, 2 * .pi)
            let reach = chance(70) ? draw(0, 0.6) * circle.radius : circle.radius + draw(-30, 60)
            there = Place(
                north: circle.center.north + reach * cos(angle),
                east: circle.center.east + reach * sin(angle))
        }
        let way = here.metres(to: there)
        let speed = way < 1200 ? draw(1.1, 1.7) : draw(6, 20)
        legs.append(Leg(start: leaving, end: leaving + max(1, way / speed), from: here, to: there))
    }

    private func leg(at time: Int64) -> Leg {
        legs.first { Double(time) < $0.end } ?? legs[legs.count - 1]
    }

    private func place(at time: Int64) -> Place {
        let leg = leg(at: time)
        let share = max(0, (Double(time) - leg.start) / (leg.end - leg.start))
        return Place(
            north: leg.from.north + share * (leg.to.north - leg.from.north),
            east: leg.from.east + share * (leg.to.east - leg.from.east))
    }

    /// Metres to the zone's edge, negative inside.
    private func distance(of zone: Int, _ time: Int64) -> Double {
        place(at: time).metres(to: circles[zone].center) - circles[zone].radius
    }

    // MARK: Reports

    /// All reported crossings of the day.
    mutating func emitted() -> [Crossing] {
        var world = World(zones: circles.indices.map(zone))
        let start = world.now
        var last: (time: Int64, place: Place)?
        var standing = 0
        var emitted: [Crossing] = []
        for time in stride(from: 0, to: Day.length, by: Int(Day.step)) {
            let here = place(at: time)
            let leg = leg(at: time)
            let isStill = leg.from == leg.to
            // After two correct fixes, one at any time may be wrong.
            let isWrong = isStill && standing > 1 && mayBeWrong(time, last?.time)
            guard isWrong || isDue(time, here, last) else { continue }
            last = (time, here)
            standing = isWrong || !isStill ? 0 : standing + 1
            let events = world.wait(
                seconds: (start + .seconds(time) - world.now).components.seconds)
            emitted += crossings(events, since: start, at: world.now)
            let report = report(here, isWrong: isWrong, isStill: isStill, &world)
            emitted += crossings(report, since: start, at: world.now)
        }
        return emitted
    }

    private mutating func mayBeWrong(_ time: Int64, _ last: Int64?) -> Bool {
        switch kind {
        case .never: false
        case .standing: chance(0.5)
        case .soon: last.map { time - $0 <= 20 } ?? false && chance(3)
        }
    }

    private func isDue(
        _ time: Int64, _ here: Place, _ last: (time: Int64, place: Place)?
    ) -> Bool {
        guard let last else { return true }
        let hasMoved = here.metres(to: last.place) > 300
        switch phone {
        case .clock: return time - last.time >= interval
        case .rarely: return hasMoved || time - last.time >= 1800
        case .moved: return hasMoved
        case .edges:
            return circles.indices.contains { zone in
                let (before, now) = (distance(of: zone, time - Day.step), distance(of: zone, time))
                return before > -10 && now <= -10 || before <= 100 && now > 100
            }
        }
    }

    private mutating func report(
        _ here: Place, isWrong: Bool, isStill: Bool, _ world: inout World
    ) -> [Event] {
        if isWrong { wrong += 1 }
        let angle = draw(0, 2 * .pi)
        let reach = isWrong ? draw(200, 4000) : noise * (-2 * log(draw(1e-9, 1))).squareRoot()
        // The radius that contains 68 % of fixes.
        let accuracy = isWrong ? draw(2, 30) : noise * 1.5
        return world.report(
            north: here.north + reach * cos(angle), east: here.east + reach * sin(angle),
            accuracy: accuracy, after: 0, speed: isStill && kind == .standing ? 0 : nil)
    }

    private func zone(_ index: Int) -> ConfiguredZone {
        let (center, radius) = circles[index]
        let place = Coordinate(
            latitudeE7: World.middle.latitudeE7 + Int32(center.north * 1e7 / 110_574.276),
            longitudeE7: World.middle.longitudeE7 + Int32(center.east * 1e7 / 111_319.491))
        return .round(
            UInt64(index), radius: Int32(radius), kind: index == 2 ? .alert : .safe, at: place)
    }

    private func crossings(
        _ events: [Event], since start: Timestamp, at now: Timestamp
    ) -> [Crossing] {
        events.compactMap { event in
            guard event.kind == .zoneEntered || event.kind == .zoneExited,
                let crossing = event.decision
            else { return nil }
            return Crossing(
                isEnter: event.kind == .zoneEntered, zone: Int(crossing.zone.raw.low),
                taken: (crossing.fix.time - start).components.seconds,
                emitted: (now - start).components.seconds)
        }
    }

    private mutating func draw(_ low: Double, _ high: Double) -> Double {
        .random(in: low...high, using: &random)
    }

    private mutating func chance(_ percent: Double) -> Bool { draw(0, 100) < percent }
}
