import Dialects
import Directory
import Model

// Several messages of one fix form one report. OwnTracks on iOS sends a `transition` first, then
// the `location` of the same fix; only the latter has speed, course, altitude and battery.
extension Core {
    /// Adds values of a further message to a stored report. If its fix is still the newest of the
    /// device, the evaluator gets the completed report again.
    ///
    /// - Parameter row: the device's row; updated with the new values
    mutating func complete(
        _ arrival: Arrival, of row: inout DeviceRow, trace: String, counts: inout AcceptedReports,
        in directory: Replica, received: Timestamp, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard let known = arrival.known else { return }
        let observation = arrival.observation
        let isNewest =
            row.newest?.time == known.fix.time && row.newest?.position == known.fix.position
        guard var report = known.completed(by: observation) else {
            if isNewest {
                counts.battery = PhoneBattery(
                    percent: observation.battery, charging: observation.charging,
                    time: observation.created ?? received)
            }
            return
        }
        report.person = row.person
        report.device = row.device
        report.trace = trace
        effects.append(.completeReport(report, device: row.number))
        addToJourney(completed: report, in: directory, into: &effects)
        if isNewest { row.complete(with: observation, report, at: now) }
        guard !backlog.complete(report), isNewest, report.fix.time <= row.sequenced else { return }
        sequencer.append(
            .inputReport(report), id: DerivedID.completion(of: report), trace: trace,
            to: row.partition, at: now, into: &effects)
    }

    /// Completes the fix in the journey that contains it.
    func addToJourney(
        completed report: Report, in directory: Replica, into effects: inout [Effect]
    ) {
        guard journeys.isKnown(report.person) else { return }
        let primary = directory.primaryDevice(
            of: report.person, first: intake.firstDevices[report.person])
        guard primary == report.device else { return }
        journeys.complete(report.fix, of: report.person, into: &effects)
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
