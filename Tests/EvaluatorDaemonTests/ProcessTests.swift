import Geometry
import Glibc
import Model
import TestSupport
import Testing
import Wire

/// The real program over real sockets.
@Suite struct ProcessTests {
    private static let circle = CircleID(ID128(high: 1, low: 1))
    private static let middle = Coordinate(latitudeE7: 31_390_000, longitudeE7: 1_016_869_000)
    private let people = (1...20).map { PersonID(ID128(high: 2, low: $0)) }

    private func configure(_ keeper: Keeper) throws {
        let shape = ZoneShape.circle(center: Self.middle, radiusCentimetres: 20_000)
        let zone = Zone(
            id: ZoneID(ID128(high: 4, low: 1)), owner: .circle(Self.circle), name: "School",
            shape: shape, prepared: try prepare(shape))
        for person in people {
            try keeper.append(
                .inputCircle(PlacedCircle(circle: Self.circle, zones: [PlacedZone(zone)])),
                of: person)
            try keeper.append(
                .inputPerson(
                    PlacedPerson(
                        person: person, leadingDevice: nil, circles: [Self.circle], zones: [])),
                of: person)
        }
    }

    /// Everybody goes out and in: from the second time on two events each.
    private func walk(_ keeper: Keeper, rounds: Range<Int64>) throws {
        for round in rounds {
            for (north, second) in [(Int32(40_000), Int64(0)), (0, 60)] {
                for person in people {
                    let position = Coordinate(
                        latitudeE7: Self.middle.latitudeE7 + north,
                        longitudeE7: Self.middle.longitudeE7)
                    let time = Timestamp(seconds: round * 120 + second)
                    let fix = Fix(time: time, position: position, accuracyCentimetres: 1000)
                    let id = ReportID(
                        ID128(high: person.raw.low, low: UInt64(round * 120 + second)))
                    let device = DeviceID(ID128(high: 3, low: person.raw.low))
                    try keeper.append(
                        .inputReport(
                            Report(
                                id: id, person: person, device: device, fix: fix, received: time)),
                        of: person)
                }
            }
        }
    }

    /// Entered in the first round, then exited and entered in each.
    private func isComplete(_ keeper: Keeper, rounds: Int) -> Bool {
        people.allSatisfy { person in
            let kinds = keeper.events(of: person).filter { $0.body.person == person }.map(\.kind)
            let more = Array(repeating: [EventKind.zoneExited, .zoneEntered], count: rounds - 1)
            return kinds == [.zoneEntered] + more.flatMap { $0 }
        }
    }

    @Test func `decides, is killed, and goes on without a hole or a repetition`() throws {
        let keeper = try Keeper()
        try configure(keeper)
        try walk(keeper, rounds: 0..<5)
        var evaluator = try keeper.startEvaluator()
        #expect(try keeper.run { isComplete(keeper, rounds: 5) })
        evaluator.process.send(SIGKILL)
        #expect(try keeper.run { evaluator.process.reap() != nil })
        try walk(keeper, rounds: 5..<10)
        evaluator = try keeper.startEvaluator()
        #expect(try keeper.run { isComplete(keeper, rounds: 10) })
        #expect(keeper.notices.allSatisfy { !$0.isAlarm })
        evaluator.process.send(SIGTERM)
        #expect(try keeper.run { evaluator.process.reap() != nil })
        #expect(evaluator.process.exitStatus == 0)
    }

    @Test func `two evaluators of one log say everything once`() throws {
        let keeper = try Keeper()
        let evaluators = [try keeper.startEvaluator(), try keeper.startEvaluator()]
        try configure(keeper)
        for round in 0..<10 as Range<Int64> {
            try walk(keeper, rounds: round..<round + 1)
            #expect(try keeper.run { isComplete(keeper, rounds: Int(round) + 1) })
        }
        #expect(keeper.notices.allSatisfy { !$0.isAlarm })
        for evaluator in evaluators { evaluator.process.send(SIGTERM) }
        #expect(try keeper.run { evaluators.allSatisfy { $0.process.reap() != nil } })
    }

    @Test func `is ready once it has read everything, and counts`() throws {
        let keeper = try Keeper()
        try configure(keeper)
        try walk(keeper, rounds: 0..<3)
        let evaluator = try keeper.startEvaluator()
        #expect(try keeper.run { evaluator.port != nil })
        let http = PlainHTTP(port: try #require(evaluator.port))
        #expect(try keeper.run { isComplete(keeper, rounds: 3) })
        #expect(try keeper.run { try http.send("GET", "/readyz").status == 200 })
        let metrics = try http.send("GET", "/metrics").text
        #expect(metrics.contains("jaga_evaluator_fixes_total 120\n"))
        #expect(metrics.contains("jaga_evaluator_outputs_total 100\n"))
        #expect(metrics.contains("jaga_evaluator_records_total 160\n"))
        #expect(try http.send("GET", "/v1/people").status == 404)
        evaluator.process.send(SIGTERM)
        #expect(try keeper.run { evaluator.process.reap() != nil })
    }

    @Test func `is not ready without ingest`() async throws {
        let base = FreePorts.base(of: [101, 201, 301])
        let evaluator = try Capture(
            Programs.path("jaga-evaluator"), [],
            environment: ["JAGA_PORT_BASE": "\(base)", "JAGA_HOME": "/tmp"])
        #expect(await eventually { evaluator.port != nil })
        let http = PlainHTTP(port: try #require(evaluator.port))
        #expect(try http.send("GET", "/readyz").status == 503)
        #expect(await evaluator.stop() == 0)
    }

    @Test func `logic of the future stops it, and it says so`() throws {
        let keeper = try Keeper()
        try configure(keeper)
        try keeper.append(.inputLogic(LogicVersion(version: 99)), of: people[0])
        let evaluator = try keeper.startEvaluator()
        #expect(try keeper.run { evaluator.port != nil })
        let http = PlainHTTP(port: try #require(evaluator.port))
        #expect(
            try keeper.run { try http.send("GET", "/healthz").text.contains("logic 99") })
        #expect(try http.send("GET", "/healthz").status == 503)
        evaluator.process.send(SIGTERM)
        #expect(try keeper.run { evaluator.process.reap() != nil })
    }
}

extension EventBody {
    fileprivate var person: PersonID? {
        switch self {
        case .zoneEntered(let crossing), .zoneExited(let crossing), .zoneInitial(let crossing):
            crossing.person
        default: nil
        }
    }
}
