import Geometry
import Model

/// What is known of one person.
struct PersonState: Sendable {
    let id: PersonID

    // As configured.

    /// Ascending.
    var circles: [CircleID] = []
    /// Ascending.
    var sets: [ZoneSetID] = []
    /// Circles with which nothing is shared, ascending; a pause that is over says nothing.
    var unshared: [UnsharedCircle] = []
    /// Zones that do not judge the person, ascending.
    var refused: [ZoneID] = []
    var ownZones = JudgedZones.none
    /// The device chosen to lead; nil = the first that reported.
    var chosenDevice: DeviceID?

    // What the log led to.

    var firstDevice: DeviceID?
    /// By which presence was decided last. Where another device leads now, its next fix is a first
    /// one, not a crossing.
    var trusted: JudgedFix?
    /// The fix that was trusted before that one, of the same device.
    var previous: Fix?
    /// How long the device is silent as a rule, seconds, up to that fix.
    var usualSilence: Int32 = 0
    /// A newer one of the leading device that contradicts it.
    var suspect: SuspectFix?
    /// By zone, ascending.
    var presences: [ZonePresence] = []
    /// Newest of all devices.
    var lastFix: Fix?
    var battery: UInt8?
    var emergency = EmergencyLife()
    var alarms = AlarmLife()
    /// What the leading device was told about reporting.
    var policy = PolicyLife()
    /// How long that device was not heard.
    var silence = Silence()
    /// What was told of its battery.
    var batteryNotice = BatteryNotice()
    /// Every wait until here is over.
    var passed = Timestamp.zero
    /// When the clock runs out that is asked for.
    var clock: Timestamp?

    // Follows from the rest.

    var neighbourhood = Neighbourhood()
    /// When the first wait is over.
    var wake = Timestamp.distantFuture
    /// Whether ``wake`` has to be found anew.
    var isWakeStale = false
    /// When the first of those is over that zones bring.
    var zoneWake = Timestamp.distantFuture
    /// Whether that has to be found anew, with ``wake``.
    var isZoneWakeStale = true
    /// When somebody has to be somewhere next.
    var absence = Timestamp.distantFuture
    /// Whether ``absence`` has to be found anew.
    var isAbsenceStale = true

    init(id: PersonID) { self.id = id }

    var leader: DeviceID? { chosenDevice ?? firstDevice }

    /// The trusted fix, if it is of the device that leads.
    var leadingFix: JudgedFix? { trusted?.device == leader ? trusted : nil }

    /// Keeps what an emergency shows of the person.
    mutating func note(_ report: Report) {
        if let lastFix, lastFix.time > report.fix.time { return }
        lastFix = report.fix
        battery = report.battery ?? battery
    }

    // MARK: Zones that judge

    /// Whether a zone judges the person. Where nothing is shared, safe zones do not; alert zones
    /// alarm the person's own devices, and go on.
    @inline(__always)
    func isJudged(by zone: JudgedZone, of source: ZoneSource, at now: Timestamp) -> Bool {
        // Of somebody who pauses and refuses nothing no more than that is read.
        unshared.isEmpty && refused.isEmpty
            || !refused.contains(zone.id)
                && (zone.kind != .safe || unshared.share(circles, of: source, at: now))
    }

    func shares(with circle: CircleID, at now: Timestamp) -> Bool {
        unshared.shares(with: circle, at: now)
    }

    // MARK: Presences

    /// Where the zone is among ``presences``, or would be.
    @inline(__always)
    func place(of zone: ZoneID) -> (index: Int, isThere: Bool) {
        var index = 0
        while index < presences.count, presences[index].zone < zone { index += 1 }
        return (index, index < presences.count && presences[index].zone == zone)
    }

    @inline(__always)
    func presence(in zone: ZoneID) -> ZonePresence? {
        let (index, isThere) = place(of: zone)
        return isThere ? presences[index] : nil
    }

    /// Keeps what is known, or forgets it if it says nothing.
    ///
    /// - Parameter isTimed: whether time alone can bring anything to whoever is in the zone
    mutating func keep(_ presence: ZonePresence, isTimed: Bool) {
        let (index, isThere) = place(of: presence.zone)
        if isThere, presences[index] == presence { return }
        let old = isThere ? presences[index] : nil
        // Where another owner's zone has the same id, that one may be timed.
        let isMoved = (old?.presence ?? .outside) != presence.presence
        if isTimed || isMoved || old?.leaving != presence.leaving { stale() }
        neighbourhood.note(presence.zone, presence.settled)
        switch (isThere, presence.isWorthKeeping) {
        case (true, true): presences[index] = presence
        case (true, false): presences.remove(at: index)
        case (false, true): presences.insert(presence, at: index)
        case (false, false): break
        }
    }

    mutating func forget(_ zone: ZoneID) {
        let (index, isThere) = place(of: zone)
        guard isThere else { return }
        presences.remove(at: index)
        neighbourhood.note(zone, .outside)
        stale()
    }

    /// What time brings because of zones may be something else now.
    mutating func stale() {
        isZoneWakeStale = true
        isWakeStale = true
    }
}

/// A fix of a person's leading device.
struct JudgedFix: Hashable, Sendable {
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

    /// Whether both are the same fix of the same device, whatever else is known of it.
    func repeats(_ other: JudgedFix) -> Bool {
        fix.time == other.fix.time && fix.position == other.fix.position && device == other.device
    }

    init(_ report: Report) {
        self.init(fix: report.fix, device: report.device, report: report.id)
    }
}

/// A fix that contradicts the one before it.
struct SuspectFix: Hashable, Sendable {
    let fix: JudgedFix
    /// When it came.
    let since: Timestamp
}

extension [UnsharedCircle] {
    /// Whether anything is shared with whoever a zone is of.
    fileprivate func share(
        _ circles: [CircleID], of source: ZoneSource, at now: Timestamp
    ) -> Bool {
        switch source {
        case .own: true
        case .circle(let circle): shares(with: circle, at: now)
        // A set is there through a circle: any that is shared with will do.
        case .set: circles.isEmpty || circles.contains { shares(with: $0, at: now) }
        }
    }

    fileprivate func shares(with circle: CircleID, at now: Timestamp) -> Bool {
        guard let pause = first(where: { $0.circle == circle }) else { return true }
        return pause.until.map { $0 <= now } ?? false
    }
}
