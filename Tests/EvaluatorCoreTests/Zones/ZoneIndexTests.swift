import EvaluatorCore
import Geometry
import Glibc
import Model
import TestSupport
import Testing

/// Indexed zones decide like scanned ones: the same zones in one circle, and in circles too small
/// for an index.
@Suite struct ZoneIndexTests {
    /// A few rounds; a million fixes with LONG_TESTS in the environment.
    private var worlds: UInt64 { getenv("LONG_TESTS") == nil ? 6 : 1200 }

    @Test(arguments: Place.all)
    func `indexed and scanned zones give identical outputs in the same order`(place: Place) {
        var crossings: [Bool: Int] = [:]
        for seed in 0..<worlds as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var zones = (0..<Int.random(in: 24...400, using: &random)).map {
                random.zone($0, of: place)
            }
            var pair = Pair()
            pair.configure(zones, own: Array(zones.prefix(60)))
            for step in 0..<150 {
                if step % 30 == 29 {
                    // Some zones are removed, added, or moved away from people inside.
                    zones.removeAll { _ in Int.random(in: 0..<10, using: &random) == 0 }
                    for _ in 0..<zones.count / 10 {
                        let number = Int.random(in: 0..<500, using: &random)
                        zones.removeAll { $0.id.raw.low == UInt64(number) }
                        zones.append(random.zone(number, of: place))
                    }
                    let own = zones.indices.randomElement(using: &random) ?? 0
                    pair.configure(zones, own: Array(zones[own...].prefix(60)))
                }
                pair.report(at: random.position(of: place, among: zones))
                for crossing in pair.emitted { crossings[crossing.inside, default: 0] += 1 }
                #expect(pair.emitted == pair.toldSlowly, "seed \(seed), step \(step)")
            }
        }
        #expect(crossings[true, default: 0] > 100 && crossings[false, default: 0] > 50)
    }

    @Test func `10,000 zones and fixes across a whole city`() {
        var random = SeededGenerator(seed: 10_000)
        let place = Place.city
        let zones = (0..<10_000).map { random.zone($0, of: place) }
        var pair = Pair()
        pair.configure(zones, own: [])
        var count = 0
        for step in 0..<60 {
            pair.report(at: random.position(of: place, among: zones))
            count += pair.emitted.count
            #expect(pair.emitted == pair.toldSlowly, "step \(step)")
        }
        #expect(count > 60)
    }

    @Test func `a person next seen on the other side of the earth has left`() {
        var random = SeededGenerator(seed: 4)
        let zones = (0..<100).map { random.zone($0, of: .city) }
        let home = zones[50].geometry.origin
        var pair = Pair()
        pair.configure(zones, own: [])
        pair.report(at: home)
        let entered = Set(pair.emitted.filter(\.inside).map(\.zone))
        #expect(entered.contains(zones[50].id))
        let there = Coordinate(latitudeE7: -home.latitudeE7, longitudeE7: -787_000_000)
        pair.report(at: there)
        // At this distance there is no wait.
        #expect(Set(pair.emitted.filter { !$0.inside }.map(\.zone)) == entered)
        #expect(pair.emitted == pair.toldSlowly)
        pair.report(at: there)
        #expect(pair.emitted.isEmpty && pair.toldSlowly.isEmpty)
    }

    @Test func `the first of two zones with the same id counts`() {
        let away = Coordinate(latitudeE7: 500_000_000, longitudeE7: 0)
        let twins = [ConfiguredZone.round(7), .round(7, at: away)]
        let others = (100..<140).map { ConfiguredZone.round($0, at: away) }
        for zones in [twins, twins + others] {
            var world = World()
            _ = world.configure(zones)
            #expect(world.report(north: 900).isEmpty)
            #expect(world.report(north: 0).marbles == "E")
            #expect(world.report(north: 0).isEmpty)
        }
    }
}

/// Where the world is.
enum Place: CaseIterable {
    case city, antimeridian, northPole, southPole, everywhere, huge

    static let all = Place.allCases

    fileprivate var middle: (latitude: Double, longitude: Double) {
        switch self {
        case .city: (3.139, 101.6869)
        case .antimeridian: (-16.9, 180)
        case .northPole: (90, 0)
        case .southPole: (-90, 0)
        case .everywhere, .huge: (0, 0)
        }
    }

    /// Metres; wide enough for visits, narrow enough for dense zones.
    fileprivate var width: Double {
        switch self {
        case .city, .antimeridian, .northPole, .southPole: 8000
        case .everywhere, .huge: 20_000_000
        }
    }

