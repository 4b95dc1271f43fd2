import EvaluatorCore
import Geometry
import Model

/// A partition with a manual clock and short helpers.
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
    /// Emitted reporting policies; not part of the returned events.
    private(set) var policies: [ReportingPolicy] = []
    /// Cleared presences; not part of the returned events.
    private(set) var cleared: [ZoneCrossing] = []
    /// The person's pending deadlines.
    private(set) var deadlines: [Deadline] = []

    /// A person in a circle with the given zones.
    init(zones: [ConfiguredZone] = [], primary: DeviceID? = nil, circles: [CircleID] = [circle]) {
        _ = configure(zones)
        _ = configure(primary: primary, circles: circles)
    }

    mutating func handle(_ body: EventBody) -> [Event] {
        reports += 1
        var outputs: [Event] = []
        let event = Event(id: EventID(ID128(high: 9, low: reports)), time: now, body: body)
        state.handle(event, into: &outputs)
        for output in outputs {
            switch output.body {
            case .deadlineScheduled(let deadline): deadlines.append(deadline)
            case .deadlineCancelled(let deadline): deadlines.removeAll { $0 == deadline }
            case .policyChanged(let policy): policies.append(policy)
            case .zonePresenceCleared(let crossing): cleared.append(crossing)
            default: break
            }
        }
        return outputs.filter { $0.kind != .policyChanged && $0.kind != .zonePresenceCleared }
    }

    /// Advances time without a report. Deadlines expire when due, or `late` seconds later.
    mutating func wait(seconds: Int64, late: Int64 = 0) -> [Event] {
        let end = now + .seconds(seconds)
        var outputs: [Event] = []
        while let deadline = deadlines.min(by: { $0.due < $1.due }),
            deadline.due + .seconds(late) <= end
        {
            deadlines.removeAll { $0 == deadline }
            now = max(now, deadline.due + .seconds(late))
            outputs += handle(.inputDeadline(ExpiredDeadline(deadline: deadline, expired: now)))
        }
        now = end
        return outputs
    }

    /// Hands the partition to another evaluator.
    mutating func restore(_ configuration: [EventBody]) throws {
        let events = configuration.map { Event(id: EventID(.zero), time: now, body: $0) }
        state = try PartitionState(configuration: events, state: state.encodedState())
    }

    mutating func configure(_ zones: [ConfiguredZone], of circle: CircleID = circle) -> [Event] {
        handle(.inputCircle(ConfiguredCircle(circle: circle, zones: zones)))
    }

    mutating func configure(
        primary: DeviceID? = nil, circles: [CircleID] = [circle], own: [ConfiguredZone] = [],
        sets: [ZoneSetID] = [], unshared: [UnsharedCircle] = [], optOuts: [ZoneID] = []
    ) -> [Event] {
        handle(
            .inputPerson(
                ConfiguredPerson(
                    person: World.person, primaryDevice: primary, circles: circles, zones: own,
                    sets: sets, unshared: unshared, zoneOptOuts: optOuts)))
    }

    mutating func advance(seconds: Int64) { now = now + .seconds(seconds) }

    /// A fix this many metres north of the centre, `after` seconds from now, taken then or `age`
    /// seconds before; `speed` in metres a second.
    mutating func report(
        north: Double, east: Double = 0, accuracy: Double = 10, after: Int64 = 60, age: Int64 = 0,
        speed: Double? = nil, device: DeviceID = phone, late: Bool = false, battery: UInt8? = nil,
        charging: Bool? = nil
    ) -> [Event] {
        advance(seconds: after)
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

extension ConfiguredZone {
    /// A round zone in the centre of the world.
    static func round(
        _ number: UInt64 = 1, radius: Int32 = 200, kind: ZoneKind = .safe, active: Bool = true,
        hysteresis: Int = 20, at center: Coordinate = World.middle, version: Int64 = 1
    ) -> ConfiguredZone {
        make(
            number, .circle(center: center, radiusCentimetres: radius * 100), kind: kind,
            active: active, hysteresis: hysteresis, version: version)
    }

    /// A changed copy of the zone.
    func with(_ change: (inout ConfiguredZone) -> Void) -> ConfiguredZone {
        var zone = self
        change(&zone)
        return zone
    }

    static func make(
        _ number: UInt64, _ shape: ZoneShape, kind: ZoneKind = .safe, active: Bool = true,
        hysteresis: Int = 20, version: Int64 = 1
    ) -> ConfiguredZone {
        guard let prepared = try? prepare(shape) else {
            fatalError("a shape of these tests is wrong")
        }
        return ConfiguredZone(
            Zone(
                id: ZoneID(ID128(high: 4, low: number)), owner: .circle(World.circle),
                name: "Zone \(number)", kind: kind, active: active, shape: shape,
                prepared: prepared, hysteresisMetres: hysteresis, version: version))
    }
}

extension Event {
    /// The crossing of an event; nil for other events.
    var decision: ZoneCrossing? {
        switch body {
        case .zoneEntered(let crossing), .zoneExited(let crossing),
            .zonePresenceEstablished(let crossing),
            .zoneApproached(let crossing), .zoneLeftVicinity(let crossing),
            .zoneDwelled(let crossing), .zonePresenceCleared(let crossing),
            .zoneSuppressed(let crossing):
            crossing
        default: nil
        }
    }
}

extension [Event] {
    /// All crossings except suppressed ones.
    var crossings: [ZoneCrossing] {
        compactMap { event in
            switch event.body {
            case .zoneEntered(let crossing), .zoneExited(let crossing),
                .zonePresenceEstablished(let crossing),
                .zoneApproached(let crossing), .zoneLeftVicinity(let crossing),
                .zoneDwelled(let crossing):
                crossing
            default: nil
            }
        }
    }

    var emergencyChanges: [EmergencyChange] {
        compactMap { event in
            switch event.body {
            case .emergencyCountdown(let change), .emergencyOpened(let change),
                .emergencyJoined(let change), .emergencyCancelled(let change),
                .emergencyAcknowledged(let change), .emergencyResolved(let change):
                change
            default: nil
            }
        }
    }

    var suppressed: [ZoneCrossing] {
        compactMap { if case .zoneSuppressed(let crossing) = $0.body { crossing } else { nil } }
    }

    var kinds: [EventKind] { map(\.kind) }

    /// `E` entered, `X` exited, `A` approached, `D` dwelled, `M` absent; `!` found inside, `~`
    /// found near, `?` found outside, `R` left the vicinity. Suppressed crossings and deadlines
    /// have no marble.
    var marbles: String {
        map { event in
            switch event.body {
            case .zoneEntered: "E"
            case .zoneExited: "X"
            case .zoneApproached: "A"
            case .zoneLeftVicinity: "R"
            case .zoneDwelled: "D"
            case .zoneAbsent: "M"
            case .zonePresenceEstablished(let crossing):
                crossing.inside ? "!" : crossing.after == .near ? "~" : "?"
            default: ""
            }
        }.joined()
    }
}
