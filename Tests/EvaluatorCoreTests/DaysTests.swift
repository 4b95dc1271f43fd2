import EvaluatorCore
import Glibc
import Model
import TestSupport
import Testing

/// Days of somebody who stands, walks and drives among four zones, as phones of several kinds tell
/// of them: what is told against where they were.
@Suite struct DaysTests {
    @Test(arguments: Day.Phone.allCases)
    func `nothing is told that has not happened, however the phone reports`(phone: Day.Phone) {
        var crossings = 0
        for seed in 0..<6 as Range<UInt64> {
            var day = Day(seed: seed, phone, wrong: .never)
            let told = day.told()
            crossings += told.count
            for each in told { #expect(day.isTrue(each), "seed \(seed): \(each)") }
        }
        #expect(crossings > 20)
    }

    /// A fix a kilometre away after minutes of stillness cannot be told from leaving where no speed
    /// is known. One that reports that the phone stands, or comes too soon, can.
    @Test(arguments: [Day.Wrong.standing, .soon])
    func `nobody leaves by a wrong fix that can be told from a true one`(kind: Day.Wrong) {
        var wrong = 0
        for seed in 0..<8 as Range<UInt64> {
            var day = Day(seed: seed, .clock, wrong: kind)
            for exit in day.told() where !exit.isEnter {
                #expect(day.isTrue(exit), "seed \(seed): \(exit)")
            }
            wrong += day.wrong
        }
        #expect(wrong > 40)
    }
}

/// A day that is made of a seed.
struct Day {
    enum Phone: CaseIterable {
        /// Each minute to three.
        case clock
        /// When it has moved, and each half hour.
        case rarely
        /// When it has moved.
        case moved
        /// When it comes into a zone or is well out of it.
        case edges
    }

    /// When a phone that stands reports that it is somewhere else.
    enum Wrong {
        case never
        /// At any time; it reports speeds, and that it stands.
        case standing
        /// At most 20 s after a right one; it reports no speeds.
        case soon
    }

    /// A zone was entered or left.
    struct Crossing {
        var isEnter: Bool
        var zone: Int
        /// When the fix was taken, and when it was told, seconds from the beginning.
        var taken: Int64
        var told: Int64
    }

    /// Metres from the middle.
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

    /// Fixes that were wrong.
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

    /// Whether somebody was there at about the time of the fix or until it was told, or at least
    /// close by.
    func isTrue(_ crossing: Crossing) -> Bool {
        let last = crossing.isEnter ? crossing.taken + 120 : crossing.told
        let times = stride(from: crossing.taken - 120, through: last, by: 10)
        let distances = times.map { distance(of: crossing.zone, $0) }
        return distances.contains { crossing.isEnter ? $0 < 60 : $0 > 0 }
    }

    // MARK: Where they are

    /// Stands for a while, then goes somewhere.
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

    // MARK: What the phone tells

    /// All that was told of the day.
    mutating func told() -> [Crossing] {
        var world = World(zones: circles.indices.map(zone))
        let start = world.now
        var last: (time: Int64, place: Place)?
        var standing = 0
        var told: [Crossing] = []
        for time in stride(from: 0, to: Day.length, by: Int(Day.step)) {
            let here = place(at: time)
            let leg = leg(at: time)
            let isStill = leg.from == leg.to
            // Two have said where they are; one of any time may be wrong.
            let isWrong = isStill && standing > 1 && mayBeWrong(time, last?.time)
            guard isWrong || isDue(time, here, last) else { continue }
            last = (time, here)
            standing = isWrong || !isStill ? 0 : standing + 1
            let events = world.wait(
                seconds: (start + .seconds(time) - world.now).components.seconds)
            told += crossings(events, since: start, at: world.now)
            let report = report(here, isWrong: isWrong, isStill: isStill, &world)
            told += crossings(report, since: start, at: world.now)
        }
        return told
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
        // The radius that holds 68 % of fixes.
        let accuracy = isWrong ? draw(2, 30) : noise * 1.5
        return world.report(
            north: here.north + reach * cos(angle), east: here.east + reach * sin(angle),
            accuracy: accuracy, after: 0, speed: isStill && kind == .standing ? 0 : nil)
    }

    private func zone(_ index: Int) -> PlacedZone {
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
                told: (now - start).components.seconds)
        }
    }

    private mutating func draw(_ low: Double, _ high: Double) -> Double {
        .random(in: low...high, using: &random)
    }

    private mutating func chance(_ percent: Double) -> Bool { draw(0, 100) < percent }
}
