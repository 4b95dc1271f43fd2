import EvaluatorCore
import Glibc
import Model
import TestSupport

/// Generates random logs of two people with zones of two circles, a set and their own.
struct OracleWorld {
    private(set) var log: [Event] = []
    /// By record: the core's events about people and zones.
    private(set) var emitted: [[(person: PersonID, emitted: Oracle.ExpectedEvent)]] = []
    /// By record: the core's events about alarms and deadlines.
    private(set) var alarms:
        [[(person: PersonID, alarm: AlarmID, emitted: OracleAlarms.ExpectedEvent)]] = []
    private(set) var deadlineChanges: [[(person: PersonID, emitted: OracleAlarms.DeadlineChange)]] =
        []

    static let people = [1, 2].map { PersonID(ID128(high: 2, low: $0)) }
    private static let circles = [1, 2].map { CircleID(ID128(high: 1, low: $0)) }
    private static let set = ZoneSetID(ID128(high: 6, low: 1))
    /// 2025-10-09T08:53:20Z.
    private static let start = Timestamp(seconds: 1_760_000_000)

    private var random: SeededGenerator
    private var state = PartitionState()
    private var now = start
    private var running: [(deadline: Deadline, emitted: Timestamp)] = []
    private var circles: [CircleID: [ConfiguredZone]] = [:]
    private var pages: [[ConfiguredZone]] = []
    private var placed: [ConfiguredPerson] = []
    private var isThere = [true, true]
    /// Metres north and east of the centre.
    private var places: [(north: Double, east: Double)] = [(0, 0), (100, 50)]
    /// Whether the person is far away.
    private var isAway = [false, false]
    /// Remaining fixes of a fast person, and their distance, metres.
    private var isFast = [0, 0]
    private var fastStep = 5000.0
    /// When the wall clock changes.
    private let change: ZoneOffset
    private let firstOffset: Int32
    /// Whether most zones alarm, people answer, and fixes are late and rare.
    private let isAlarming: Bool

    init(seed: UInt64, count: Int, isAlarming: Bool = false) {
        self.isAlarming = isAlarming
        random = SeededGenerator(seed: seed)
        firstOffset = [0, 28_800, -14_400].randomElement(using: &random) ?? 0
        change = ZoneOffset(
            at: OracleWorld.start.seconds + .random(in: 0...172_800, using: &random),
            offset: firstOffset + (Bool.random(using: &random) ? 3600 : -3600))
        // Many zones use the spatial index.
        let many = seed % 4 == 0 ? 40 : 4
        circles[OracleWorld.circles[0]] = (0..<many).map { zone(UInt64(100 + $0)) }
        circles[OracleWorld.circles[1]] = (0..<3).map { zone(UInt64(10 + $0)) }
        pages = (0..<2).map { page in (0..<2).map { zone(UInt64($0), page: UInt64(page)) } }
        placed = OracleWorld.people.indices.map { person(at: $0) }
        for circle in OracleWorld.circles { append(circle: circle) }
        for page in pages.indices { append(page: page) }
        for index in placed.indices { append(.inputPerson(placed[index])) }
        while log.count < count { step() }
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    // MARK: Events

    private mutating func step() {
        if let gone = isThere.firstIndex(of: false) {
            isThere[gone] = true
            return append(.inputPerson(placed[gone]))
        }
        if !chance(5) { pass() }
        let index = Int.random(in: 0...1, using: &random)
        if isAlarming, chance(12) { return answer(index) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<80: append(.inputReport(report(of: index)))
        case 80..<86: editCircle()
        case 86..<92:
            placed[index] = person(at: index)
            append(.inputPerson(placed[index]))
        case 92..<96:
            let page = Int.random(in: 0...1, using: &random)
            pages[page] = edited(
                pages[page], UInt64.random(in: 0...3, using: &random), UInt64(page))
            append(page: page)
        case 96:
            let circle = OracleWorld.circles[index]
            append(.inputCircleRemoved(CircleRemoval(circle: circle)))
        case 97: append(.inputSetRemoved(SetRemoval(set: OracleWorld.set)))
        case 98:
            isThere[index] = false
            append(.inputPersonRemoved(PersonRemoval(person: OracleWorld.people[index])))
        default: pass()
        }
    }

    private mutating func answer(_ index: Int) {
        let person = OracleWorld.people[index]
        guard chance(70) else {
            return append(.inputArming(Arming(person: person, armed: chance(70), at: now)))
        }
        let zones = circles.values.flatMap { $0 }.map(\.id).sorted()
        append(
            .inputAlarmAnswer(
                AlarmAnswer(
                    person: person, zone: chance(50) ? zones.randomElement(using: &random) : nil,
                    action: chance(80) ? .sleep : .close, at: now)))
    }

    private mutating func pass() {
        let seconds: Int64 =
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60: .random(in: 1...120, using: &random)
            case 60..<90: .random(in: 120...(isAlarming ? 2400 : 400), using: &random)
            case 90..<98: .random(in: 400...5000, using: &random)
            default: .random(in: 5000...100_000, using: &random)
            }
        let end = now + .seconds(seconds)
        while let next = running.indices.min(by: { running[$0].emitted < running[$1].emitted }),
            running[next].emitted <= end
        {
            let (deadline, time) = running.remove(at: next)
            now = max(now, time)
            append(.inputDeadline(ExpiredDeadline(deadline: deadline, expired: now)))
        }
        now = end
    }

