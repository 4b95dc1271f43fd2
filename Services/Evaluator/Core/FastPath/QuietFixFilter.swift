import Model

/// Skips fixes that cannot change any decision.
///
/// Most fixes are on the same side of every line as the previous one: edges, ends of alert
/// distances, and distances at which the reporting policy changes. What was decided before then
/// stays true, whatever their accuracy. A fix that may be on another side of a line is checked more
/// exactly, and is skipped too if the rules show that it changes nothing.
///
/// The filter is no part of the state: decisions are the same without it, only slower. It ends with
/// any other record about the person, after its changes are flushed, and with the next
/// configuration record.
struct QuietFixFilter: Sendable {
    private static let never = Timestamp(microseconds: .min)

    /// Nothing becomes due before this time.
    private var until = QuietFixFilter.never
    /// ``KnownZones/generation`` at the start.
    private var generation: UInt64 = 0
    /// The last fix on the map of nearby zones.
    private var localPoint = Circles.LocalPoint(east: 0, north: 0)
    /// The reporting policy is the same within a circle: its centre and squared radius, metres.
    private var policyCenter = Circles.LocalPoint(east: 0, north: 0)
    private var policyRadiusSquared: Float = -1
    /// The phone's reporting mode.
    private(set) var mode = ReportingMode.event
    private var device = DeviceID(.zero)
    private var report = ReportID(.zero)
    private(set) var passed = Timestamp.zero
    private var fix = Fix(time: .zero, position: Coordinate(latitudeE7: 0, longitudeE7: 0))
    /// The fix before the last one.
    private(set) var previous: Fix?
    private var battery: UInt8?
    private var usualInterval: Int32 = 0
    /// Number of quiet fixes; saturates.
    private(set) var hits: UInt8 = 0
    /// Reports with a battery level at or below this are evaluated, percent.
    private var batteryMin: UInt8 = 0
    /// Whether reports reset the phone's contact timeout.
    private(set) var resetsContact = false
    /// The phone's distance filter, metres; negative if the phone's speed does not matter.
    private var filterMetres: Int32 = -1

    /// A filter that skips nothing.
    init() {}

    /// Starts to skip fixes.
    ///
    /// - Parameters:
    ///   - trusted: the fix that was evaluated last.
    ///   - sent: the phone's reporting policy.
    ///   - localPoint: that fix on the map of nearby zones.
    init(
        _ person: borrowing PersonState, _ trusted: EvaluatedFix,
        _ sent: ReportingMachine.SentPolicy, at localPoint: Circles.LocalPoint,
        _ generation: UInt64, _ rules: borrowing EvaluatorRules
    ) {
        until = min(
            person.waits.wake, person.waits.deadline ?? .distantFuture, person.alarms.nextChange)
        self.generation = generation
        self.localPoint = localPoint
        mode = sent.mode
        filterMetres = sent.filterMetres ?? -1
        device = trusted.device
        report = trusted.report
        fix = trusted.fix
        passed = person.waits.passed
        previous = person.presence.fixes.previous
        battery = person.presence.fixes.battery
        usualInterval = person.presence.fixes.usualInterval
        batteryMin =
            person.contact.batteryNotice.notifiedMark == nil ? rules.contact.batteryGood : .max
        resetsContact = person.contact.expectation?.device == trusted.device
        setPolicyArea(
            person.policy.clearance(at: trusted.point, rules.reporting), around: localPoint)
    }

    /// Sets the circle within which the reporting policy is the same.
    mutating func setPolicyArea(_ metres: Double, around localPoint: Circles.LocalPoint) {
        policyCenter = localPoint
        // A little less, because distances on the map may be shorter than on earth.
        let metres = Float(metres * 0.998)
        policyRadiusSquared = metres > 0 ? metres * metres : -1
    }

    /// Whether the filter is active.
    @inline(__always)
    var isActive: Bool { until > QuietFixFilter.never }

    /// The last fix.
    var trusted: EvaluatedFix { EvaluatedFix(fix: fix, device: device, report: report) }

    /// Whether a report changes nothing, apart from its position.
    @inline(__always)
    func admits(
        _ report: borrowing Report, at time: Timestamp, _ generation: UInt64,
        _ rules: borrowing EvaluatorRules
    ) -> Bool {
        guard time < until, generation == self.generation,
            report.device == device,
            !report.late, report.fix.time >= fix.time,
            report.fix.time > fix.time || report.fix.position != fix.position,
            keepsFilter(report.fix, rules)
        else { return false }
        return report.battery.map { $0 > batteryMin } ?? true
    }

    /// Whether a person can certainly have moved from the last fix to this one.
    @inline(__always)
    func canMove(
        to fix: Fix, at localPoint: Circles.LocalPoint, _ rules: borrowing EvaluatorRules
    ) -> Bool {
        rules.canSurelyFollow(
            self.fix, fix, squaredMetres: localPoint.squaredMetres(to: self.localPoint))
    }

    /// Whether the reporting policy is the same at a point.
    @inline(__always)
    func isPolicyUnchanged(at localPoint: Circles.LocalPoint) -> Bool {
        localPoint.squaredMetres(to: policyCenter) < policyRadiusSquared
    }

    /// Applies a report that changes nothing but the position.
    @inline(__always)
    mutating func apply(
        _ report: borrowing Report, at time: Timestamp, _ localPoint: Circles.LocalPoint,
        _ rules: borrowing EvaluatorRules
    ) {
        usualInterval = rules.usualInterval(
            usualInterval, after: report.fix.time.seconds(since: fix.time))
        previous = fix
        fix = report.fix
        self.localPoint = localPoint
        self.report = report.id
        if let reported = report.battery { battery = reported }
        passed = max(passed, time)
        if hits < .max { hits += 1 }
    }

    @inline(__always)
    private func keepsFilter(_ fix: Fix, _ rules: borrowing EvaluatorRules) -> Bool {
        if filterMetres < 0 { return true }
        let speed = fix.speedCentimetresPerSecond
        return rules.reporting.filter(after: filterMetres, speed: speed) == filterMetres
    }

    /// Writes what the skipped fixes have changed.
    func write(to fixes: inout FixHistory) {
        fixes.trusted = trusted
        fixes.lastFix = fix
        fixes.battery = battery
        fixes.usualInterval = usualInterval
        fixes.previous = previous
    }

    /// Skips nothing from now on.
    mutating func end() { until = QuietFixFilter.never }
}
