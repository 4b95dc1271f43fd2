import EvaluatorCore
import Geometry
import Hashing
import Model

/// One person, some zones and a track: what evaluators would decide, with no service running.
///
/// The core is the evaluators' own. Clocks that it wants ring on time, between two fixes.
struct WhatIf {
    static let person = PersonID(ID128(high: 1, low: 1))
    static let device = DeviceID(ID128(high: 1, low: 2))
    static let circle = CircleID(ID128(high: 1, low: 3))

    /// What evaluators would keep.
    private(set) var state = PartitionState()
    private var clocks: [ClockID: WantedClock] = [:]
    private var newest: Timestamp?
    private var now: Timestamp
    private var records: UInt64 = 0
    private var events: [Event] = []

    /// - Parameters:
    ///   - armed: whether alert zones alarm the person
    ///   - start: when the zones are placed: no later than the first fix
    init(zones: [PlacedZone], armed: Bool = true, start: Timestamp) {
        now = start
        take(.inputCircle(PlacedCircle(circle: WhatIf.circle, zones: zones)), at: start)
        take(
            .inputPerson(
                PlacedPerson(
                    person: WhatIf.person, leadingDevice: WhatIf.device, circles: [WhatIf.circle],
                    zones: [])), at: start)
        if !armed {
            take(.inputArming(Arming(person: WhatIf.person, armed: false, at: start)), at: start)
        }
    }

    /// Takes the next fix, after all clocks that are due by then.
    ///
    /// - Parameter isLookedAt: whether it is asked how every zone sees it
    /// - Returns: that, by zone; else nothing
    @discardableResult
    mutating func take(_ fix: Fix, isLookedAt: Bool = false) -> [ZoneLook] {
        wait(until: fix.time)
        records += 1
        let late = newest.map { fix.time < $0 } ?? false
        newest = max(newest ?? fix.time, fix.time)
        let report = Report(
            id: ReportID(ID128(high: 2, low: records)), person: WhatIf.person,
            device: WhatIf.device, fix: fix, late: late, received: max(now, fix.time))
        let time = max(now, fix.time)
        let looks =
            isLookedAt
            ? state.looks(
                at: report, in: Event(id: EventID(.zero), time: time, body: .inputReport(report)))
            : []
        take(.inputReport(report), at: time)
        return looks
    }

    /// What was decided since the last call; clocks besides.
    mutating func takeEvents() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// Lets time pass, with every clock that is due.
    mutating func wait(until end: Timestamp) {
        while let next = clocks.values.min(by: { ($0.due, $0.id) < ($1.due, $1.id) }),
            next.due <= end
        {
            clocks[next.id] = nil
            let fired = max(now, next.due)
            take(.inputClock(FiredClock(clock: next, fired: fired)), at: fired)
        }
    }

    private mutating func take(_ body: EventBody, at time: Timestamp) {
        now = max(now, time)
        records += 1
        let id = EventID(ID128(high: 3, low: records))
        var outputs: [Event] = []
        state.handle(Event(id: id, time: now, body: body), into: &outputs)
        for output in outputs {
            switch output.body {
            case .clockWanted(let clock): clocks[clock.id] = clock
            case .clockUnwanted(let clock): clocks[clock.id] = nil
            default: events.append(output)
            }
        }
    }
}

/// What a geofence without margin, accuracy or confirmation makes of the same fixes: whoever is on
/// the other side of the edge has crossed it.
struct PlainContainment {
    private let regions: RegionSet
    private var inside: Set<Int32>?
    private let shapes: [Region]
    /// Each crossing: which fix, which zone, and whether inside after it.
    private(set) var crossings: [(fix: Int, zone: Int, inside: Bool)] = []

    init(zones: [PlacedZone]) {
        shapes = zones.compactMap { Region($0.geometry) }
        regions = RegionSet(shapes)
    }

    mutating func take(_ fix: Fix, number: Int) {
        let point = EarthPoint(fix.position)
        var near: [NearRegion] = []
        regions.append(near: point, to: &near)
        let now = Set(near.map(\.place).filter { shapes[Int($0)].contains(point) })
        defer { inside = now }
        guard let before = inside else { return }
        for zone in now.symmetricDifference(before).sorted() {
            crossings.append((number, Int(zone), now.contains(zone)))
        }
    }
}
