import EvaluatorCore
import Geometry
import Model

/// A partition with a clock, told what happens in few words.
struct World {
    static let circle = CircleID(ID128(high: 1, low: 1))
    static let person = PersonID(ID128(high: 2, low: 1))
    static let phone = DeviceID(ID128(high: 3, low: 1))
    static let tablet = DeviceID(ID128(high: 3, low: 2))
    /// On the equator, where a metre north is 1/110,574 of a degree.
    static let middle = Coordinate(latitudeE7: 0, longitudeE7: 1_016_869_000)

    var state = PartitionState()
    var now = Timestamp(seconds: 1_760_000_000)
    private var reports: UInt64 = 0
    /// What phones were told about reporting, apart from all else that was decided.
    private(set) var hints: [ReportingPolicy] = []
    /// Zones that judge the person no longer, apart likewise.
    private(set) var forgotten: [ZoneCrossing] = []
    /// The person's clocks that were asked for and have not run out.
    private(set) var clocks: [WantedClock] = []

    /// A person in a circle with the zones given.
    init(zones: [PlacedZone] = [], leading: DeviceID? = nil, circles: [CircleID] = [circle]) {
        _ = place(zones)
        _ = place(leading: leading, circles: circles)
    }

    mutating func handle(_ body: EventBody) -> [Event] {
        reports += 1
        var outputs: [Event] = []
        let event = Event(id: EventID(ID128(high: 9, low: reports)), time: now, body: body)
        state.handle(event, into: &outputs)
        for output in outputs {
            switch output.body {
            case .clockWanted(let clock): clocks.append(clock)
            case .clockUnwanted(let clock): clocks.removeAll { $0 == clock }
            case .policyChanged(let policy): hints.append(policy)
            case .zoneForgotten(let crossing): forgotten.append(crossing)
            default: break
            }
        }
        return outputs.filter { $0.kind != .policyChanged && $0.kind != .zoneForgotten }
    }

    /// Time passes without a report; clocks run out when they are due, or so much later.
    mutating func wait(seconds: Int64, late: Int64 = 0) -> [Event] {
        let end = now + .seconds(seconds)
        var outputs: [Event] = []
        while let clock = clocks.min(by: { $0.due < $1.due }), clock.due + .seconds(late) <= end {
            clocks.removeAll { $0 == clock }
            now = max(now, clock.due + .seconds(late))
            outputs += handle(.inputClock(FiredClock(clock: clock, fired: now)))
        }
        now = end
        return outputs
    }

    /// Another evaluator takes over here.
    mutating func restore(_ configuration: [EventBody]) throws {
        let events = configuration.map { Event(id: EventID(.zero), time: now, body: $0) }
        state = try PartitionState(configuration: events, state: state.encodedState())
    }

    mutating func place(_ zones: [PlacedZone], of circle: CircleID = circle) -> [Event] {
        handle(.inputCircle(PlacedCircle(circle: circle, zones: zones)))
    }

    mutating func place(
        leading: DeviceID? = nil, circles: [CircleID] = [circle], own: [PlacedZone] = [],
        sets: [ZoneSetID] = [], unshared: [UnsharedCircle] = [], refused: [ZoneID] = []
    ) -> [Event] {
        handle(
            .inputPerson(
                PlacedPerson(
                    person: World.person, leadingDevice: leading, circles: circles, zones: own,
                    sets: sets, unshared: unshared, refused: refused)))
    }

    mutating func pass(seconds: Int64) { now = now + .seconds(seconds) }

