import EvaluatorCore
import Geometry
import Glibc
import Model
import TestSupport
import Testing

@Suite struct PropertyTests {
    @Test(arguments: [ZoneKind.safe, .alert])
    func `20 m of noise never flaps at any point of the edge`(kind: ZoneKind) {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var world = World(zones: [.round(kind: kind)])
            let place = Double.random(in: 150...250, using: &random)
            var emitted = ""
            for _ in 0..<200 {
                world.advance(seconds: 30)
                let (north, east) = random.noise(radius: 20)
                emitted += world.report(north: place + north, east: east, accuracy: 20).marbles
            }
            #expect(emitted.count { "EX".contains($0) } <= 1, "seed \(seed): \(emitted)")
        }
    }

    @Test(arguments: [ZoneKind.safe, .alert])
    func `20 m of Gaussian noise at the edge never flaps`(kind: ZoneKind) {
        let zone = ConfiguredZone.round(kind: kind).with { $0.alertDistanceMetres = 150 }
        // At the edge and where near ends; a phone reports the radius that contains 68 % of its
        // fixes.
        for (place, marks) in [(200.0, "EX"), (350, "AR")] {
            for seed in 0..<60 as Range<UInt64> {
                var random = SeededGenerator(seed: seed)
                var world = World(zones: [zone])
                var emitted = ""
                for _ in 0..<200 {
                    let (north, east) = random.noise(sigma: 20)
                    emitted += world.report(north: place + north, east: east, accuracy: 30).marbles
                }
                #expect(
                    emitted.count { marks.contains($0) } <= 1,
                    "\(place) m, seed \(seed): \(emitted)")
            }
        }
    }

    @Test func `a walk with 20 m of noise reports each visit once`() {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var world = World(zones: [.round()])
            var emitted = ""
            // In, through the centre, out and back again, 10 m per step.
            for step in Array(0..<90) + Array((0..<90).reversed()) {
                world.advance(seconds: 10)
                let (north, east) = random.noise(radius: 20)
                let place = Double(step) * 10 - 450
                emitted += world.report(north: place + north, east: east, accuracy: 20).marbles
            }
            #expect(emitted == "EXEX", "seed \(seed): \(emitted)")
        }
    }

    @Test func `entries and exits alternate and match a brute-force check`() {
        for seed in 0..<30 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let zones = (1...6).map { number in
                ConfiguredZone.round(
                    number, radius: .random(in: 30...400, using: &random),
                    kind: Bool.random(using: &random) ? .safe : .alert,
                    at: World.middle.shifted(&random, by: 600))
            }
            var world = World(zones: zones)
            var inside: [ZoneID: Bool] = [:]
            for _ in 0..<400 {
                world.advance(seconds: 60)
                let outputs = world.report(
                    north: .random(in: -1500...1500, using: &random),
                    east: .random(in: -1500...1500, using: &random),
                    accuracy: .random(in: 1...120, using: &random))
                for crossing in outputs.crossings {
                    #expect(inside[crossing.zone, default: false] != crossing.inside)
                    inside[crossing.zone] = crossing.inside
                }
                #expect(outputs.count == Set(outputs.map(\.id)).count)
            }
            // A fix far from everything is outside of all zones.
            for crossing in world.report(north: 50_000, after: 3600, speed: 9).crossings {
                #expect(inside.updateValue(false, forKey: crossing.zone) == true)
            }
            #expect(inside.values.allSatisfy { !$0 })
        }
    }

    @Test func `the order of configuration does not affect decisions`() {
        var random = SeededGenerator(seed: 77)
        let people = (1...40).map { PersonID(ID128(high: random.next(), low: $0)) }
        let circles = (1...12).map { CircleID(ID128(high: random.next(), low: $0)) }
        let zones = circles.indices.map { circle in
            (1...5).map { number in
                ConfiguredZone.round(
                    UInt64(circle) * 10 + number, radius: .random(in: 100...900, using: &random),
                    at: World.middle.shifted(&random, by: 2000))
            }
        }
        let links = people.map { _ in Array(circles.shuffled(using: &random).prefix(4)) }
        var logs: [[EventBody]] = []
        for _ in 0..<2 {
            var log: [EventBody] = []
            for circle in circles.indices.shuffled(using: &random) {
                let shuffled = zones[circle].shuffled(using: &random)
                log.append(.inputCircle(ConfiguredCircle(circle: circles[circle], zones: shuffled)))
            }
            for person in people.indices.shuffled(using: &random) {
                let mine = links[person].shuffled(using: &random)
                log.append(
                    .inputPerson(
                        ConfiguredPerson(
                            person: people[person], primaryDevice: nil, circles: mine, zones: [])))
            }
            logs.append(log)
        }
        var inputs: [EventBody] = []
        for number in 0..<1500 as Range<UInt64> {
            let person = people.randomElement(using: &random) ?? people[0]
            inputs.append(
                random.input(number: number, person: person, at: Timestamp(seconds: Int64(number))))
        }
        let outputs = logs.map { log in
            var state = PartitionState()
            var outputs: [Event] = []
            for (number, body) in (log + inputs).enumerated() {
                let id = EventID(ID128(high: 0, low: UInt64(number)))
                let time = Timestamp(seconds: Int64(max(0, number - log.count)))
                state.handle(Event(id: id, time: time, body: body), into: &outputs)
            }
            return outputs
        }
        #expect(outputs[0] == outputs[1])
        #expect(outputs[0].count > 1000)
        #expect(Set(outputs[0].map(\.id)).count == outputs[0].count)
    }

    @Test func `the 64 partitions are independent`() throws {
        var core = EvaluatorCore()
        let one = try #require(Partition(1))
        let two = try #require(Partition(2))
        let circle = ConfiguredCircle(circle: World.circle, zones: [.round()])
        let person = ConfiguredPerson(
            person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])
        let fix = Fix(time: .zero, position: World.middle, accuracyCentimetres: 500)
        let report = Report(
            id: ReportID(.zero), person: World.person, device: World.phone, fix: fix,
            received: .zero)
        func emitted(_ partition: Partition) -> [Event] {
            var outputs: [Event] = []
            let bodies: [EventBody] =
                partition == one
                ? [.inputCircle(circle), .inputPerson(person), .inputReport(report)]
                : [.inputPerson(person), .inputReport(report)]
            for body in bodies {
                core.handle(
                    Event(id: EventID(.zero), time: .zero, body: body), in: partition,
                    into: &outputs)
            }
            return outputs
        }
        core.assign(one)
        core.assign(two)
        #expect(emitted(two).marbles.isEmpty)
        #expect(emitted(one).marbles == "!")
        core.revoke(one)
        #expect(core[one] == nil && core.people == 1)
        core.assign(one)
        #expect(emitted(one).marbles == "!")
    }
}