    private mutating func append(_ body: EventBody) {
        let event = Event(
            id: EventID(ID128(high: 9, low: UInt64(log.count))), time: now, body: body)
        log.append(event)
        var outputs: [Event] = []
        state.handle(event, into: &outputs)
        emitted.append(outputs.compactMap(OracleWorld.emitted))
        alarms.append(outputs.compactMap(OracleWorld.alarm))
        deadlineChanges.append(outputs.compactMap(OracleWorld.deadline))
        for output in outputs {
            switch output.body {
            case .deadlineScheduled(let deadline) where deadline.kind == .presence:
                // In time, late, or after another record.
                let late: Int64 = chance(60) ? 0 : .random(in: 1...900, using: &random)
                if !chance(15) { running.append((deadline, deadline.due + .seconds(late))) }
            case .deadlineCancelled(let deadline): running.removeAll { $0.deadline == deadline }
            default: break
            }
        }
    }

    private static func emitted(_ output: Event) -> (
        person: PersonID, emitted: Oracle.ExpectedEvent
    )? {
        if case .zoneAbsent(let absence) = output.body {
            return (
                absence.person,
                Oracle.ExpectedEvent(
                    kind: output.kind, zone: absence.zone, hasContact: absence.hasContact)
            )
        }
        return output.decision.map { crossing in
            (
                crossing.person,
                Oracle.ExpectedEvent(
                    kind: output.kind, zone: crossing.zone, before: crossing.before,
                    after: crossing.after, reason: crossing.reason,
                    isCoarse: crossing.coarse)
            )
        }
    }

    private static func alarm(
        _ output: Event
    ) -> (person: PersonID, alarm: AlarmID, emitted: OracleAlarms.ExpectedEvent)? {
        switch output.body {
        case .alarmStarted(let change), .alarmRepeated(let change), .alarmEnded(let change):
            (
                change.person, change.alarm,
                OracleAlarms.ExpectedEvent(
                    kind: output.kind, zone: change.zone, presence: change.presence,
                    rings: change.rings,
                    isAudible: change.isAudible, initial: change.initial, end: change.end)
            )
        default: nil
        }
    }

    private static func deadline(
        _ output: Event
    ) -> (person: PersonID, emitted: OracleAlarms.DeadlineChange)? {
        switch output.body {
        case .deadlineScheduled(let deadline):
            (deadline.person, OracleAlarms.DeadlineChange(due: deadline.due, isWanted: true))
        case .deadlineCancelled(let deadline):
            (deadline.person, OracleAlarms.DeadlineChange(due: deadline.due, isWanted: false))
        default: nil
        }
    }

    // MARK: Fixes

