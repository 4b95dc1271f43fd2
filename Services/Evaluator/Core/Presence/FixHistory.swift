import Geometry
import Model

/// A fix of a person's primary device.
struct EvaluatedFix: Hashable, Sendable {
    let fix: Fix
    let device: DeviceID
    let report: ReportID
    let point: EarthPoint

    init(fix: Fix, device: DeviceID, report: ReportID) {
        self.fix = fix
        self.device = device
        self.report = report
        point = EarthPoint(fix.position)
    }

    init(_ report: borrowing Report) {
        self.init(fix: report.fix, device: report.device, report: report.id)
    }

    /// Whether both are the same fix of the same device; other values may differ.
    func repeats(_ other: EvaluatedFix) -> Bool {
        fix.time == other.fix.time && fix.position == other.fix.position && device == other.device
    }
}

/// A fix that contradicts the trusted one.
struct SuspectFix: Hashable, Sendable {
    var fix: EvaluatedFix
    /// When the first contradicting fix arrived.
    var since: Timestamp
}

/// A person's fixes, and which of them are trusted.
struct FixHistory: Hashable, Sendable {
    /// How a fix of the primary device relates to those before it.
    enum Assessment: Hashable {
        /// Older than the newest one.
        case outdated
        /// The first one of the primary device.
        case first
        /// It can follow the trusted one.
        case follows(EvaluatedFix)
        /// The same fix again, perhaps with values that a further message has added.
        case repeats(EvaluatedFix, canFollow: Bool)
        /// It cannot follow the trusted one, but agrees with the suspect one.
        case confirms(suspect: EvaluatedFix)
        /// It contradicts the trusted one.
        case contradicts
    }

    /// The configured primary device; nil = the first one that reported.
    var chosenDevice: DeviceID?
    var firstDevice: DeviceID?
    /// The fix that decided presence last. If the primary device has changed since, its next fix
    /// counts as a first one and crosses nothing.
    var trusted: EvaluatedFix?
    /// The trusted fix before it, of the same device.
    var previous: Fix?
    /// The device's usual interval between fixes, seconds, up to that fix.
    var usualInterval: Int32 = 0
    /// A newer fix of the primary device that contradicts the trusted one.
    var suspect: SuspectFix?
    /// The newest fix of all devices.
    var lastFix: Fix?
    var battery: UInt8?

    var primaryDevice: DeviceID? { chosenDevice ?? firstDevice }

    /// The trusted fix, if it is of the current primary device.
    var primaryFix: EvaluatedFix? { trusted?.device == primaryDevice ? trusted : nil }

    /// Records the fix and battery that an emergency shows, and the device.
    mutating func record(_ report: borrowing Report) {
        if firstDevice == nil { firstDevice = report.device }
        if let lastFix, lastFix.time > report.fix.time { return }
        lastFix = report.fix
        battery = report.battery ?? battery
    }

    func assess(_ fix: EvaluatedFix, _ rules: EvaluatorRules) -> Assessment {
        guard let trusted = primaryFix else { return .first }
        let suspect = suspect?.fix
        let newest = suspect ?? trusted
        guard fix.fix.time >= newest.fix.time else { return .outdated }
        if fix.repeats(newest) {
            return .repeats(
                trusted, canFollow: suspect == nil || rules.canFollow(trusted, fix))
        }
        if rules.canFollow(trusted, fix) { return .follows(trusted) }
        if let suspect,
            rules.canFollow(suspect, fix) || rules.areSteady(trusted, suspect, fix)
        {
            return .confirms(suspect: suspect)
        }
        return .contradicts
    }

    /// Trusts a fix from now on.
    ///
    /// - Parameter isFirst: whether it is the first one of the primary device.
    mutating func trust(_ fix: EvaluatedFix, isFirst: Bool, _ rules: EvaluatorRules) {
        let silent = trusted.map { fix.fix.time.seconds(since: $0.fix.time) } ?? 0
        previous = isFirst ? nil : trusted?.fix
        usualInterval = isFirst ? 0 : rules.usualInterval(usualInterval, after: silent)
        trusted = fix
        suspect = nil
    }

    /// Whether a fix arrives so long after the trusted one that the trusted one stands, although it
    /// is alone.
    func isLateAnswer(_ fix: EvaluatedFix, _ rules: EvaluatorRules) -> Bool {
        guard let trusted else { return false }
        let silent = fix.fix.time.seconds(since: trusted.fix.time)
        return silent > rules.confirmSeconds(after: Int64(usualInterval))
    }

    /// Whether a fix shown in an emergency contradicts the last trusted one.
    func isSuspect(_ fix: Fix?, _ rules: EvaluatorRules) -> Bool {
        guard let fix, let trusted, fix.time >= trusted.fix.time else { return false }
        return !rules.canFollow(trusted.fix, trusted.point, fix, EarthPoint(fix.position))
    }

    /// When the suspect fix is trusted if no other fix arrives.
    func suspectEnd(isEmergency: Bool, _ rules: EvaluatorRules) -> Timestamp? {
        let seconds = isEmergency ? rules.suspectSecondsInEmergency : rules.suspectSeconds
        return suspect?.since.plus(seconds: seconds)
    }
}
