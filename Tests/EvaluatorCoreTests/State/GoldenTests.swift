import EvaluatorCore
import Model
import Testing

/// The same log always leads to the same state, bit by bit, because programs of different versions
/// and machines share partitions.
@Suite struct GoldenTests {
    /// Hashes of the state at a position, and of the ids of all outputs until there. A rule change
    /// needs a new logic version and leaves these unchanged.
    private static let golden: [GoldenRun.Mark] = [
        (0, 0xd0c2_a5e5_dd42_c929, 0x40bd_efd9_4169_e6ca),
        (1, 0xd0c2_a5e5_dd42_c929, 0x40bd_efd9_4169_e6ca),
        (50, 0xda50_cb9b_6ca8_6497, 0x67a2_96c8_ff62_b604),
        (200, 0x721c_ed9d_66ac_8042, 0x8d11_75a2_cd61_ed82),
        (500, 0x57d1_e938_4179_53db, 0x7557_ff8a_fb21_e32f),
        (1000, 0x1ac0_9b17_1bc4_38da, 0x7c48_e99e_0419_f7a6),
        (2000, 0x8201_c75b_185d_74a5, 0x4970_7ad0_25c8_346b),
    ]

    @Test func `states and outputs of a log are unchanged`() {
        GoldenRun(GoldenLog().events).expect(Self.golden)
    }

    @Test func `two evaluators agree at every position of a log`() throws {
        for seed in 200..<212 as Range<UInt64> {
            let log = RandomLog(seed: seed, count: 250, logic: 2)
            var one = PartitionState(logics: .two)
            var other = PartitionState(logics: .two)
            for (position, event) in log.events.enumerated() {
                // The other one is restored repeatedly and has other memory.
                if position % 40 == Int(seed % 40) {
                    other = try PartitionState(
                        configuration: log.configurations[position], state: other.encodedState(),
                        logics: .two)
                }
                var said: [Event] = []
                var saidToo: [Event] = []
                one.handle(event, into: &said)
                other.handle(event, into: &saidToo)
                try #require(said == saidToo, "seed \(seed), position \(position)")
                try #require(one.stateHash == other.stateHash, "seed \(seed), \(position)")
            }
        }
    }
}

/// A log that depends only on this file, neither on a generator nor on decisions.
private struct GoldenLog {
    private(set) var events: [Event] = []
    private var draws = MMIXDraws(seed: 1)

    init() {
        for number in 0..<2000 as Range<UInt64> {
            events.append(
                Event(
                    id: EventID(ID128(high: 9, low: number)), time: time(number),
                    trace: "req-\(number)", body: body(number)))
        }
    }

    private func time(_ number: UInt64) -> Timestamp {
        Timestamp(seconds: 1_760_000_000 + Int64(number) * 20)
    }

    private mutating func draw(_ below: Int32) -> Int32 { draws.draw(below) }

    private mutating func place() -> Coordinate {
        Coordinate(
            latitudeE7: 31_390_000 + draw(200_000) - 100_000,
            longitudeE7: 1_799_980_000 - draw(200_000))
    }

    private mutating func zones(_ count: UInt64) -> [ConfiguredZone] {
        (0..<count).map { number in
            let middle = place()
            var corners = [(-1, -1), (-1, 2), (0, 0), (2, 1)].map { north, east in
                Coordinate(
                    latitudeE7: middle.latitudeE7 + Int32(north) * 9000,
                    longitudeE7: middle.longitudeE7 - 20_000 + Int32(east) * 9000)
            }
            corners[0].latitudeE7 -= draw(9000)
            let shape: ZoneShape =
                number % 3 == 0
                ? .polygons([Polygon(outer: corners)])
                : .circle(center: middle, radiusCentimetres: 2000 + draw(30_000))
            return .make(
                number, shape, kind: number % 4 == 0 ? .alert : .safe, active: number % 7 != 6,
                hysteresis: Int(draw(50)), version: Int64(draw(9)))
        }
    }

    private func person(_ number: UInt64) -> PersonID { PersonID(ID128(high: 2, low: number % 7)) }

    private mutating func body(_ number: UInt64) -> EventBody {
        let who = person(number)
        let circle = CircleID(ID128(high: 1, low: number % 2))
        switch number % 50 {
        case 0, 1:
            return .inputCircle(ConfiguredCircle(circle: circle, zones: zones(20 + number % 31)))
        case 2...6:
            return .inputPerson(
                ConfiguredPerson(
                    person: who, primaryDevice: nil,
                    circles: [CircleID(ID128(high: 1, low: 0)), CircleID(ID128(high: 1, low: 1))],
                    zones: []))
        case 17, 23:
            return .inputSignal(
                EmergencySignal(
                    id: EmergencyID(ID128(high: 5, low: number)), person: who, trigger: .panic,
                    raised: time(number), received: time(number),
                    countdownEnds: time(number) + .seconds(10), fix: nil))
        case 31:
            return .inputResolution(
                EmergencyAnswer(
                    emergency: EmergencyID(ID128(high: 5, low: number - 14)),
                    person: person(number - 14), by: nil, at: time(number)))
        default:
            let fix = Fix(
                time: time(number), position: place(), accuracyCentimetres: draw(9) * 500)
            return .inputReport(
                Report(
                    id: ReportID(ID128(high: 8, low: number)), person: who,
                    device: DeviceID(ID128(high: 3, low: number % 7)), fix: fix,
                    late: draw(20) == 0, received: time(number)))
        }
    }
}
