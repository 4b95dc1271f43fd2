import Model

/// What lets fixes of a person pass that change nothing but where the person is, and what such
/// fixes have left.
///
/// Most fixes are on the same side of every line as the one before: of edges, of lines at alert
/// distances, of distances at which the phone is told to report otherwise. What is told already
/// stays true then whatever their accuracy. A fix that may be on another side of one is looked at
/// more closely, and passes all the same where the rules say that it changes nothing.
///
/// It is no part of the state: without it the same is decided, more slowly. It ends with any other
/// record about the person, after what it has left is handed over, and with the next record of
/// configuration.
struct Calm: Sendable {
    /// What quiet fixes are measured by.
    struct Ground {
        /// Before this, time brings nothing.
        var until: Timestamp
        /// How the phone reports.
        var mode: ReportingMode
        /// The distance filter that the phone has, metres, where its speed decides about that.
        var filterMetres: Int32?
        /// What ``PartitionState/arrangements`` was.
        var arrangements: UInt64
        /// A phone that tells a battery no better than this is heard otherwise, percent.
        var batteryMin: UInt8
        /// Whether the silence of the phone is counted from its last report.
        var hears: Bool
    }

    private static let never = Timestamp(microseconds: .min)

    private var until = Calm.never
    private var arrangements: UInt64 = 0
    /// Where the fix is on the map of the neighbourhood.
    private var spot = Circles.Spot(east: 0, north: 0)
    /// Where the phone is told nothing else: so far around a spot, metres, squared.
    private var hint = Circles.Spot(east: 0, north: 0)
    private var hintSquared: Float = -1
    private(set) var mode = ReportingMode.event
    private var device = DeviceID(.zero)
    private var report = ReportID(.zero)
    private var passed = Timestamp.zero
    private var fix = Fix(time: .zero, position: Coordinate(latitudeE7: 0, longitudeE7: 0))
    /// The fix before the last one.
    private(set) var previous: Fix?
    private var battery: UInt8?
    private var usualSilence: Int32 = 0
    /// Fixes that were quiet, as far as it matters.
    private(set) var served: UInt8 = 0
    private var batteryMin: UInt8 = 0
    private var hears = false
    /// Less than 0 where the phone's speed decides nothing.
    private var filterMetres: Int32 = -1

    /// - Parameters:
    ///   - trusted: the fix that was judged
    ///   - spot: where it is on the map of the neighbourhood
    ///   - person: and what else it has left
    mutating func begin(
        _ ground: Ground, _ trusted: JudgedFix, at spot: Circles.Spot,
        of person: borrowing PersonState
    ) {
        until = ground.until
        arrangements = ground.arrangements
        filterMetres = ground.filterMetres ?? -1
        batteryMin = ground.batteryMin
        mode = ground.mode
        hears = ground.hears
        device = trusted.device
        report = trusted.report
        fix = trusted.fix
        served = 0
        self.spot = spot
        passed = person.passed
        battery = person.battery
        usualSilence = person.usualSilence
        previous = person.previous
        hintSquared = -1
    }

    /// The phone is told nothing else within so many metres of a spot.
    mutating func keepHint(_ metres: Double, around spot: Circles.Spot) {
        hint = spot
        // A little less, because ways on the map may be shorter than on earth.
        let metres = Float(metres * 0.998)
        hintSquared = metres > 0 ? metres * metres : -1
    }

    /// Whether there is anything to hand over.
    @inline(__always)
    var isOn: Bool { until > Calm.never }

    /// The last fix.
    var trusted: JudgedFix { JudgedFix(fix: fix, device: device, report: report) }

    /// Whether a report, but for where it is from, changes nothing.
    @inline(__always)
    func admits(
        _ report: borrowing Report, at time: Timestamp, _ arrangements: UInt64,
        _ rules: borrowing EvaluatorRules
    ) -> Bool {
        guard time < until, arrangements == self.arrangements, report.device == device,
            !report.late, report.fix.time >= fix.time,
            report.fix.time > fix.time || report.fix.position != fix.position,
            keepsFilter(report.fix, rules)
        else { return false }
        return report.battery.map { $0 > batteryMin } ?? true
    }

    /// Whether somebody can surely have come to a fix from the last one.
    @inline(__always)
    func leads(
        to fix: Fix, at spot: Circles.Spot, _ rules: borrowing EvaluatorRules
    ) -> Bool {
        rules.canSurelyFollow(
            self.fix, fix, squaredMetres: spot.squaredMetres(to: self.spot))
    }

    /// Whether the phone is told nothing else there.
    @inline(__always)
    func keepsHint(at spot: Circles.Spot) -> Bool { spot.squaredMetres(to: hint) < hintSquared }

    /// Takes a report that changes nothing else.
    @inline(__always)
    mutating func take(
        _ report: borrowing Report, at time: Timestamp, _ spot: Circles.Spot,
        _ rules: borrowing EvaluatorRules
    ) {
        usualSilence = rules.usualSilence(
            usualSilence, after: report.fix.time.seconds(since: fix.time))
        previous = fix
        fix = report.fix
        self.spot = spot
        self.report = report.id
        if let told = report.battery { battery = told }
        passed = max(passed, time)
        if served < .max { served += 1 }
    }

    @inline(__always)
    private func keepsFilter(_ fix: Fix, _ rules: borrowing EvaluatorRules) -> Bool {
        if filterMetres < 0 { return true }
        let speed = fix.speedCentimetresPerSecond
        return rules.reporting.filter(after: filterMetres, speed: speed) == filterMetres
    }

    /// Hands over what quiet fixes have left.
    mutating func end(_ person: inout PersonState) {
        if served > 0 {
            person.trusted = trusted
            person.lastFix = fix
            person.battery = battery
            person.usualSilence = usualSilence
            person.previous = previous
            person.passed = passed
            if hears { person.silence.heard = passed }
            person.neighbourhood.serve(served)
        }
        until = Calm.never
        served = 0
    }

    /// A person as quiet fixes have left them.
    func applied(to person: PersonState) -> PersonState {
        guard isOn else { return person }
        var (calm, person) = (self, person)
        calm.end(&person)
        return person
    }
}

extension PersonState {
    /// Lets fixes from here on be quiet, if any can be.
    mutating func rest(
        in calm: inout Calm, _ rules: borrowing EvaluatorRules, _ arrangements: UInt64
    ) {
        guard let trusted, trusted.device == leader, suspect == nil, lastFix == trusted.fix,
            !emergency.isActive, !alarms.isOwed, !isWakeStale, !isAbsenceStale,
            !alarms.isFixAwaited(fix: trusted.fix.time, rules: rules),
            silence.terms?.device != trusted.device || silence.phase == .heard,
            let told = policy.told, told.device == trusted.device
        else { return }
        let spot = neighbourhood.spot(of: trusted.fix.position)
        guard neighbourhood.reaches(spot) else { return }
        calm.begin(
            Calm.Ground(
                until: min(wake, clock ?? .distantFuture, alarms.nextChange),
                mode: told.mode, filterMetres: told.filterMetres, arrangements: arrangements,
                batteryMin: batteryNotice.told == nil ? rules.silence.batteryGood : .max,
                hears: silence.terms?.device == trusted.device),
            trusted, at: spot, of: self)
        calm.keepHint(policy.room(at: trusted.point, rules.reporting), around: spot)
    }
}
