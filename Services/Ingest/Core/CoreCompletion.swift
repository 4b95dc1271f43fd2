import Dialects
import Directory
import Model

// Several messages of one fix are one report. OwnTracks on iOS sends a `transition` first and then
// the `location` of the same fix, which alone has speed, course, altitude and battery.
extension Core {
    /// Completes a stored report with what a further message of the same fix adds. The evaluator
    /// gets the completed report again if its fix is still the newest of the device.
    ///
    /// - Parameter row: of the device; takes over what is new
    mutating func complete(
        _ arrival: Arrival, of row: inout DeviceRow, trace: String, taken: inout TakenReports,
        in directory: Replica, received: Timestamp, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard let known = arrival.known else { return }
        let observation = arrival.observation
        let isNewest =
            row.newest?.time == known.fix.time && row.newest?.position == known.fix.position
        guard var report = known.completed(by: observation) else {
            if isNewest {
                taken.battery = PhoneBattery(
                    percent: observation.battery, charging: observation.charging,
                    time: observation.created ?? received)
            }
            return
        }
        report.person = row.person
        report.device = row.device
        report.trace = trace
        effects.append(.completeReport(report, device: row.number))
        travel(completed: report, in: directory, into: &effects)
        if isNewest { row.complete(with: observation, report, at: now) }
        guard !backlog.complete(report), isNewest, report.fix.time <= row.sequenced else { return }
        sequencer.append(
            .inputReport(report), id: Meaning.completion(of: report), trace: trace,
            to: row.partition, at: now, into: &effects)
    }

    /// Completes the fix in the journey that holds it.
    func travel(
        completed report: Report, in directory: Replica, into effects: inout [Effect]
    ) {
        guard journeys.isKnown(report.person) else { return }
        let leader = directory.leadingDevice(
            of: report.person, first: intake.firstDevices[report.person])
        guard leader == report.device else { return }
        journeys.complete(report.fix, of: report.person, into: &effects)
    }
}

extension Report {
    /// The report with the values that it lacks and a further message of the same fix has; nil if
    /// the message adds nothing.
    func completed(by observation: Observation) -> Report? {
        var report = self
        let told = observation.fix
        if report.fix.accuracyCentimetres == 0 {
            report.fix.accuracyCentimetres = told.accuracyCentimetres
        }
        report.fix.altitudeCentimetres = fix.altitudeCentimetres ?? told.altitudeCentimetres
        report.fix.speedCentimetresPerSecond =
            fix.speedCentimetresPerSecond ?? told.speedCentimetresPerSecond
        report.fix.courseDegrees = fix.courseDegrees ?? told.courseDegrees
        if battery == nil, observation.battery != nil {
            report.battery = observation.battery
            report.charging = observation.charging
        }
        return report == self ? nil : report
    }
}
