import Dialects
import IngestCore
import Model
import Parsing
import Web

/// Accepts batches of reports.
struct BatchRequests {
    let runner: CoreRunner
    let reader: PhoneReader
    let admission: AdmissionControl
    /// Two presses of "report" within this many seconds are a panic; 0 = never.
    let pressesWithinSeconds: Int64

    private var host: any IngestHost { runner.host }

    /// Accepts `POST /v1/reports`.
    func handle(_ request: Request, by principal: Principal) throws {
        let (device, person) = try principal.device()
        let reading = PhoneProtocol.jaga.read(
            PhonePayload(body: request.body), reader.context(received: host.now))
        if let excess = reading.rejections.last, excess.reason == .tooMany {
            guard excess.index > 0 else {
                throw Problem.invalid(
                    "more than \(JSON.bodyValuesMax) JSON values",
                    hint: "Send the reports in parts.")
            }
            // Calls for help are always accepted; excess reports are quarantined.
            guard !reading.panics.isEmpty else {
                throw Problem.invalid(
                    "more than \(Limits.reportsInRequest) reports", field: "reports",
                    hint: "Send them in parts.")
            }
        }
        guard try !runner.replies.isRepeated(request, by: principal, status: 202) else { return }
        try accept(reading, of: request, device: device, person: person, requestsPolicy: true)
    }

    func accept(
        _ reading: Reading, of request: Request, device: DeviceID, person: PersonID,
        client: PhoneProtocol = .jaga, requestsFriends: Bool = false, requestsPolicy: Bool = false,
        provesResponseReceived: Bool = false,
        ownTracks: OwnTracks.App? = nil
    ) throws {
        if let rejection = rejection(of: reading)
            ?? admission.wait(for: reading, of: request, device, client)
        {
            runner.replies.pending[request.id] = nil
            try runner.handle(
                .rejectedRequest(
                    RejectedRequest(device: device, person: person, trace: request.trace)))
            return host.answer(request.id, .problem(rejection))
        }
        let arrivals = try arrivals(reading.observations, of: device)
        try runner.handle(
            .batch(
                IncomingBatch(
                    request: request.id, device: device, person: person, arrivals: arrivals,
                    panics: reading.panics, rejections: reading.rejections,
                    payload: reading.rejections.isEmpty ? [] : request.body, path: request.path,
                    client: client, requestsFriends: requestsFriends,
                    requestsPolicy: requestsPolicy,
                    policyMark: reading.policyMark, provesResponseReceived: provesResponseReceived,
                    status: reading.status,
                    pressesWithinSeconds: pressesWithinSeconds, ownTracks: ownTracks,
                    trace: request.trace)))
    }

    /// Observations with their report ids and the stored reports of the same messages or fixes.
    func arrivals(
        _ observations: [Observation], of device: DeviceID
    ) throws -> [Arrival] {
        let row = runner.core.reports.devices[device]
        return try observations.map { observation in
            let id = DerivedID.report(observation, of: device)
            var known = try row.map {
                try runner.writer.intake.reports.find(id, observation.fix, of: $0)
            }
            if let report = known?.report, report.id != id {
                // An earlier message with another id, or without one, had the same fix.
                var plain = observation
                plain.messageID = nil
                let named = DerivedID.report(plain, of: device)
                if named.raw.low == report.id.raw.low { known?.report?.id = named }
            }
            return Arrival(
                id: id, observation: observation, isKnown: known?.isKnown ?? false,
                known: known?.report)
        }
    }

    /// Why reports are rejected for lack of disk space: first old ones, then all, but never those
    /// sent with a call for help.
    func rejection(of reading: Reading) -> Problem? {
        guard host.diskPressure >= .tight, reading.panics.isEmpty else { return nil }
        let isOld = reading.observations.contains { observation in
            host.now - observation.fix.time > .seconds(Limits.liveAgeSeconds)
        }
        guard isOld || host.diskPressure == .short else { return nil }
        runner.counts.diskFull += 1
        return .diskNearlyFull(host.diskPressure == .short ? "new reports" : "old reports")
    }
}

extension Principal {
    /// The device, if it is one.
    ///
    /// - Throws: 403
    func device() throws(Problem) -> (DeviceID, PersonID) {
        guard case .device(let device, let person) = self else {
            throw .denied(
                "only a device may send reports; this token belongs to a person",
                hint: "Create a device for the person and use its token.")
        }
        return (device, person)
    }
}
