import Geometry
import Model
import TestSupport

/// How people move from one fix to the next.
enum Walk: String, CaseIterable {
    /// Always up to 30 m in both directions.
    case always
    /// The same for 20 fixes, then 80 fixes within 4 m of the end.
    case rests

    static let fixes: UInt8 = 100

    /// Whether a person is moving after a number of fixes.
    func isOnTheWay(_ fixes: UInt8) -> Bool { self == .always || fixes < 20 }
}

/// A generated city: zones scattered over 60 km by 60 km, and people who walk in it.
struct City {
    static let middle = Coordinate(latitudeE7: 31_390_000, longitudeE7: 1_016_869_000)
    /// From the centre to each side, 10⁻⁷ degrees: 30 km.
    private static let half: Int32 = 2_700_000
    static let circle = CircleID(ID128(high: 1, low: 1))
    /// As long as those that ingest writes.
    private static let trace = "req_01k0000000000000000000000"

    let walk: Walk
    private(set) var random = SeededGenerator(seed: 4)
    private var places: [Coordinate] = []
    /// Index of each person's next fix in the walk.
    private var steps: [UInt8] = []
    private var now = Timestamp(seconds: 1_760_000_000)
    private var reports: UInt64 = 0
    private var polygons: [PreparedGeometry] = []

    init(_ walk: Walk = .always) { self.walk = walk }

    /// Three in ten zones are polygons with 6 to 12 corners, the others circles, with radii from 50
    /// to 250 m.
    mutating func zones(_ count: Int) throws -> [ConfiguredZone] {
        if polygons.isEmpty { polygons = try (0..<100).map { _ in try polygon() } }
        return try (0..<count).map { number in
            let middle = somewhere()
            let radius = Int32.random(in: 5000...25_000, using: &random)
            let shape = ZoneShape.circle(center: middle, radiusCentimetres: radius)
            var geometry = try prepare(shape)
            if number % 10 < 3 {
                // A shape moved from another position.
                let moved = polygons[number % polygons.count]
                geometry = PreparedGeometry(
                    origin: middle, coefficients: geometry.coefficients, radiusCentimetres: 0,
                    polygons: moved.polygons, inradiusCentimetres: moved.inradiusCentimetres,
                    reachCentimetres: moved.reachCentimetres)
            }
            return ConfiguredZone(
                Zone(
                    id: ZoneID(ID128(high: random.next(), low: random.next())),
                    owner: .circle(City.circle), name: "Sekolah Kebangsaan \(number)",
                    kind: number % 5 == 0 ? .alert : .safe, shape: shape, prepared: geometry))
        }
    }

    private mutating func polygon() throws -> PreparedGeometry {
        let corners = Int.random(in: 6...12, using: &random)
        // A square with randomly cut corners: it never intersects itself.
        let ring = (0..<corners).map { corner in
            let share = Double(corner) * 4 / Double(corners)
            let side = Int(share)
            let along = (share - Double(side)) * 2 - 1
            let (x, y) = [(along, -1.0), (1.0, along), (-along, 1.0), (-1.0, -along)][side]
            let reach = Double.random(in: 4500...22_500, using: &random)
            return Coordinate(
                latitudeE7: City.middle.latitudeE7 + Int32(y * reach),
                longitudeE7: City.middle.longitudeE7 + Int32(x * reach))
        }
        return try prepare(.polygons([Polygon(outer: ring)]))
    }

    private mutating func somewhere() -> Coordinate {
        Coordinate(
            latitudeE7: City.middle.latitudeE7
                + .random(in: -City.half...City.half, using: &random),
            longitudeE7: City.middle.longitudeE7
                + .random(in: -City.half...City.half, using: &random))
    }

    /// People to whom the city's zones apply.
    mutating func people(_ count: Int) -> [EventBody] {
        places = (0..<count).map { _ in somewhere() }
        steps = (0..<count).map { UInt8($0 % Int(Walk.fixes)) }
        return (0..<count).map { number in
            .inputPerson(
                ConfiguredPerson(
                    person: person(number), primaryDevice: nil, circles: [City.circle], zones: []))
        }
    }

    private func person(_ number: Int) -> PersonID {
        // Real ids are random; these are spread equally.
        var mixed = SeededGenerator(seed: UInt64(number))
        return PersonID(ID128(high: mixed.next(), low: mixed.next()))
    }

    /// The next fixes, each of a random person, or at first of one after the other.
    mutating func fixes(_ events: inout [Event], count: Int, first: Int? = nil) {
        events.removeAll(keepingCapacity: true)
        for offset in 0..<count {
            let number =
                first.map { $0 + offset } ?? Int.random(in: 0..<places.count, using: &random)
            reports += 1
            now = now + .milliseconds(1)
            let speed = walk.isOnTheWay(steps[number]) ? speed(number) : 0
            let fix = Fix(
                time: now, position: step(number),
                accuracyCentimetres: .random(in: 500...3000, using: &random),
                speedCentimetresPerSecond: speed)
            let report = Report(
                id: ReportID(ID128(high: random.next(), low: reports)), person: person(number),
                device: DeviceID(ID128(high: 3, low: UInt64(number))), fix: fix, received: now,
                trace: City.trace)
            events.append(
                Event(
                    id: EventID(ID128(high: 9, low: reports)), time: now, trace: City.trace,
                    body: .inputReport(report)))
        }
    }

    /// A constant speed of one step a second, as reported by phones.
    private func speed(_ number: Int) -> Int32 { 2000 + Int32(number * 37 % 800) }

    /// The next position of a person.
    private mutating func step(_ number: Int) -> Coordinate {
        let isOnTheWay = walk.isOnTheWay(steps[number])
        steps[number] = (steps[number] + 1) % Walk.fixes
        let most: Int32 = isOnTheWay ? 2700 : 360
        var place = places[number]
        place.latitudeE7 += .random(in: -most...most, using: &random)
        place.longitudeE7 += .random(in: -most...most, using: &random)
        if isOnTheWay { places[number] = place }
        return place
    }
}
