import Geometry
import Model
import TestSupport
import Testing

@testable import EvaluatorCore

/// The fast path changes nothing: the same log with and without it leads to the same outputs and
/// states after every event.
@Suite struct FastPathTests {
    @Test func `a random log leads to the same outputs and states`() {
        for seed in 0..<40 as Range<UInt64> {
            let log = RandomLog(seed: seed, count: 300, logic: 2, isSlow: seed % 2 == 1)
            var twins = Twins(.two)
            for (position, event) in log.events.enumerated() {
                #expect(twins.handle(event) != nil, "seed \(seed), position \(position)")
            }
        }
    }

    @Test func `tracks of people lead to the same outputs and states`() {
        var skipped = 0
        for truthClass in TruthClass.allCases {
            for kind in ZoneKind.allCases {
                let track = TruthTrack(truthClass, seed: 7, interval: 60, seconds: 4 * 3600)
                var twins = Twins()
                for (position, event) in CurrentRule.run(track, kind).log.enumerated() {
                    #expect(twins.handle(event) != nil, "\(truthClass), \(kind), \(position)")
                }
                skipped += twins.fast.quietFixes
            }
        }
        #expect(skipped > 100, "\(skipped)")
    }

    /// Metres per step: standing, walking, driving.
    @Test(arguments: [3.0, 25, 400])
    func `moving people give the same results, and most fixes are skipped`(step: Double) {
        var spared = 0
        var fixes = 0
        var emitted = 0
        for seed in 0..<4 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var town = Town(&random, latitude: [3, 60, -16.9, 89.7][Int(seed % 4)])
            var twins = Twins()
            for number in 0..<500 {
                let body =
                    number % 125 == 0
                    ? town.circle(&random) : town.event(&random, metres: step, number: number)
                if number % 125 == 0 { _ = twins.handle(town.person(at: number)) }
                let event = town.event(body, number: number)
                let before = twins.fast.quietFixes
                let outputs = twins.handle(event)
                #expect(outputs != nil, "seed \(seed), step \(number)")
                emitted += outputs?.count ?? 0
                spared += twins.fast.quietFixes - before
                fixes += 1
            }
            #expect(twins.plain.quietFixes == 0)
        }
        #expect(emitted > 2, "\(emitted)")
        #expect(spared > fixes / (step < 100 ? 3 : 20), "\(spared) of \(fixes)")
    }

    @Test func `the filter ends with any configuration record`() {
        var world = World(zones: [])
        for _ in 0..<9 { #expect(world.report(north: 0).isEmpty) }
        #expect(world.state.quietFixes > 0)
        // A zone around the person.
        #expect(world.configure([.round()]).marbles == "!")
        for _ in 0..<40 { #expect(world.report(north: 0).isEmpty) }
        let spared = world.state.quietFixes
        #expect(world.configure([]).isEmpty)
        _ = world.report(north: 0)
        #expect(world.state.quietFixes == spared)
    }
}

/// A partition with the fast path, and the same one without.
private struct Twins {
    private(set) var fast: PartitionState
    private(set) var plain: PartitionState

    init(_ logics: EvaluatorLogics = .current) {
        fast = PartitionState(logics: logics)
        plain = fast
        plain.isFastPathDisabled = true
    }

    /// Handles an event in both, and returns the outputs; nil if they or the states differ.
    mutating func handle(_ event: Event) -> [Event]? {
        var outputs: [Event] = []
        var others: [Event] = []
        fast.handle(event, into: &outputs)
        plain.handle(event, into: &others)
        guard outputs == others, fast.encodedState() == plain.encodedState(),
            fast.waitsForWhatComesNext,
            plain.waitsForWhatComesNext
        else { return nil }
        return outputs
    }
}

/// One circle with many zones, and one person who moves.
private struct Town {
    private var position: Coordinate
    private let middle: Coordinate
    private var now = Timestamp(seconds: 1_760_000_000)

    init(_ random: inout SeededGenerator, latitude: Double) {
        // Next to the antimeridian, so that some people cross it.
        middle = Coordinate(latitude: latitude, longitude: 179.995) ?? World.middle
        position = middle
    }

    private func place(_ random: inout SeededGenerator, metres: Double) -> Coordinate {
        moved(
            middle, north: .random(in: -metres...metres, using: &random),
            east: .random(in: -metres...metres, using: &random))
    }

    private func moved(_ place: Coordinate, north: Double, east: Double) -> Coordinate {
        // Almost as wide as at the nearest pole.
        let (_, across) = widths
        var longitude = place.longitude + east / across
        if longitude > 180 { longitude -= 360 }
        if longitude < -180 { longitude += 360 }
        return Coordinate(
            latitude: min(max(place.latitude + north / 111_000, -90), 90), longitude: longitude)
            ?? place
    }

    /// Metres per degree north and east at this latitude.
    private var widths: (north: Double, east: Double) {
        let angle = middle.latitude * .pi / 180
        let cosine = 1 - angle * angle / 2 + angle * angle * angle * angle / 24
        return (111_000, max(111_000 * cosine, 600))
    }

    mutating func circle(_ random: inout SeededGenerator) -> EventBody {
        let zones = (0..<UInt64.random(in: 5...60, using: &random)).map {
            number -> ConfiguredZone in
            var zone = ConfiguredZone.round(
                number, radius: .random(in: 20...500, using: &random),
                kind: Bool.random(using: &random) ? .safe : .alert,
                hysteresis: .random(in: 0...60, using: &random),
                at: place(&random, metres: 6000))
            if Bool.random(using: &random) {
                zone.alertDistanceMetres = .random(in: 1...300, using: &random)
            }
            if Bool.random(using: &random) { zone.transitions.append(.cross) }
            zone.dwellSeconds = .random(in: 0...900, using: &random)
            return zone
        }
        return .inputCircle(ConfiguredCircle(circle: World.circle, zones: zones))
    }

    func person(at number: Int) -> Event {
        event(
            .inputPerson(
                ConfiguredPerson(
                    person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])),
            number: 100_000 + number)
    }

    mutating func event(
        _ random: inout SeededGenerator, metres: Double, number: Int
    ) -> EventBody {
        now = now + .seconds(30)
        // Sometimes far away and back again.
        if Int.random(in: 0..<200, using: &random) == 0 {
            position = place(&random, metres: 6000)
        }
        position = moved(
            position, north: .random(in: -metres...metres, using: &random),
            east: .random(in: -metres...metres, using: &random))
        let fix = Fix(
            time: now, position: position,
            accuracyCentimetres: .random(in: 0...9000, using: &random))
        return .inputReport(
            Report(
                id: ReportID(ID128(high: 8, low: UInt64(number))), person: World.person,
                device: World.phone, fix: fix, received: now))
    }

    func event(_ body: EventBody, number: Int) -> Event {
        Event(id: EventID(ID128(high: 9, low: UInt64(number))), time: now, body: body)
    }
}

extension PartitionState {
    /// Whether every person's cached first wait equals the recomputed one, which another owner
    /// would use.
    fileprivate var waitsForWhatComesNext: Bool {
        guard unknownLogic == nil, let rules = EvaluatorLogics.two.rules(of: logic) else {
            return true
        }
        return people.keys { _ in true }.allSatisfy { id in
            guard let index = people.index(of: id) else { return false }
            let person = people[index].withQuietFixes
            return person.waits.wake == person.nextWait(zones, rules)?.due ?? .distantFuture
        }
    }
}
