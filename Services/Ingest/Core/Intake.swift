import Dialects
import Directory
import Geometry
import Hashing
import Model

/// The devices known to ingest.
struct Intake {
    private(set) var devices: Table<DeviceID, DeviceRow>
    /// The first device that reported for each person.
    private(set) var firstDevices: Table<PersonID, DeviceID>
    private var nextNumber: Int64

    init(devices: [DeviceRow], firstDevices: Table<PersonID, DeviceID>) {
        self.devices = Table(devices.map { ($0.device, $0) })
        self.firstDevices = firstDevices
        nextNumber = (devices.map(\.number).max() ?? 0) + 1
    }

    /// Records contact with a device, and adds the device if it is new.
    mutating func recordContact(
        of device: DeviceID, person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) {
        if devices.read(device, { $0.person }) != person {
            let number = devices[device]?.number ?? nextNumber
            if number == nextNumber { nextNumber += 1 }
            let row = DeviceRow(
                device: device, person: person, number: number, partition: Partition.of(person),
                seen: now)
            devices[device] = row
            effects.append(.saveDevice(row))
        } else {
            devices.update(device) { $0.seen = now }
        }
    }

    /// Records the app of a known device.
    ///
    /// - Returns: whether it changed
    mutating func record(_ client: ClientApp, of device: DeviceID) -> Bool {
        devices.update(device) { row in
            defer { row.client = client }
            return row.client != client
        } ?? true
    }

    /// Makes the first reporting device of a person the primary one.
    mutating func setPrimaryDevice(of person: PersonID, to device: DeviceID) {
        firstDevices[person] = device
    }

    /// Devices that reported for a person, ascending.
    func devices(of person: PersonID) -> [DeviceID] {
        devices.values.filter { $0.person == person }.map(\.device).sorted()
    }

    /// Forgets a removed person and their devices.
    mutating func forget(_ person: PersonID) {
        for device in devices(of: person) { devices[device] = nil }
        firstDevices[person] = nil
    }

    /// Stores the row of a device.
    mutating func update(_ row: DeviceRow) { devices[row.device] = row }

    /// Gives a fix from the future its time of arrival.
    static func corrected(_ fix: Fix, at now: Timestamp) -> (fix: Fix, clockSkew: Bool) {
        guard fix.time > now + .seconds(Limits.futureSeconds) else { return (fix, false) }
        var fix = fix
        fix.time = now
        return (fix, true)
    }

    /// Whether a fix is too old for the live lane.
    static func isBacklog(_ fix: Fix, at now: Timestamp) -> Bool {
        fix.time < now - .seconds(Limits.liveAgeSeconds)
    }

    /// Marks the reports that are late in `in/p`: older than reports of the device that entered
    /// before.
    mutating func sequence(_ reports: inout [Report]) -> Partition {
        let partition = devices.update(reports[0].device) { row in
            for index in reports.indices {
                let time = reports[index].fix.time
                reports[index].late = time < row.sequenced
                row.sequenced = max(row.sequenced, time)
            }
            return row.partition
        }
        guard let partition else { fatalError("a report has a known device") }
        return partition
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
        let observation = arrival.observation
        let (fix, clockSkew) = Intake.corrected(observation.fix, at: now)
        let late = newest.map { fix.time < $0.time } ?? false
        if !late {
            isMoving = fix.speedCentimetresPerSecond == nil ? moves(to: fix) : nil
            altitudeAccuracyMetres = observation.altitudeAccuracyMetres
            newest = fix
            batteryReported = observation.created.map { min($0, now) }
            setBattery(percent: observation.battery, isCharging: observation.charging)
        }
        return Report(
            id: arrival.id, person: person, device: device, fix: fix,
            trigger: observation.trigger, battery: observation.battery,
            charging: observation.charging, clockSkew: clockSkew, late: late, received: now,
            trace: trace)
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
        let doubt = [newest, fix].map {
            $0.accuracyCentimetres > 0 ? $0.accuracyCentimetres : Limits.accuracyCentimetresAssumed
        }
        return way > Double(max(doubt[0], doubt[1])) ? true : isMoving
    }
}
