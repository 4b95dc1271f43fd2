import EvaluatorCore
import Geometry
import Model
import TestSupport

/// A random log of a partition, and the configuration at any cut.
struct RandomLog {
    private(set) var events: [Event] = []
    /// The configuration by the number of events before it.
    private(set) var configurations: [[Event]] = [[]]

    private var random: SeededGenerator
    private let people: [PersonID]
    private let circles: [CircleID]
    private let sets: [ZoneSetID]
    private var now = Timestamp(seconds: 1_760_000_000)
    private var placedCircles: [CircleID: Event] = [:]
    private var placedPeople: [PersonID: Event] = [:]
    private var placedPages: [ZoneSetID: [Int: Event]] = [:]
    private var signals: [EmergencyID] = []
    private var state = PartitionState(logics: .two)
    /// All scheduled deadlines so far, including cancelled ones.
    private var scheduled: [Deadline] = []
    /// Running presence deadlines and when their expiry arrives, which is seldom in time.
    private var running: [(deadline: Deadline, emitted: Timestamp)] = []
    /// Relative frequency of each kind of event.
    private let odds: [Int]
    /// Whether hours without records occur, and people move far away.
    private let isSlow: Bool

    /// - Parameters:
    ///   - logic: the newest version that the log switches to.
    ///   - isSlow: whether hours without records or deadlines occur, and people move far away, so
    ///     that waits of half an hour end by the next record.
    init(seed: UInt64, count: Int, logic: Int = 1, isSlow: Bool = false) {
        self.isSlow = isSlow
        random = SeededGenerator(seed: seed)
        people = (1...4).map { PersonID(ID128(high: seed &* 7 ^ $0, low: $0)) }
        circles = (1...3).map { CircleID(ID128(high: seed &* 5 ^ $0, low: $0)) }
        sets = (1...2).map { ZoneSetID(ID128(high: seed &* 3 ^ $0, low: $0)) }
        odds = [30, 3, 4, 3, 2, 1, 1, 2, 1, 1, 2, 4, 1, 2, 2, 3, 2, 2, 1, 1].map {
            $0 * (seed % 3 == 0 ? 1 : 2) - 1
        }
        for number in 0..<count {
            if isSlow, .random(in: 0..<8, using: &random) == 0 {
                pass(.random(in: 0...5000, using: &random))
            } else if Bool.random(using: &random) {
                pass(.random(in: 0...90, using: &random))
            }
            append(number == count / 2 ? .inputLogic(LogicVersion(version: logic)) : body(number))
        }
    }

    private mutating func append(_ body: EventBody) {
        let id = EventID(ID128(high: 77, low: UInt64(events.count)))
        let event = Event(id: id, time: now, trace: "req-\(events.count)", body: body)
        events.append(event)
        var outputs: [Event] = []
        state.handle(event, into: &outputs)
        for output in outputs {
            switch output.body {
            case .deadlineScheduled(let deadline):
                scheduled.append(deadline)
                let late: Int64 =
                    Bool.random(using: &random)
                    ? 0 : .random(in: 0...(isSlow ? 5000 : 200), using: &random)
                if deadline.kind != .countdown {
                    running.append((deadline, deadline.due + .seconds(late)))
                }
            case .deadlineCancelled(let deadline): running.removeAll { $0.deadline == deadline }
            default: break
            }
        }
        switch body {
        case .inputCircle(let circle): placedCircles[circle.circle] = event
        case .inputCircleRemoved(let removal): placedCircles[removal.circle] = nil
        case .inputPerson(let person): placedPeople[person.person] = event
        case .inputPersonRemoved(let removal): placedPeople[removal.person] = nil
        case .inputSet(let set): placedPages[set.set, default: [:]][set.page] = event
        case .inputSetRemoved(let removal): placedPages[removal.set] = nil
        default: break
        }
        configurations.append(
            circles.compactMap { placedCircles[$0] } + people.compactMap { placedPeople[$0] }
                + sets.flatMap { (placedPages[$0] ?? [:]).sorted { $0.key < $1.key }.map(\.value) })
    }

    /// Advances time and appends expired deadlines.
    private mutating func pass(_ seconds: Int64) {
        let end = now + .seconds(seconds)
        while let next = running.indices.min(by: { running[$0].emitted < running[$1].emitted }),
            running[next].emitted <= end
        {
            let (deadline, emitted) = running.remove(at: next)
            now = max(now, emitted)
            append(.inputDeadline(ExpiredDeadline(deadline: deadline, expired: now)))
        }
        now = end
    }

