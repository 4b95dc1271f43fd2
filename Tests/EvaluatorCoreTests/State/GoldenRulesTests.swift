import EvaluatorCore
import Model
import Testing

/// Like ``GoldenTests``, with people walking among zones that use every rule.
@Suite struct GoldenRulesTests {
    private static let golden: [GoldenRun.Mark] = [
        (200, 0x26b2_821a_5fe3_1249, 0x30a2_2f24_cbce_0600),
        (1000, 0x6275_dcf6_ad34_0ef7, 0x47d6_ba27_09f6_fbed),
        (3000, 0x9a92_aad7_be78_19ff, 0x643a_b9b4_57e2_3961),
    ]

    @Test func `every rule decides as before`() {
        let run = GoldenRun(WalkLog().events)
        run.expect(Self.golden)
        let kinds = Set(run.outputs.map(\.kind))
        let reasons = Set(run.outputs.compactMap(\.decision?.reason))
        // There is always contact with somebody.
        #expect(Set(CrossingReason.allCases).subtracting(reasons) == [.silence, .tooCoarse])
        let asked: Set<EventKind> = [
            .zoneEntered, .zoneExited, .zonePresenceEstablished, .zoneApproached, .zoneLeftVicinity,
            .zoneDwelled,
            .zonePresenceCleared, .zoneAbsent, .zoneSuppressed, .alarmStarted, .alarmRepeated,
            .alarmEnded,
            .messagesDue, .policyChanged,
            .deadlineScheduled, .deadlineCancelled,
        ]
        #expect(asked.subtracting(kinds).isEmpty)
    }
}

/// Fourteen hours of five people; depends only on this file.
private struct WalkLog {
    private(set) var events: [Event] = []
    private var draws = MMIXDraws(seed: 3)
    /// North and east of the centre, 10⁻⁷ degrees.
    private var places: [(north: Int32, east: Int32)] = Array(repeating: (0, 0), count: 5)

    private static let set = ZoneSetID(ID128(high: 6, low: 1))
    private static let middle = Coordinate(latitudeE7: 31_390_000, longitudeE7: 1_016_869_000)

    init() {
        for number in 0..<3000 as Range<UInt64> {
            events.append(
                Event(
                    id: EventID(ID128(high: 9, low: number)), time: time(number),
                    trace: "req-\(number)", body: body(number)))
        }
    }

    private func time(_ number: UInt64) -> Timestamp {
        Timestamp(seconds: 1_760_000_000 + Int64(number) * 17)
    }

    private mutating func draw(_ below: Int32) -> Int32 { draws.draw(below) }

    private func person(_ number: UInt64) -> PersonID {
        PersonID(ID128(high: 2, low: number % 5))
    }

    private mutating func zone(_ number: UInt64) -> ConfiguredZone {
        let center = Coordinate(
            latitudeE7: Self.middle.latitudeE7 + Int32(number % 3) * 30_000 - 30_000,
            longitudeE7: Self.middle.longitudeE7 + Int32(number / 3) * 30_000 - 30_000)
        return ConfiguredZone.make(
            number, .circle(center: center, radiusCentimetres: 6000 + draw(9000)),
            kind: number % 3 == 0 ? .alert : .safe
        ).with { zone in
            zone.priority = Int(number % 2)
            zone.alarm = ZoneAlarm(cycleSeconds: 30, sleepSeconds: 120)
            zone.alertDistanceMetres = number % 2 == 0 ? 60 : 0
            zone.dwellSeconds = number % 4 == 1 ? 90 : 0
            if number % 2 == 1 { zone.transitions.append(.cross) }
            if number > 6 { zone.messages = [MessageID(ID128(high: 7, low: number % 2))] }
            guard number == 4 || number == 5 else { return }
            zone.clock = ZoneClock(
                timeZone: "Asia/Kuala_Lumpur", firstOffset: 28_800,
                offsets: [ZoneOffset(at: 1_760_020_000, offset: 25_200)])
            // Every other hour.
            zone.schedule = ZoneSchedule(
                windows: (0..<84).map { ZoneWindow(start: $0 * 120, end: $0 * 120 + 60) })
            zone.absentByMinute = 20 * 60
        }
    }

    private mutating func fix(_ number: UInt64, of who: Int) -> Fix {
        // At most ±170 m, and back if that is too far away.
        let (north, east) = (places[who].north, places[who].east)
        places[who].north = north + draw(30_001) - 15_000 - north / 8
        places[who].east = east + draw(30_001) - 15_000 - east / 8
        let leap: Int32 = draw(40) == 0 ? 900_000 : 0
        return Fix(
            time: time(number),
            position: Coordinate(
                latitudeE7: Self.middle.latitudeE7 + places[who].north + leap,
                longitudeE7: Self.middle.longitudeE7 + places[who].east),
            accuracyCentimetres: draw(5) * 500, speedCentimetresPerSecond: draw(900))
    }

    private mutating func body(_ number: UInt64) -> EventBody {
        let turn = number % 200
        switch turn {
        case 0:
            return .inputCircle(
                ConfiguredCircle(circle: World.circle, zones: (0..<6).map { zone($0) }))
        case 1:
            return .inputSet(ConfiguredSet(set: Self.set, page: 0, zones: (6..<9).map { zone($0) }))
        case 2...6:
            let pause = UnsharedCircle(circle: World.circle, until: time(number) + .seconds(900))
            return .inputPerson(
                ConfiguredPerson(
                    person: person(turn), primaryDevice: nil, circles: [World.circle], zones: [],
                    sets: [Self.set], unshared: turn == 3 && number > 200 ? [pause] : [],
                    zoneOptOuts: turn == 4 ? [ZoneID(ID128(high: 4, low: 2))] : []))
        case 50, 70:
            return .inputArming(Arming(person: person(0), armed: turn == 70, at: time(number)))
        case 90, 95:
            return .inputAlarmAnswer(
                AlarmAnswer(
                    person: person(number / 200), zone: nil, action: turn == 90 ? .sleep : .close,
                    at: time(number)))
        case 110:
            return .inputSignal(
                EmergencySignal(
                    id: EmergencyID(ID128(high: 5, low: number)), person: person(2),
                    trigger: .panic, raised: time(number), received: time(number),
                    countdownEnds: time(number) + .seconds(10), fix: nil))
        case 125:
            return .inputResolution(
                EmergencyAnswer(
                    emergency: EmergencyID(ID128(high: 5, low: number - 15)), person: person(2),
                    by: nil, at: time(number)))
        default:
            let who = person(number)
            return .inputReport(
                Report(
                    id: ReportID(ID128(high: 8, low: number)), person: who,
                    device: DeviceID(ID128(high: 3, low: number % 5)),
                    fix: fix(number, of: Int(number % 5)), late: draw(30) == 0,
                    received: time(number)))
        }
    }
}
