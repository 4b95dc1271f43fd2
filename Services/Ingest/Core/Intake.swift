import Dialects
import Directory
import Geometry
import Hashing
import Model

/// What ingest knows of devices, and what it makes of their observations.
struct Intake {
    private(set) var devices: Table<DeviceID, DeviceRow>
    /// First device that reported, of every person.
    private(set) var firstDevices: Table<PersonID, DeviceID>
    private var nextNumber: Int64

    init(devices: [DeviceRow], firstDevices: Table<PersonID, DeviceID>) {
        self.devices = Table(devices.map { ($0.device, $0) })
        self.firstDevices = firstDevices
        nextNumber = (devices.map(\.number).max() ?? 0) + 1
    }

    /// Notes that a device has been heard.
    mutating func hear(
        _ device: DeviceID, of person: PersonID, at now: Timestamp, into effects: inout [Effect]
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

    /// Notes the app that a device which has been heard speaks with.
    ///
    /// - Returns: whether it was another one, or none, before
    mutating func note(_ client: ClientApp, of device: DeviceID) -> Bool {
        devices.update(device) { row in
            defer { row.client = client }
            return row.client != client
        } ?? true
    }

    /// Remembers the device that leads from now on.
    mutating func lead(_ person: PersonID, with device: DeviceID) { firstDevices[person] = device }

    /// Devices that reported for a person.
    func devices(of person: PersonID) -> [DeviceID] {
        devices.values.filter { $0.person == person }.map(\.device).sorted()
    }

    /// Forgets a person who is gone, with their devices.
    mutating func forget(_ person: PersonID) {
        for device in devices(of: person) { devices[device] = nil }
        firstDevices[person] = nil
    }

    /// Remembers what was learnt of a device.
    mutating func keep(_ row: DeviceRow) { devices[row.device] = row }

    /// A fix from the future keeps its place and gets the time of its arrival.
    static func corrected(_ fix: Fix, at now: Timestamp) -> (fix: Fix, clockSkew: Bool) {
        guard fix.time > now + .seconds(Limits.futureSeconds) else { return (fix, false) }
        var fix = fix
        fix.time = now
        return (fix, true)
    }

    /// Whether an observation is too old to go with what is live.
    static func isBacklog(_ fix: Fix, at now: Timestamp) -> Bool {
        fix.time < now - .seconds(Limits.liveAgeSeconds)
    }

    /// Decides, now that reports of a device enter `in/p`, which are late there: older than what
    /// entered before them.
    mutating func sequence(_ reports: inout [Report]) -> Partition {
        let partition = devices.update(reports[0].device) { row in
            for place in reports.indices {
                let time = reports[place].fix.time
                reports[place].late = time < row.sequenced
                row.sequenced = max(row.sequenced, time)
            }
            return row.partition
        }
        guard let partition else { fatalError("a report is of a device that was heard") }
        return partition
    }
}

extension DeviceRow {
    /// Takes what the device says of its battery without a place.
    ///
    /// - Returns: whether it is of now, and another than before; then that is kept.
    mutating func accept(_ told: PhoneBattery, at now: Timestamp) -> Bool {
        let time = min(told.time, now)
        let before = (battery, charging)
        guard time >= max(newest?.time ?? .zero, batteryTold ?? .zero),
            now - time <= .seconds(Limits.liveAgeSeconds)
        else {
            return false
        }
        take(percent: told.percent, isCharging: told.charging)
        return before != (battery, charging)
    }

    /// An app that says how full the battery is, and not that it is charged, may say the latter
    /// only while it is: Traccar Client does so.
    private mutating func take(percent: UInt8?, isCharging: Bool?) {
        charging = percent == nil ? isCharging ?? charging : isCharging
        battery = percent ?? battery
    }

    /// Takes over what a further message of the newest fix has added to its report.
    mutating func complete(with observation: Observation, _ report: Report, at now: Timestamp) {
        newest = report.fix
        if report.fix.speedCentimetresPerSecond != nil { isMoving = nil }
        if altitudeAccuracyMetres == 0 {
            altitudeAccuracyMetres = observation.altitudeAccuracyMetres
        }
        let told = min(observation.created ?? report.fix.time, now)
        guard observation.battery != nil || observation.charging != nil,
            told >= batteryTold ?? .zero
        else { return }
        take(percent: observation.battery, isCharging: observation.charging)
        batteryTold = observation.created == nil ? nil : told
    }

    /// Makes a report of an observation of this device, and moves its newest fix.
    mutating func accept(_ arrival: Arrival, trace: String, at now: Timestamp) -> Report {
        let observation = arrival.observation
        let (fix, clockSkew) = Intake.corrected(observation.fix, at: now)
        let late = newest.map { fix.time < $0.time } ?? false
        if !late {
            isMoving = fix.speedCentimetresPerSecond == nil ? moves(to: fix) : nil
            altitudeAccuracyMetres = observation.altitudeAccuracyMetres
            newest = fix
            batteryTold = observation.created.map { min($0, now) }
            take(percent: observation.battery, isCharging: observation.charging)
        }
        return Report(
            id: arrival.id, person: person, device: device, fix: fix,
            trigger: observation.trigger, battery: observation.battery,
            charging: observation.charging, clockSkew: clockSkew, late: late, received: now,
            trace: trace)
    }

    /// Whether the device moved on its way from its newest fix to this one: faster than standing
    /// still is, and farther than either may be wrong. Nil where they are too far apart in time.
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