    /// A fix so many metres north of the middle, `after` seconds from now, taken then or `age`
    /// seconds before; `speed` in metres a second.
    mutating func report(
        north: Double, east: Double = 0, accuracy: Double = 10, after: Int64 = 60, age: Int64 = 0,
        speed: Double? = nil, device: DeviceID = phone, late: Bool = false, battery: UInt8? = nil,
        charging: Bool? = nil
    ) -> [Event] {
        pass(seconds: after)
        let position = Coordinate(
            latitude: World.middle.latitude + north / 110_574.276,
            longitude: World.middle.longitude + east / 111_319.491)
        let fix = Fix(
            time: now - .seconds(age), position: position ?? World.middle,
            accuracyCentimetres: Int32(accuracy * 100),
            speedCentimetresPerSecond: speed.map { Int32($0 * 100) })
        let id = ReportID(ID128(high: 8, low: reports))
        return handle(
            .inputReport(
                Report(
                    id: id, person: World.person, device: device, fix: fix, battery: battery,
                    charging: charging, late: late, received: now)))
    }
}

extension PlacedZone {
    /// A round zone in the middle of the world.
    static func round(
        _ number: UInt64 = 1, radius: Int32 = 200, kind: ZoneKind = .safe, active: Bool = true,
        hysteresis: Int = 20, at center: Coordinate = World.middle, version: Int64 = 1
    ) -> PlacedZone {
        make(
            number, .circle(center: center, radiusCentimetres: radius * 100), kind: kind,
            active: active, hysteresis: hysteresis, version: version)
    }

    /// The same zone, but for what is changed.
    func with(_ change: (inout PlacedZone) -> Void) -> PlacedZone {
        var zone = self
        change(&zone)
        return zone
    }

    static func make(
        _ number: UInt64, _ shape: ZoneShape, kind: ZoneKind = .safe, active: Bool = true,
        hysteresis: Int = 20, version: Int64 = 1
    ) -> PlacedZone {
        guard let prepared = try? prepare(shape) else {
            fatalError("a shape of these tests is wrong")
        }
        return PlacedZone(
            Zone(
                id: ZoneID(ID128(high: 4, low: number)), owner: .circle(World.circle),
                name: "Zone \(number)", kind: kind, active: active, shape: shape,
                prepared: prepared, hysteresisMetres: hysteresis, version: version))
    }
}

extension Event {
    /// What was decided about a person and a zone; nil for everything else.
    var decision: ZoneCrossing? {
        switch body {
        case .zoneEntered(let crossing), .zoneExited(let crossing), .zoneInitial(let crossing),
            .zoneApproached(let crossing), .zoneReceded(let crossing),
            .zoneDwelled(let crossing), .zoneForgotten(let crossing),
            .zoneWithheld(let crossing):
            crossing
        default: nil
        }
    }
}

extension [Event] {
    /// All but what was held back.
    var crossings: [ZoneCrossing] {
        compactMap { event in
            switch event.body {
            case .zoneEntered(let crossing), .zoneExited(let crossing), .zoneInitial(let crossing),
                .zoneApproached(let crossing), .zoneReceded(let crossing),
                .zoneDwelled(let crossing):
                crossing
            default: nil
            }
        }
    }

    var news: [EmergencyNews] {
        compactMap { event in
            switch event.body {
            case .emergencyCountdown(let news), .emergencyOpened(let news),
                .emergencyJoined(let news), .emergencyCancelled(let news),
                .emergencyAcknowledged(let news), .emergencyResolved(let news):
                news
            default: nil
            }
        }
    }

    var withheld: [ZoneCrossing] {
        compactMap { if case .zoneWithheld(let crossing) = $0.body { crossing } else { nil } }
    }

    var kinds: [EventKind] { map(\.kind) }

    /// `E` entered, `X` exited, `A` approached, `D` dwelled, `M` missed; `!` found inside, `~`
    /// found near, `?` found outside, `R` receded. What was held back and clocks are no marbles.
    var marbles: String {
        map { event in
            switch event.body {
            case .zoneEntered: "E"
            case .zoneExited: "X"
            case .zoneApproached: "A"
            case .zoneReceded: "R"
            case .zoneDwelled: "D"
            case .zoneAbsent: "M"
            case .zoneInitial(let crossing):
                crossing.inside ? "!" : crossing.after == .near ? "~" : "?"
            default: ""
            }
        }.joined()
    }
}
