import Dialects
import Directory
import JourneysCore
import Model

/// Passes what phones send through the machines that accept it, in this order.
enum Intake {
    /// Accepts a batch: stores everything usable and quarantines the rest.
    ///
    /// - Returns: the outcome of its reports, and the calls for help in it
    static func accept(
        _ batch: IncomingBatch, _ reports: inout Reports, _ devices: inout Devices,
        _ emergencies: inout Emergencies, _ journeys: inout Journeys,
        _ distributor: inout ConfigurationDistributor, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) -> (counts: AcceptedReports, calls: [EmergencyID]) {
        let (person, device) = (batch.person, batch.device)
        if batch.provesContact {
            reports.recordContact(of: device, person: person, &distributor, &sequencer, &turn)
        }
        let isPrimary = reports.isPrimary(device, of: person, in: turn.directory)
        let pressed = devices.applyStatus(of: batch, isPrimary: isPrimary, &sequencer, &turn)
        let wasTagged = devices.tags.update(of: batch, &turn)
        let panics = batch.panics.filter { !($0.isTag && wasTagged) }
        var calls: [EmergencyID] = []
        for panic in panics + (pressed.map { [$0] } ?? []) {
            calls.append(
                emergencies.raise(
                    panic, from: device, of: person, received: turn.now, trace: batch.trace,
                    reports,
                    &sequencer, &turn))
        }
        let counts = reports.accept(
            batch.arrivals, of: device, received: turn.now, trace: batch.trace, &journeys,
            &sequencer, &turn)
        reports.applyBattery(of: batch, repeated: counts.battery, &sequencer, &turn)
        let knowsTag =
            panics.count < batch.panics.count && devices.tags.shouldLog(of: device, at: turn.now)
        let isOtherApp = reports.record(batch.client, of: device)
        if isOtherApp, let row = reports.devices[device] { turn.emit(.intake(.saveDevice(row))) }
        let row = DeviceLogRow(
            batch, counts, calls: calls, knowsTag: knowsTag, isOtherApp: isOtherApp, at: turn.now)
        if let row { turn.emit(.deviceLog(row)) }
        for row in batch.quarantined(at: turn.now) { turn.emit(.quarantine(.save(row))) }
        return (counts, calls)
    }

    /// Rejects a batch because the backlog is full. Live reports are accepted all the same: the
    /// phone keeps the whole batch and sends it again, and they are duplicates then.
    static func reject(
        _ batch: IncomingBatch, _ reports: inout Reports,
        _ contactStates: inout ContactStateMachine, _ journeys: inout Journeys,
        _ distributor: inout ConfigurationDistributor, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        let live = batch.arrivals.filter { !Reports.isBacklog($0.observation.fix, at: turn.now) }
        if !live.isEmpty {
            reports.recordContact(
                of: batch.device, person: batch.person, &distributor, &sequencer, &turn)
            _ = reports.accept(
                live, of: batch.device, received: turn.now, trace: batch.trace, &journeys,
                &sequencer, &turn)
        } else if !batch.wasRetained {
            // For a retained message the broker retries, not the phone.
            let rejected = RejectedRequest(
                device: batch.device, person: batch.person, trace: batch.trace)
            contactStates.recordContact(after: rejected, &reports, &sequencer, &turn)
        }
        turn.emit(.deviceLog(DeviceLogRow(rejected: batch, at: turn.now)))
        turn.answer(batch.request, .overloaded)

    }

    /// Accepts a quarantined payload as of its time of arrival: with the times of then and the same
    /// duplicate rules. It does not count as contact and requests nothing.
    static func accept(
        _ retry: QuarantineRetry, _ reports: inout Reports, _ devices: inout Devices,
        _ emergencies: inout Emergencies, _ journeys: inout Journeys,
        _ distributor: inout ConfigurationDistributor, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        guard !retry.panics.isEmpty || reports.hasRoom(for: retry.arrivals, at: turn.now) else {
            return turn.answer(retry.request, .overloaded)
        }
        if reports.devices[retry.device]?.person != retry.person {
            reports.recordContact(
                of: retry.device, person: retry.person, &distributor, &sequencer, &turn)
        }
        devices.applyStatus(of: retry, &turn)
        var calls: [EmergencyID] = []
        let isTagged = devices.tags.isTagged(retry.device)
        for panic in retry.panics where !(panic.isTag && isTagged) {
            calls.append(
                emergencies.raise(
                    panic, from: retry.device, of: retry.person, received: retry.received,
                    trace: retry.trace, reports, &sequencer, &turn))
        }
        let counts = reports.accept(
            retry.arrivals, of: retry.device, received: retry.received, trace: retry.trace,
            &journeys, &sequencer, &turn)
        turn.emit(.quarantine(retry.effect(at: turn.now)))
        turn.emit(.deviceLog(DeviceLogRow(retry, counts, calls: calls, at: turn.now)))
        turn.answer(retry.request, retry.answer(counts, calls: calls.count))
    }

    /// Raises a call for help made by the API, and accepts the report sent with it.
    static func accept(
        _ request: EmergencyRequest, _ reports: inout Reports, _ emergencies: inout Emergencies,
        _ journeys: inout Journeys, _ distributor: inout ConfigurationDistributor,
        _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        guard let (call, isStored) = emergencies.raise(request, reports, &sequencer, &turn) else {
            return
        }
        if case .device(let device, let person) = request.principal,
            isStored || request.arrival != nil
        {
            var counts = AcceptedReports()
            if let arrival = request.arrival {
                reports.recordContact(of: device, person: person, &distributor, &sequencer, &turn)
                counts = reports.accept(
                    [arrival], of: device, received: turn.now, trace: request.trace, &journeys,
                    &sequencer, &turn)
            }
            let row = DeviceLogRow(request, from: device, counts, call: call, at: turn.now)
            turn.emit(.deviceLog(row))
        }
        emergencies.answer(request.request, with: call, &turn)
    }
}