    private mutating func body(_ number: Int) -> EventBody {
        var draw = Int.random(in: 0..<odds.reduce(0, +), using: &random)
        let choice = odds.firstIndex { odd in
            draw -= odd
            return draw < 0
        }
        let person = pick(people)
        switch choice {
        case 0: return report(number, of: person)
        case 1:
            return .inputCircle(ConfiguredCircle(circle: pick(circles), zones: zones(shared: true)))
        case 2: return .inputPerson(place(person))
        case 3: return .inputSignal(signal(number, of: person))
        case 4: return .inputFallbackOpened(signal(number, of: person))
        case 5: return .inputPersonRemoved(PersonRemoval(person: person))
        case 6: return .inputCircleRemoved(CircleRemoval(circle: pick(circles)))
        case 7: return expired(person)
        case 8: return answer(number, of: person)
        case 9: return snapshot(number, of: person)
        case 11:
            let page = Int.random(in: 0...2, using: &random)
            return .inputSet(ConfiguredSet(set: pick(sets), page: page, zones: zones(ofPage: page)))
        case 12: return .inputSetRemoved(SetRemoval(set: pick(sets)))
        case 13:
            return .inputArming(
                Arming(person: person, armed: Int.random(in: 0..<4, using: &random) > 0, at: now))
        case 14:
            return .inputAlarmAnswer(
                AlarmAnswer(
                    person: person, zone: maybe(ZoneID.number(.random(in: 1...5, using: &random))),
                    action: pick(AlarmAnswer.Action.allCases), at: now))
        case 15, 16, 17, 18, 19: return silence(choice ?? 15, of: person)
        default:
            return .inputCancel(
                EmergencyCancel(
                    id: EventID(ID128(high: 6, low: UInt64(number))), person: person,
                    emergency: anySignal(), received: now))
        }
    }

    private mutating func silence(_ choice: Int, of person: PersonID) -> EventBody {
        switch choice {
        case 15:
            return .inputContactExpectation(
                ContactExpectation(
                    person: person, device: pick([World.phone, World.phone, World.tablet]),
                    contactTimeoutSeconds: pick([nil, 60, 60, 180, -1])))
        case 16:
            return .inputContact(
                Contact(person: person, kind: pick(Contact.Kind.allCases), at: now))
        case 17:
            let until = now + .seconds(.random(in: -10...1500, using: &random))
            return .inputWatch(
                WatchSpan(
                    person: person,
                    watch: WatchID(ID128(high: 7, low: .random(in: 1...2, using: &random))),
                    until: pick([until, until, nil])))
        case 18:
            let from = now - .seconds(.random(in: -5...200, using: &random))
            return .inputIntakeOutage(IntakeOutage(from: from, to: now))
        default: return .inputContactLossHold(ContactLossHold(isHeld: Bool.random(using: &random)))
        }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func maybe<Value>(_ value: Value) -> Value? {
        Bool.random(using: &random) ? value : nil
    }

    private mutating func position() -> Coordinate {
        if isSlow, .random(in: 0..<4, using: &random) == 0 {
            return Coordinate(
                latitudeE7: World.middle.latitudeE7 + 1_000_000,
                longitudeE7: World.middle.longitudeE7 + .random(in: 0...9, using: &random))
        }
        return Coordinate(
            latitudeE7: World.middle.latitudeE7 + .random(in: -40_000...40_000, using: &random),
            longitudeE7: World.middle.longitudeE7 + .random(in: -40_000...40_000, using: &random))
    }

    private mutating func fix() -> Fix {
        Fix(
            time: now - .seconds(.random(in: 0...(isSlow ? 2400 : 30), using: &random)),
            position: position(),
            accuracyCentimetres: .random(in: 0...5000, using: &random),
            altitudeCentimetres: maybe(4200),
            speedCentimetresPerSecond: maybe(pick([-1, 200, 900])),
            courseDegrees: maybe(359))
    }

    private mutating func report(_ number: Int, of person: PersonID) -> EventBody {
        .inputReport(
            Report(
                id: ReportID(ID128(high: 8, low: UInt64(number))), person: person,
                device: pick([World.phone, World.phone, World.tablet]), fix: fix(),
                battery: maybe(UInt8.random(in: 0...100, using: &random)),
                late: .random(in: 0..<8, using: &random) == 0, received: now))
    }

    private mutating func zones(shared: Bool) -> [ConfiguredZone] {
        let numbers: ClosedRange<UInt64> = shared ? 1...5 : 6...7
        return numbers.compactMap { number -> ConfiguredZone? in
            guard let number = maybe(number) else { return nil }
            var zone = ConfiguredZone.round(
                number, radius: .random(in: 50...400, using: &random),
                kind: pick([.safe, .alert]), active: .random(in: 0..<6, using: &random) > 0,
                hysteresis: .random(in: 0...60, using: &random), at: position())
            zone.priority = .random(in: 0...3, using: &random)
            zone.alertDistanceMetres = maybe(150) ?? 0
            zone.alarm.cycleSeconds = .random(in: 5...(isSlow ? 3600 : 60), using: &random)
            zone.alarm.sleepSeconds = .random(in: 0...90, using: &random)
            zone.messages = maybe([MessageID(ID128(high: 6, low: number % 3))]) ?? []
            if Int.random(in: 0..<20, using: &random) == 0 { zone.geometry.coefficients[0] = 77 }
            bother(&zone)
            return zone
        }
    }

    private mutating func zones(ofPage page: Int) -> [ConfiguredZone] {
        zones(shared: true).map { zone in
            zone.with { $0.id = ZoneID(ID128(high: UInt64(page) << 48, low: zone.id.raw.low)) }
        }
    }

    /// Gives a zone time-dependent settings. The log begins on a Thursday at 08:53 UTC.
    private mutating func bother(_ zone: inout ConfiguredZone) {
        zone.dwellSeconds = maybe(.random(in: 0...300, using: &random)) ?? 0
        if Bool.random(using: &random) { zone.transitions.append(.cross) }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let start = Int.random(in: 4840...4900, using: &random)
            let length = Int.random(in: 1...40, using: &random)
            zone.schedule = ZoneSchedule(
                windows: [
                    ZoneWindow(start: start, end: start + length),
                    ZoneWindow(start: start + length + 1, end: 5700),
                ])
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            zone.absentByMinute = .random(in: 533...580, using: &random)
        }
        // An hour is skipped in the middle of the log.
        let step = ZoneOffset(at: 1_760_001_000, offset: 3600)
        zone.clock = maybe(ZoneClock(timeZone: "Europe/Berlin", offsets: [step]))
    }

