import Geometry
import Model

/// What lets fixes of a person pass that change nothing but where the person is, and what such
/// fixes have left.
///
/// Most fixes are close to the one before. While they stay in a disc around a fix that was judged,
/// they are on the same side of every edge, of every line at an alert distance, and of every
/// distance at which the phone is told to report otherwise; what is told already stays true
/// whatever their accuracy, and nothing else is looked at. All that is asked and kept for such a
/// fix is in here, a few lines of the processor's caches, because what it costs is mostly memory.
///
/// It is no part of the state: without it the same is decided, more slowly. It ends with any other
/// record about the person, after what it has left is handed over, and with the next record of
/// configuration.
struct Calm: Sendable {
    /// What quiet fixes are measured by.
    struct Ground {
        /// Where nothing changes.
        var disc: Disc
        /// Before this, time brings nothing.
        var until: Timestamp
        /// The distance filter that the phone has, metres, where its speed decides about that.
        var filterMetres: Int32?
        /// What ``PartitionState/arrangements`` was.
        var arrangements: UInt64
        /// A phone that tells a battery no better than this is heard otherwise, percent.
        var batteryMin: UInt8
        /// Whether the silence of the phone is counted from its last report.
        var hears: Bool
    }

    /// A disc that is smaller is not worth while, metres.
    static let metresMin = 2.0

    private static let never = Timestamp(microseconds: .min)

    private var until = Calm.never
    private var arrangements: UInt64 = 0
    private var disc = Disc.empty
    private var device = DeviceID(.zero)
    private var report = ReportID(.zero)
    private var passed = Timestamp.zero
    private var fix = Fix(time: .zero, position: Coordinate(latitudeE7: 0, longitudeE7: 0))
    private var battery: UInt8?
    /// Fixes that were quiet, as far as it matters.
    private(set) var served: UInt8 = 0
    private var batteryMin: UInt8 = 0
    private var hears = false
    /// Less than 0 where the phone's speed decides nothing.
    private var filterMetres: Int32 = -1

    /// - Parameters:
    ///   - trusted: the fix that was judged
    ///   - passed: and what else it has left
    mutating func begin(
        _ ground: Ground, _ trusted: JudgedFix, passed: Timestamp, battery: UInt8?
    ) {
        until = ground.until
        arrangements = ground.arrangements
        disc = ground.disc
        filterMetres = ground.filterMetres ?? -1
        batteryMin = ground.batteryMin
        hears = ground.hears
        device = trusted.device
        report = trusted.report
        fix = trusted.fix
        served = 0
        self.passed = passed
        self.battery = battery
    }

    /// Whether there is anything to hand over.
    @inline(__always)
    var isOn: Bool { until > Calm.never }

    /// The last fix.
    var trusted: JudgedFix { JudgedFix(fix: fix, device: device, report: report) }

    /// Takes a report that changes nothing else; false for any other, which is then not taken.
    @inline(__always)
    mutating func takes(
        _ report: borrowing Report, at time: Timestamp, _ arrangements: UInt64,
        _ rules: borrowing EvaluatorRules
    ) -> Bool {
        guard time < until, arrangements == self.arrangements, report.device == device,
            !report.late, report.fix.time >= fix.time, disc.holds(report.fix.position),
            rules.canSurelyFollow(fix, report.fix, within: disc),
            keepsFilter(report.fix, rules), report.battery.map({ $0 > batteryMin }) ?? true
        else { return false }
        fix = report.fix
        self.report = report.id
        if let told = report.battery { battery = told }
        passed = max(passed, time)
        if served < .max { served += 1 }
        return true
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
    /// Lets fixes from here on be quiet, if any can be and that pays.
    ///
    /// - Parameter metres: there is no line of any zone so near to the trusted fix
    mutating func rest(
        in calm: inout Calm, _ metres: Double, _ rules: borrowing EvaluatorRules,
        _ arrangements: UInt64
    ) {
        guard let trusted, trusted.device == leader, suspect == nil, lastFix == trusted.fix,
            emergency.active == nil, !alarms.isOwed, !isWakeStale, !isAbsenceStale,
            !alarms.isFixAwaited(fix: trusted.fix.time, rules: rules),
            silence.terms?.device != trusted.device || silence.phase == .heard
        else { return }
        let room = min(metres, policy.room(at: trusted.point, rules.reporting))
        guard room > Calm.metresMin, let told = policy.told, told.device == trusted.device else {
            return
        }
        calm.begin(
            Calm.Ground(
                disc: Disc(around: trusted.point, metres: room),
                until: min(wake, clock ?? .distantFuture, alarms.nextChange),
                filterMetres: told.filterMetres, arrangements: arrangements,
                batteryMin: batteryNotice.told == nil ? rules.silence.batteryGood : .max,
                hears: silence.terms?.device == trusted.device),
            trusted, passed: passed, battery: battery)
    }
}