    fileprivate var radii: ClosedRange<Int32> {
        switch self {
        case .everywhere: 1...250_000
        case .huge: 200_000...250_000
        default: 1...900
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func position(of place: Place) -> Coordinate {
        let degrees = place.width / 111_000
        let (middle, east) = place.middle
        let around = Double.random(in: -1...1, using: &self)
        let north = Double.random(in: -1...1, using: &self) * min(degrees, 90)
        let latitude = abs(middle) == 90 ? middle - middle / 90 * abs(north) : middle + north
        let longitude =
            abs(middle) == 90 ? around * 180 : east + around * min(degrees, 180)
        return Coordinate(
            latitude: latitude, longitude: longitude > 180 ? longitude - 360 : longitude)
            ?? World.middle
    }

    /// A random position, one near a zone's edge, or its centre.
    fileprivate mutating func position(of place: Place, among zones: [ConfiguredZone]) -> Coordinate
    {
        guard Int.random(in: 0..<3, using: &self) > 0, let zone = zones.randomElement(using: &self)
        else { return position(of: place) }
        var position = zone.geometry.origin
        let reach = Int32(min(zone.geometry.reachCentimetres, 9_000_000))
        let step = Int32.random(in: 0...reach + 500, using: &self) * 9 / 10
        position.latitudeE7 += position.latitudeE7 > 0 ? -step : step
        return position
    }

    fileprivate mutating func zone(_ number: Int, of place: Place) -> ConfiguredZone {
        let middle = position(of: place)
        let radius = Int32.random(in: place.radii, using: &self)
        let kind: ZoneKind = Bool.random(using: &self) ? .safe : .alert
        let hysteresis = Int.random(in: 0...60, using: &self)
        if Bool.random(using: &self), abs(middle.latitude) < 80 {
            let up = Double(radius) / 111_000
            let ring = [(up, 0.0), (-up, up), (-up / 3, 0), (-up, -up)].compactMap { step in
                Coordinate(
                    latitude: middle.latitude + step.0,
                    longitude: middle.longitude + step.1 / 2)
            }
            if radius > 10, ring.count == 4,
                (try? prepare(.polygons([Polygon(outer: ring)]))) != nil
            {
                return .make(
                    UInt64(number), .polygons([Polygon(outer: ring)]), kind: kind,
                    hysteresis: hysteresis)
            }
        }
        return .round(
            UInt64(number), radius: radius, kind: kind, hysteresis: hysteresis, at: middle)
    }
}

/// The same world twice: its zones in one circle, and spread over many.
private struct Pair {
    private var state = PartitionState()
    private var slow = PartitionState()
    /// The outputs of the last fix without circle ids.
    private(set) var emitted: [ZoneCrossing] = []
    private(set) var toldSlowly: [ZoneCrossing] = []
    private var events: UInt64 = 0
    private var now = Timestamp(seconds: 1_760_000_000)
    /// Ranges of ids of the scanned circles; the first are the person's own zones.
    private static let ownCount = 25
    private static let count = ownCount + 500
    private static let share = 20

    /// - Parameter own: the person's own zones, with their own ids.
    mutating func configure(_ zones: [ConfiguredZone], own: [ConfiguredZone]) {
        let own = own.map { zone in
            var zone = zone
            zone.id = ZoneID(ID128(high: 3, low: zone.id.raw.low))
            return zone
        }
        var parts = [[ConfiguredZone]](repeating: [], count: Pair.count)
        for zone in own { parts[Int(zone.id.raw.low) / Pair.share].append(zone) }
        for zone in zones { parts[Pair.ownCount + Int(zone.id.raw.low) / Pair.share].append(zone) }
        handle(.inputCircle(ConfiguredCircle(circle: circle(0), zones: zones)), \.state)
        handle(.inputPerson(person([circle(0)], own: own)), \.state)
        for (number, part) in parts.enumerated() {
            handle(.inputCircle(ConfiguredCircle(circle: circle(number), zones: part)), \.slow)
        }
        handle(.inputPerson(person(parts.indices.map(circle), own: [])), \.slow)
    }

    mutating func report(at position: Coordinate) {
        // Long enough to reach any point on earth.
        now = now + .seconds(1_000_000)
        let fix = Fix(time: now, position: position, accuracyCentimetres: 1000)
        let report = Report(
            id: ReportID(ID128(high: 8, low: events)), person: World.person, device: World.phone,
            fix: fix, received: now)
        emitted = handle(.inputReport(report), \.state)
        toldSlowly = handle(.inputReport(report), \.slow)
    }

    @discardableResult
    private mutating func handle(
        _ body: EventBody, _ which: WritableKeyPath<Pair, PartitionState>
    ) -> [ZoneCrossing] {
        events += 1
        var outputs: [Event] = []
        let id = EventID(ID128(high: 9, low: events))
        self[keyPath: which].handle(Event(id: id, time: now, body: body), into: &outputs)
        return outputs.crossings.map { crossing in
            var crossing = crossing
            crossing.circle = nil
            return crossing
        }
    }

    private func circle(_ number: Int) -> CircleID {
        CircleID(ID128(high: 1, low: UInt64(number)))
    }

    private func person(_ circles: [CircleID], own: [ConfiguredZone]) -> ConfiguredPerson {
        ConfiguredPerson(
            person: World.person, primaryDevice: nil, circles: circles, zones: own)
    }
}