    private mutating func place(_ person: PersonID) -> ConfiguredPerson {
        ConfiguredPerson(
            person: person, primaryDevice: maybe(pick([World.phone, World.tablet])),
            circles: circles.compactMap { maybe($0) }, zones: zones(shared: false),
            sets: sets.compactMap { maybe($0) },
            unshared: circles.compactMap { circle in
                guard Int.random(in: 0..<4, using: &random) == 0 else { return nil }
                let until = now + .seconds(.random(in: -10...300, using: &random))
                return UnsharedCircle(circle: circle, until: maybe(until))
            }, zoneOptOuts: maybe([ZoneID.number(2)]) ?? [])
    }

    private mutating func signal(_ number: Int, of person: PersonID) -> EmergencySignal {
        let repeats = !signals.isEmpty && Int.random(in: 0..<4, using: &random) == 0
        let id = repeats ? pick(signals) : EmergencyID(ID128(high: 5, low: UInt64(number)))
        if !repeats { signals.append(id) }
        return EmergencySignal(
            id: id, person: person, trigger: pick(EmergencyTrigger.allCases),
            raised: now - .seconds(.random(in: 0...400, using: &random)), received: now,
            countdownEnds: now + .seconds(.random(in: -5...60, using: &random)),
            fix: maybe(fix()), battery: maybe(12), note: maybe("près du marché №\(number)"))
    }

    private mutating func anySignal() -> EmergencyID {
        signals.isEmpty ? EmergencyID(.zero) : pick(Array(signals.suffix(4)))
    }

    private mutating func expired(_ person: PersonID) -> EventBody {
        let signal = anySignal()
        let made = Deadline(
            id: DeadlineID(signal.raw), kind: .countdown, person: person, emergency: signal,
            due: now)
        return .inputDeadline(ExpiredDeadline(deadline: scheduled.last ?? made, expired: now))
    }

    private mutating func answer(_ number: Int, of person: PersonID) -> EventBody {
        let answer = EmergencyAnswer(
            emergency: anySignal(), person: person, by: maybe(pick(people)), at: now,
            note: maybe("on my way"), signals: maybe(signals) ?? [])
        return Bool.random(using: &random)
            ? .inputAcknowledgement(answer) : .inputResolution(answer)
    }

    private mutating func snapshot(_ number: Int, of person: PersonID) -> EventBody {
        let signals = (0...Int.random(in: 0...2, using: &random)).map {
            signal(number * 10 + $0, of: person)
        }
        return .inputEmergencySnapshot(
            EmergencySnapshot(
                emergency: signals[0].id, person: person, state: pick(EmergencyState.allCases),
                by: maybe(pick(people)), at: now, signals: signals))
    }
}

extension EvaluatorLogics {
    /// Two versions with different accuracy margins and late limits.
    static var two: EvaluatorLogics {
        var second = EvaluatorRules()
        second.accuracyFactorPercent = 50
        second.lateSignalSeconds = 30
        return EvaluatorLogics(oldest: 1, [EvaluatorRules(), second])
    }
}
