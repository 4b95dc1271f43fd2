import Geometry
import Model

/// The state of one person.
struct PersonState: Sendable {
    let id: PersonID

    // Configuration

    /// Ascending.
    var circles: [CircleID] = []
    /// Ascending.
    var sets: [ZoneSetID] = []
    /// Circles with which nothing is shared, ascending. A pause that is over has no effect.
    var unshared: [UnsharedCircle] = []
    /// Zones that the person opted out of, ascending.
    var optOuts: [ZoneID] = []
    var ownZones = ActiveZones.none
    /// The configured primary device; nil = the first one that reported.
    var chosenDevice: DeviceID?

    // Results of the log

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
    /// Ordered by zone id.
    var presences: [ZonePresence] = []
    /// The newest fix of all devices.
    var lastFix: Fix?
    var battery: UInt8?
    var emergency = EmergencyMachine()
    var alarms = AlarmMachine()
    /// The reporting policy of the primary device.
    var policy = ReportingMachine()
    /// Contact with the primary device.
    var contact = ContactMachine()
    /// Battery warnings of the primary device.
    var batteryNotice = BatteryNotice()
    /// All waits up to this time were handled.
    var passed = Timestamp.zero
    /// When the scheduled deadline expires.
    var deadline: Timestamp?

    // Derived

    var nearbyZones = NearbyZones()
    /// When the first wait ends.
    var wake = Timestamp.distantFuture
    /// Whether ``wake`` has to be recomputed.
    var isWakeStale = false
    /// When the first wait caused by a zone ends.
    var zoneWake = Timestamp.distantFuture
    /// Whether ``zoneWake`` and ``wake`` have to be recomputed.
    var isZoneWakeStale = true
    /// The next absence deadline of the person's zones.
    var absence = Timestamp.distantFuture
    /// Whether ``absence`` has to be recomputed.
    var isAbsenceStale = true

    init(id: PersonID) { self.id = id }

    var primaryDevice: DeviceID? { chosenDevice ?? firstDevice }

    /// The trusted fix, if it is of the current primary device.
    var primaryFix: EvaluatedFix? { trusted?.device == primaryDevice ? trusted : nil }

    /// Records the fix and battery that an emergency shows.
    mutating func recordLastFix(_ report: Report) {
        if let lastFix, lastFix.time > report.fix.time { return }
        lastFix = report.fix
        battery = report.battery ?? battery
    }

    // MARK: Applicable zones

    /// Whether a zone applies to the person. During a sharing pause safe zones do not; alert zones
    /// still do, because they alarm the person's own devices.
    @inline(__always)
    func isEvaluated(by zone: ActiveZone, of source: ZoneSource, at now: Timestamp) -> Bool {
        // The common case without pauses and opt-outs reads nothing else.
        unshared.isEmpty && optOuts.isEmpty
            || !optOuts.contains(zone.id)
                && (zone.kind != .safe || unshared.share(circles, of: source, at: now))
    }

    func shares(with circle: CircleID, at now: Timestamp) -> Bool {
        unshared.shares(with: circle, at: now)
    }

    // MARK: Presences

    /// The index of the zone in ``presences``, or its insertion point.
    @inline(__always)
    func find(_ zone: ZoneID) -> (index: Int, isPresent: Bool) {
        var index = 0
        while index < presences.count, presences[index].zone < zone { index += 1 }
        return (index, index < presences.count && presences[index].zone == zone)
    }

    @inline(__always)
    func presence(in zone: ZoneID) -> ZonePresence? {
        let (index, isPresent) = find(zone)
        return isPresent ? presences[index] : nil
    }

    /// Stores a presence, or removes it if it carries no information.
    ///
    /// - Parameter isTimed: whether time alone can change something for a person in the zone.
    mutating func store(_ presence: ZonePresence, isTimed: Bool) {
        let (index, isPresent) = find(presence.zone)
        if isPresent, presences[index] == presence { return }
        let old = isPresent ? presences[index] : nil
        // A zone of another owner with the same id may be timed.
        let isMoved = (old?.presence ?? .outside) != presence.presence
        if isTimed || isMoved || old?.leaving != presence.leaving { invalidateWake() }
        nearbyZones.update(presence.zone, presence.settled)
        switch (isPresent, presence.isWorthKeeping) {
        case (true, true): presences[index] = presence
        case (true, false): presences.remove(at: index)
        case (false, true): presences.insert(presence, at: index)
        case (false, false): break
        }
    }

    mutating func forget(_ zone: ZoneID) {
        let (index, isPresent) = find(zone)
        guard isPresent else { return }
        presences.remove(at: index)
        nearbyZones.update(zone, .outside)
        invalidateWake()
    }

    /// Marks the waits caused by zones as outdated.
    mutating func invalidateWake() {
        isZoneWakeStale = true
        isWakeStale = true
    }
}

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

    /// Whether both are the same fix of the same device; other values may differ.
    func repeats(_ other: EvaluatedFix) -> Bool {
        fix.time == other.fix.time && fix.position == other.fix.position && device == other.device
    }

    init(_ report: Report) {
        self.init(fix: report.fix, device: report.device, report: report.id)
    }
}

/// A fix that contradicts the trusted one.
struct SuspectFix: Hashable, Sendable {
    let fix: EvaluatedFix
    /// When the first contradicting fix arrived.
    let since: Timestamp
}

extension [UnsharedCircle] {
    /// Whether anything is shared with the owner of a zone.
    fileprivate func share(
        _ circles: [CircleID], of source: ZoneSource, at now: Timestamp
    ) -> Bool {
        switch source {
        case .own: true
        case .circle(let circle): shares(with: circle, at: now)
        // A set applies through circles: one that is shared with is enough.
        case .set: circles.isEmpty || circles.contains { shares(with: $0, at: now) }
        }
    }

    fileprivate func shares(with circle: CircleID, at now: Timestamp) -> Bool {
        guard let pause = first(where: { $0.circle == circle }) else { return true }
        return pause.until.map { $0 <= now } ?? false
    }
}