extension SeededGenerator {
    /// A random offset within a radius, metres.
    fileprivate mutating func noise(radius: Double) -> (north: Double, east: Double) {
        while true {
            let north = Double.random(in: -radius...radius, using: &self)
            let east = Double.random(in: -radius...radius, using: &self)
            if north * north + east * east < radius * radius * 0.99 { return (north, east) }
        }
    }

    /// A Gaussian offset by Box–Muller, metres.
    fileprivate mutating func noise(sigma: Double) -> (north: Double, east: Double) {
        let radius =
            sigma
            * (-2 * log(Double.random(in: Double.ulpOfOne...1, using: &self)))
            .squareRoot()
        let angle = Double.random(in: 0...2 * .pi, using: &self)
        return (radius * cos(angle), radius * sin(angle))
    }

    fileprivate mutating func input(
        number: UInt64, person: PersonID, at time: Timestamp
    ) -> EventBody {
        if number % 10 == 0 {
            return .inputSignal(
                EmergencySignal(
                    id: EmergencyID(ID128(high: 5, low: number)), person: person, trigger: .panic,
                    raised: time, received: time,
                    countdownEnds: time + .seconds(Int64(number % 20)), fix: nil))
        }
        let fix = Fix(
            time: time, position: World.middle.shifted(&self, by: 3000), accuracyCentimetres: 1500)
        return .inputReport(
            Report(
                id: ReportID(ID128(high: 8, low: number)), person: person, device: World.phone,
                fix: fix, received: time))
    }
}

extension Coordinate {
    fileprivate func shifted(_ random: inout SeededGenerator, by metres: Double) -> Coordinate {
        let units = Int32(metres / 0.0111)
        return Coordinate(
            latitudeE7: latitudeE7 + .random(in: -units...units, using: &random),
            longitudeE7: longitudeE7 + .random(in: -units...units, using: &random))
    }
}
