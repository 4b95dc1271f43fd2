import EvaluatorCore
import Geometry
import Hashing
import Model

/// Evaluates a track of one person against zones, offline.
///
/// Uses the evaluators' core. Deadlines expire on time, between two fixes.
struct WhatIf {
    static let person = PersonID(ID128(high: 1, low: 1))
    static let device = DeviceID(ID128(high: 1, low: 2))
    static let circle = CircleID(ID128(high: 1, low: 3))

    /// The evaluator's state.
    private(set) var state = PartitionState()
    private var deadlines: [DeadlineID: Deadline] = [:]
    private var newest: Timestamp?
    private var now: Timestamp
    private var records: UInt64 = 0
    private var events: [Event] = []

    /// - Parameters:
    ///   - armed: whether alert zones are armed
    ///   - start: when the zones are configured; not later than the first fix
    ///   - usesFastPath: whether to skip what cannot change decisions; they are the same without
    init(
        zones: [ConfiguredZone], armed: Bool = true, start: Timestamp, usesFastPath: Bool = true
    ) {
        now = start
        state.isFastPathDisabled = !usesFastPath
        apply(.inputCircle(ConfiguredCircle(circle: WhatIf.circle, zones: zones)), at: start)
        apply(
            .inputPerson(
                ConfiguredPerson(
                    person: WhatIf.person, primaryDevice: WhatIf.device, circles: [WhatIf.circle],
                    zones: [])), at: start)
        if !armed {
            apply(.inputArming(Arming(person: WhatIf.person, armed: false, at: start)), at: start)
        }
    }

    /// Applies the next fix, after all deadlines that expire before it.
    ///
    /// - Parameter explains: whether to return how every zone evaluates the fix
    /// - Returns: the zones' evaluations if `explains` is true
    @discardableResult
    mutating func apply(_ fix: Fix, explains: Bool = false) -> [ZoneExplanation] {
        wait(until: fix.time)
        records += 1
        let late = newest.map { fix.time < $0 } ?? false
        newest = max(newest ?? fix.time, fix.time)
        let report = Report(
            id: ReportID(ID128(high: 2, low: records)), person: WhatIf.person,
            device: WhatIf.device, fix: fix, late: late, received: max(now, fix.time))
        let time = max(now, fix.time)
        let looks =
            explains
            ? state.explain(
                report, in: Event(id: EventID(.zero), time: time, body: .inputReport(report)))
            : []
        apply(.inputReport(report), at: time)
        return looks
    }

    /// Returns and removes the events since the last call, without those about deadlines.
    mutating func popEvents() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// Advances time and expires deadlines.
    mutating func wait(until end: Timestamp) {
        while let next = deadlines.values.min(by: { ($0.due, $0.id) < ($1.due, $1.id) }),
            next.due <= end
        {
            deadlines[next.id] = nil
            let expired = max(now, next.due)
            apply(.inputDeadline(ExpiredDeadline(deadline: next, expired: expired)), at: expired)
        }
    }

    private mutating func apply(_ body: EventBody, at time: Timestamp) {
        now = max(now, time)
        records += 1
        let id = EventID(ID128(high: 3, low: records))
        var outputs: [Event] = []
        state.handle(Event(id: id, time: now, body: body), into: &outputs)
        for output in outputs {
            switch output.body {
            case .deadlineScheduled(let deadline): deadlines[deadline.id] = deadline
            case .deadlineCancelled(let deadline): deadlines[deadline.id] = nil
            default: events.append(output)
            }
        }
    }
}

/// A geofence without margin, accuracy or confirmation, for comparison: every change of side is a
/// crossing.
struct PlainContainment {
    private let regions: RegionSet
    private var inside: Set<Int32>?
    private let shapes: [Region]
    /// Index of the fix and of the zone, and whether the person is inside afterwards.
    private(set) var crossings: [(fix: Int, zone: Int, inside: Bool)] = []

    init(zones: [ConfiguredZone]) {
        shapes = zones.compactMap { Region($0.geometry) }
        regions = RegionSet(shapes)
    }

    mutating func apply(_ fix: Fix, number: Int) {
        let point = EarthPoint(fix.position)
        var near: [NearRegion] = []
        regions.append(near: point, to: &near)
        let now = Set(near.map(\.index).filter { shapes[Int($0)].contains(point) })
        defer { inside = now }
        guard let before = inside else { return }
        for zone in now.symmetricDifference(before).sorted() {
            crossings.append((number, Int(zone), now.contains(zone)))
        }
    }
}