    private mutating func report(of index: Int) -> Report {
        walk(index)
        let age: Int64 =
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<(isAlarming ? 10 : 16): 0
            case ..<(isAlarming ? 14 : 19): .random(in: 0...60, using: &random)
            default: .random(in: 60...(isAlarming ? 2400 : 1300), using: &random)
            }
        let speed: Int32? = chance(50) ? nil : .random(in: 0...3000, using: &random)
        let fix = Fix(
            time: now - .seconds(age), position: position(places[index]),
            accuracyCentimetres: accuracy(),
            speedCentimetresPerSecond: speed)
        let device = DeviceID(ID128(high: 3, low: UInt64(index * 10 + (chance(12) ? 2 : 1))))
        return Report(
            id: ReportID(ID128(high: 8, low: UInt64(log.count))), person: OracleWorld.people[index],
            device: device, fix: fix, late: chance(4), received: now)
    }

    /// Accurate, unknown, or that of a cell tower.
    private mutating func accuracy() -> Int32 {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10: 0
        case ..<88: .random(in: 100...9000, using: &random)
        default: .random(in: 9000...200_000, using: &random)
        }
    }

    private func position(_ place: (north: Double, east: Double)) -> Coordinate {
        Coordinate(
            latitudeE7: World.middle.latitudeE7 + Int32(place.north * 1e7 / 110_574.276),
            longitudeE7: World.middle.longitudeE7 + Int32(place.east * 1e7 / 111_319.491))
    }

    private mutating func walk(_ index: Int) {
        if isFast[index] > 0 {
            // Three times in the same direction.
            isFast[index] -= 1
            places[index].north += fastStep
            return
        }
        if chance(3) { (isFast[index], fastStep) = (3, chance(50) ? 5000 : -5000) }
        if isAway[index] ? chance(30) : chance(5) {
            // A jump, or another fix at the last jump's position.
            if !isAway[index] { places[index].north += chance(50) ? 9000 : -9000 }
            isAway[index] = true
            places[index].east += .random(in: -20...20, using: &random)
            return
        }
        isAway[index] = false
        let zones = circles.sorted { $0.key < $1.key }.flatMap(\.value) + pages.flatMap { $0 }
        if chance(45), let zone = zones.randomElement(using: &random) {
            let angle = Double.random(in: 0...2 * .pi, using: &random)
            let reach =
                Double(zone.geometry.reachCentimetres) / 100
                * .random(in: 0.3...1.4, using: &random)
            let origin = zone.geometry.origin
            let north = Double(origin.latitudeE7 - World.middle.latitudeE7) / 90.44
            let east = Double(origin.longitudeE7 - World.middle.longitudeE7) / 89.83
            places[index] = (north + reach * cos(angle), east + reach * sin(angle))
        } else {
            let far = chance(20) ? 2500.0 : 150
            let (north, east) = places[index]
            let back = abs(north) > 3000 ? 0 : north
            places[index] = (
                back + .random(in: -far...far, using: &random),
                max(-3000, min(3000, east + .random(in: -far...far, using: &random)))
            )
        }
    }

    // MARK: Configuration

    private mutating func append(circle: CircleID) {
        append(.inputCircle(ConfiguredCircle(circle: circle, zones: circles[circle] ?? [])))
    }

    private mutating func append(page: Int) {
        append(.inputSet(ConfiguredSet(set: OracleWorld.set, page: page, zones: pages[page])))
    }

    private mutating func editCircle() {
        let index = Int.random(in: 0...1, using: &random)
        let circle = OracleWorld.circles[index]
        let number = UInt64(index == 0 ? 100 : 10) + .random(in: 0...4, using: &random)
        circles[circle] = edited(circles[circle] ?? [], number, nil)
        append(circle: circle)
    }

    /// Removes, adds or edits a zone.
    private mutating func edited(
        _ zones: [ConfiguredZone], _ number: UInt64, _ page: UInt64?
    ) -> [ConfiguredZone] {
        var zones = zones
        let new = zone(number, page: page)
        guard let index = zones.firstIndex(where: { $0.id == new.id }) else { return zones + [new] }
        switch Int.random(in: 0..<(isAlarming ? 11 : 9), using: &random) {
        case 9: zones[index].priority = new.priority
        case 10: zones[index].alarm = new.alarm
        case 0: zones.remove(at: index)
        case 1: zones[index] = new
        case 2: zones[index].geometry = new.geometry
        case 3: zones[index].kind = new.kind
        case 4: zones[index].active.toggle()
        case 5: zones[index].alertDistanceMetres = new.alertDistanceMetres
        case 6: zones[index].dwellSeconds = new.dwellSeconds
        case 7: (zones[index].schedule, zones[index].clock) = (new.schedule, new.clock)
        default: zones[index].absentByMinute = new.absentByMinute
        }
        return zones
    }

    private mutating func person(at index: Int) -> ConfiguredPerson {
        let id = OracleWorld.people[index]
        var person = ConfiguredPerson(
            person: id, primaryDevice: nil, circles: OracleWorld.circles,
            zones: [zone(UInt64(20 + index))], sets: chance(85) ? [OracleWorld.set] : [])
        if chance(30) {
            person.primaryDevice = DeviceID(
                ID128(high: 3, low: UInt64(index * 10 + (chance(30) ? 2 : 1))))
        }
        if chance(20) { person.circles.remove(at: chance(50) ? 0 : 1) }
        for circle in OracleWorld.circles where chance(25) {
            // Half a second off all other times.
            let until = now.microseconds + .random(in: -100...4000, using: &random) * 1_000_000
            person.unshared.append(
                UnsharedCircle(
                    circle: circle,
                    until: chance(70) ? Timestamp(microseconds: until + 500_000) : nil))
        }
        let all = circles.values.flatMap { $0 } + pages.flatMap { $0 }
        for zone in all.sorted(by: { $0.id < $1.id }) where chance(4) {
            person.zoneOptOuts.append(zone.id)
        }
        return person
    }

    private mutating func zone(_ number: UInt64, page: UInt64? = nil) -> ConfiguredZone {
        let center = position(
            (
                .random(in: -1500...1500, using: &random),
                .random(in: -1500...1500, using: &random)
            ))
        let radius = Double.random(in: 20...400, using: &random)
        let id = ZoneID(ID128(high: page.map { $0 << 48 } ?? 4, low: number))
        return ConfiguredZone.make(
            number, chance(30) ? polygon(center, radius) : circle(center, radius),
            kind: chance(isAlarming ? 25 : 60) ? .safe : .alert, active: !chance(8),
            hysteresis: .random(in: 0...60, using: &random)
        ).with { zone in
            zone.id = id
            if chance(50) { zone.alertDistanceMetres = .random(in: 10...400, using: &random) }
            if chance(40) { zone.dwellSeconds = .random(in: 60...1200, using: &random) }
            if chance(50) { zone.transitions.append(.cross) }
            if chance(60) {
                zone.clock = ZoneClock(
                    timeZone: "Test", firstOffset: firstOffset, offsets: [change])
            }
            if chance(30) { zone.schedule = schedule() }
            if chance(20) { zone.absentByMinute = minute(from: -60, to: 900) % 1440 }
            guard isAlarming else { return }
            zone.priority = .random(in: 0...3, using: &random)
            zone.name = chance(20) ? "Pit" : zone.name
            zone.alarm.cycleSeconds = .random(in: 5...(chance(50) ? 90 : 3600), using: &random)
            zone.alarm.sleepSeconds = .random(in: 0...900, using: &random)
        }
    }

    private func circle(_ center: Coordinate, _ radius: Double) -> ZoneShape {
        .circle(center: center, radiusCentimetres: Int32(radius * 100))
    }

    /// Five corners, convex.
    private mutating func polygon(_ center: Coordinate, _ radius: Double) -> ZoneShape {
        let flat = Double.random(in: 0.4...1, using: &random)
        let ring = (0..<5).map { corner -> Coordinate in
            let angle = (Double(corner) + .random(in: -0.3...0.3, using: &random)) * 0.4 * .pi
            return Coordinate(
                latitudeE7: center.latitudeE7 + Int32(radius * cos(angle) * 90.44),
                longitudeE7: center.longitudeE7 + Int32(radius * flat * sin(angle) * 89.83))
        }
        return .polygons([Polygon(outer: ring)])
    }

    private mutating func schedule() -> ZoneSchedule {
        let windows = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let start = minute(from: -120, to: 900)
            return ZoneWindow(start: start, end: start + .random(in: 10...400, using: &random))
        }
        return ZoneSchedule(windows: windows, exceptions: chance(10) ? [20_371] : [])
    }

    /// A minute of the week around now, by the zones' first clock.
    private mutating func minute(from first: Int64, to last: Int64) -> Int {
        let monday: Int64 = 20_367 * 1440
        let local = (now.seconds + Int64(firstOffset)) / 60 - monday
        let minute = local + .random(in: first...last, using: &random)
        return Int((minute + 20_160) % 10_080)
    }
}
