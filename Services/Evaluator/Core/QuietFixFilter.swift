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
    /// The bounds within which fixes are quiet.
    struct Bounds {
        /// Nothing becomes due before this time.
        var until: Timestamp
        /// The phone's reporting mode.
        var mode: ReportingMode
        /// The phone's distance filter, metres, if it depends on speed.
        var filterMetres: Int32?
        /// ``PartitionState/configurationGeneration`` at the start.
        var configurationGeneration: UInt64
        /// Reports with a battery level at or below this are evaluated, percent.
        var batteryMin: UInt8
        /// Whether reports reset the phone's contact timeout.
        var resetsContact: Bool
    }

    private static let never = Timestamp(microseconds: .min)

    private var until = QuietFixFilter.never
    private var configurationGeneration: UInt64 = 0
    /// The last fix on the map of nearby zones.
    private var localPoint = Circles.LocalPoint(east: 0, north: 0)
    /// The reporting policy is the same within a circle: its centre and squared radius, metres.
    private var policyCenter = Circles.LocalPoint(east: 0, north: 0)
    private var policyRadiusSquared: Float = -1
    private(set) var mode = ReportingMode.event
    private var device = DeviceID(.zero)
    private var report = ReportID(.zero)
    private var passed = Timestamp.zero
    private var fix = Fix(time: .zero, position: Coordinate(latitudeE7: 0, longitudeE7: 0))
    /// The fix before the last one.
    private(set) var previous: Fix?
    private var battery: UInt8?
    private var usualInterval: Int32 = 0
    /// Number of quiet fixes; saturates.
    private(set) var hits: UInt8 = 0
    private var batteryMin: UInt8 = 0
    private var resetsContact = false
    /// Negative if the phone's speed does not matter.
    private var filterMetres: Int32 = -1

    /// Starts to skip fixes.
    ///
    /// - Parameters:
    ///   - trusted: the fix that was evaluated last.
    ///   - localPoint: that fix on the map of nearby zones.
    ///   - person: its other values are copied.
    mutating func begin(
        _ bounds: Bounds, _ trusted: EvaluatedFix, at localPoint: Circles.LocalPoint,
        of person: borrowing PersonState
    ) {
        until = bounds.until
        configurationGeneration = bounds.configurationGeneration
        filterMetres = bounds.filterMetres ?? -1
        batteryMin = bounds.batteryMin
        mode = bounds.mode
        resetsContact = bounds.resetsContact
        device = trusted.device
        report = trusted.report
        fix = trusted.fix
        hits = 0
        self.localPoint = localPoint
        passed = person.passed
        battery = person.battery
        usualInterval = person.usualInterval
        previous = person.previous
        policyRadiusSquared = -1
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
        _ report: borrowing Report, at time: Timestamp, _ configurationGeneration: UInt64,
        _ rules: borrowing EvaluatorRules
    ) -> Bool {
        guard time < until, configurationGeneration == self.configurationGeneration,
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

    /// Writes the changes by quiet fixes to the person and deactivates the filter.
    mutating func flush(into person: inout PersonState) {
        if hits > 0 {
            person.trusted = trusted
            person.lastFix = fix
            person.battery = battery
            person.usualInterval = usualInterval
            person.previous = previous
            person.passed = passed
            if resetsContact { person.contact.lastContact = passed }
            person.nearbyZones.countHits(hits)
        }
        until = QuietFixFilter.never
        hits = 0
    }

    /// A copy of a person that includes the changes by quiet fixes.
    func applied(to person: PersonState) -> PersonState {
        guard isActive else { return person }
        var (quietFixFilter, person) = (self, person)
        quietFixFilter.flush(into: &person)
        return person
    }
}

extension PersonState {
    /// Starts the filter if the following fixes can be quiet.
    mutating func beginQuietFixes(
        in quietFixFilter: inout QuietFixFilter, _ rules: borrowing EvaluatorRules,
        _ configurationGeneration: UInt64
    ) {
        guard let trusted, trusted.device == primaryDevice, suspect == nil, lastFix == trusted.fix,
            !emergency.isActive, !alarms.isStartPending, !isWakeStale, !isAbsenceStale,
            !alarms.isFixAwaited(fix: trusted.fix.time, rules: rules),
            contact.expectation?.device != trusted.device || contact.phase == .ok,
            let sent = policy.sent, sent.device == trusted.device
        else { return }
        let localPoint = nearbyZones.localPoint(of: trusted.fix.position)
        guard nearbyZones.reaches(localPoint) else { return }
        quietFixFilter.begin(
            QuietFixFilter.Bounds(
                until: min(wake, deadline ?? .distantFuture, alarms.nextChange),
                mode: sent.mode, filterMetres: sent.filterMetres,
                configurationGeneration: configurationGeneration,
                batteryMin: batteryNotice.notifiedMark == nil ? rules.contact.batteryGood : .max,
                resetsContact: contact.expectation?.device == trusted.device),
            trusted, at: localPoint, of: self)
        quietFixFilter.setPolicyArea(
            policy.clearance(at: trusted.point, rules.reporting), around: localPoint)
    }
}
