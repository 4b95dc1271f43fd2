import Dialects
import Geometry
import Model

/// The stored state of a device.
public struct DeviceRow: Hashable, Sendable {
    public var device: DeviceID
    public var person: PersonID
    /// Short number of the device in the rows of its reports; from 1, never reused.
    public var number: Int64
    public var partition: Partition
    /// Last contact of any kind.
    public var seen: Timestamp
    /// The newest fix accepted, its time corrected.
    public var newest: Fix?
    /// Time of the newest fix that entered `in/p`.
    public var sequenced: Timestamp
    /// Last reported level, percent.
    public var battery: UInt8?
    public var charging: Bool?
    /// The app that reported last; nil = unknown.
    public var client: PhoneProtocol?
    /// By the two newest fixes, if the newest has no speed. Not stored.
    public var isMoving: Bool?
    /// Accuracy of the newest fix's altitude, metres; 0 = unknown. Not stored.
    public var altitudeAccuracyMetres: UInt16 = 0
    /// When the newest message with a battery level was created, if the phone says so. Not stored.
    public var batteryReported: Timestamp?

    public init(
        device: DeviceID, person: PersonID, number: Int64, partition: Partition, seen: Timestamp,
        newest: Fix? = nil, sequenced: Timestamp = .zero, battery: UInt8? = nil,
        charging: Bool? = nil, client: PhoneProtocol? = nil
    ) {
        self.client = client
        self.device = device
        self.person = person
        self.number = number
        self.partition = partition
        self.seen = seen
        self.newest = newest
        self.sequenced = sequenced
        self.battery = battery
        self.charging = charging
    }
}

extension DeviceRow {
    /// Applies a battery level that was sent without a position.
    ///
    /// - Returns: whether it is current and changed the row
    mutating func accept(_ level: PhoneBattery, at now: Timestamp) -> Bool {
        let time = min(level.time, now)
        let before = (battery, charging)
        guard time >= max(newest?.time ?? .zero, batteryReported ?? .zero),
            now - time <= .seconds(Limits.liveAgeSeconds)
        else {
            return false
        }
        setBattery(percent: level.percent, isCharging: level.charging)
        return before != (battery, charging)
    }

    /// Applies a battery level. An app that sends a level without a charging state may send that
    /// state only while charging: Traccar Client does so.
    private mutating func setBattery(percent: UInt8?, isCharging: Bool?) {
        charging = percent == nil ? isCharging ?? charging : isCharging
        battery = percent ?? battery
    }

    /// Updates the row after a further message completed the report of the newest fix.
    mutating func complete(with observation: Observation, _ report: Report, at now: Timestamp) {
        newest = report.fix
        if report.fix.speedCentimetresPerSecond != nil { isMoving = nil }
        if altitudeAccuracyMetres == 0 {
            altitudeAccuracyMetres = observation.altitudeAccuracyMetres
        }
        let reported = min(observation.created ?? report.fix.time, now)
        guard observation.battery != nil || observation.charging != nil,
            reported >= batteryReported ?? .zero
        else { return }
        setBattery(percent: observation.battery, isCharging: observation.charging)
        batteryReported = observation.created == nil ? nil : reported
    }

    /// Creates the report of an observation and updates the newest fix.
    mutating func accept(_ arrival: Arrival, trace: String, at now: Timestamp) -> Report {
        let (fix, clockSkew) = Reports.corrected(arrival.observation.fix, at: now)
        let late = newest.map { fix.time < $0.time } ?? false
        if !late {
            isMoving = fix.speedCentimetresPerSecond == nil ? moves(to: fix) : nil
            altitudeAccuracyMetres = arrival.observation.altitudeAccuracyMetres
            newest = fix
            batteryReported = arrival.observation.created.map { min($0, now) }
            setBattery(
                percent: arrival.observation.battery, isCharging: arrival.observation.charging)
        }
        return Report(
            id: arrival.id, person: person, device: device, fix: fix,
            trigger: arrival.observation.trigger, battery: arrival.observation.battery,
            charging: arrival.observation.charging, clockSkew: clockSkew, late: late,
            received: now, trace: trace)
    }

    /// Whether the device moved between its newest fix and this one: faster than walking pace and
    /// farther than the accuracy of either. Nil if they are too far apart in time.
    private func moves(to fix: Fix) -> Bool? {
        guard let newest, fix.time - newest.time <= .seconds(Limits.movingGapSeconds) else {
            return nil
        }
        let seconds = Double((fix.time - newest.time).microseconds) / 1_000_000
        let way = EarthPoint(newest.position).straightMetres(to: EarthPoint(fix.position)) * 100
        guard way >= seconds * Double(Limits.movingCentimetresPerSecond) else { return false }
        let doubt = max(DeviceRow.doubt(of: newest), DeviceRow.doubt(of: fix))
        return way > Double(doubt) ? true : isMoving
    }

    /// Accuracy of a fix, centimetres; the assumed one if it is unknown.
    private static func doubt(of fix: Fix) -> Int32 {
        fix.accuracyCentimetres > 0 ? fix.accuracyCentimetres : Limits.accuracyCentimetresAssumed
    }
}

extension Report {
    /// Returns the report with missing values filled in from a further message of the same fix; nil
    /// if the message adds nothing.
    func completed(by observation: Observation) -> Report? {
        var report = self
        let added = observation.fix
        if report.fix.accuracyCentimetres == 0 {
            report.fix.accuracyCentimetres = added.accuracyCentimetres
        }
        report.fix.altitudeCentimetres = fix.altitudeCentimetres ?? added.altitudeCentimetres
        report.fix.speedCentimetresPerSecond =
            fix.speedCentimetresPerSecond ?? added.speedCentimetresPerSecond
        report.fix.courseDegrees = fix.courseDegrees ?? added.courseDegrees
        if battery == nil, observation.battery != nil {
            report.battery = observation.battery
            report.charging = observation.charging
        }
        return report == self ? nil : report
    }
}
