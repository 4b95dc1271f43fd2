import API
import Dialects
import Directory
import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Store
import Web

/// Stores calls for help whose request failed, and raises them later.
struct DeferredCallRequests {
    let runner: CoreRunner
    let reader: PhoneReader
    let admission: AdmissionControl
    let phones: PhoneRequests

    private var host: any IngestHost { runner.host }
    private var table: DeferredCalls { runner.deferredCalls }

    /// Whether a request is an authenticated call for help.
    func isEmergencyRequest(_ request: Request) -> Bool {
        deferredCall(of: request, because: "") != nil
    }

    /// Stores a call for help as it arrived.
    ///
    /// - Returns: success in the protocol of the request; nil if it is not an authenticated call
    ///   for help
    /// - Throws: errors of the store
    func deferCall(_ request: Request, because reason: String) throws -> Response? {
        guard let row = deferredCall(of: request, because: reason) else { return nil }
        try table.keep(row, at: host.now)
        return try response(toDeferred: row)
    }

    /// Stores a call for help that was published to the broker.
    ///
    /// - Returns: false if the payload is not a call for help
    func deferCall(
        _ payload: [UInt8], from device: Device, _ app: OwnTracks.App, because reason: String
    ) throws -> Bool {
        let client = PhoneProtocol.ownTracks(app)
        let parsed = client.read(
            PhonePayload(body: payload),
            reader.context(received: host.now, key: runner.keys[device.id]))
        guard !parsed.panics.isEmpty else { return false }
        let request = Request(id: 0, method: .post, path: "mqtt", body: payload)
        try table.keep(
            row(of: request, device.person, device.id, client: client, because: reason),
            at: host.now)
        host.log.error(
            "call for help stored for retry",
            ["device": device.id, "reason": reason])
        return true
    }

    private func deferredCall(of request: Request, because reason: String) -> DeferredCalls.Row? {
        guard case .found(let found, let parameters) = IngestRequests.router.route(request) else {
            return nil
        }
        switch found.id {
        case .emergencies:
            let former = admission.formerCaller(request.token.map { [$0] } ?? [])
            let principal =
                host.principal(of: request)
                ?? former.map { Principal.device($0.device, of: $0.person) }
            guard let principal, let person = principal.person else { return nil }
            // A stored call is raised for its caller. Somebody who calls for others gets the error.
            guard JagaEmergency.read(request.body, received: host.now).subject == .themselves
            else { return nil }
            var device: DeviceID?
            if case .device(let id, _) = principal { device = id }
            return row(of: request, person, device, client: nil, because: reason)
        case .reports:
            guard case .device(let device, let person) = host.principal(of: request) else {
                return nil
            }
            let payload = PhonePayload(body: request.body)
            let reading = PhoneProtocol.jaga.read(payload, reader.context(received: host.now))
            guard !reading.panics.isEmpty else { return nil }
            return row(of: request, person, device, client: .jaga, because: reason)
        case .phone(let phone):
            return phoneCall(of: request, phone, token: nil, because: reason)
        case .phoneByToken(let phone):
            return phoneCall(of: request, phone, token: parameters["token"], because: reason)
        case .emergency, .cancellation, .positions, .checkIn, .alarm, .alarmAction, .policy,
            .decisions, .accessLog, .recordAccess, .export, .device, .deviceLog, .journeys, .mqtt,
            .quarantine, .unprocessedCall:
            return nil
        }
    }

    private func phoneCall(
        of request: Request, _ phone: PhoneProtocol, token: String?, because reason: String
    ) -> DeferredCalls.Row? {
        let caller =
            (try? phones.caller(of: request, token: token))
            ?? admission.formerCaller(Array(PhoneCredentials(request, token: token)))
        guard let caller else { return nil }
        let parsed = reader.read(request, as: phone, from: caller)
        guard !parsed.reading.panics.isEmpty else { return nil }
        var row = row(
            of: request, caller.person, caller.device, client: parsed.client, because: reason)
        row.path = "phone"
        row.payload.body = row.payload.body.without(caller.secret)
        row.payload.query.items.removeAll { $0.value == caller.secret }
        return row
    }

    private func row(
        of request: Request, _ person: PersonID, _ device: DeviceID?, client: PhoneProtocol?,
        because reason: String
    ) -> DeferredCalls.Row {
        DeferredCalls.Row(
            id: Hash.id(
                .id(person), device.map { .id($0) } ?? .none, .text(request.path),
                .text(request.query.encoded), .bytes(request.body),
                .number(host.now.microseconds)),
            person: person, device: device, client: client, path: request.path,
            payload: PhonePayload(query: request.query, body: request.body),
            received: host.now, trace: request.trace, reason: reason)
    }

    private func response(toDeferred row: DeferredCalls.Row) throws -> Response {
        guard let client = row.client else {
            return Responses.response(to: .emergency(view(of: row)), status: 202)
        }
        let nothing = Answer.reports(ReportsAnswer(accepted: 0, duplicates: 0))
        if client == .jaga { return Responses.response(to: nothing, status: 202) }
        return try runner.replies.phones.response(to: nothing, as: PhoneForm(phone: client))
    }

    private func view(of row: DeferredCalls.Row) -> EmergencyView {
        let id = row.emergency
        return EmergencyView(
            id: id, emergency: id, person: row.person, trigger: row.bare.trigger,
            state: .countdown, deliveryState: .none, raised: row.received, received: row.received,
            countdownEnds: row.received + .seconds(row.bare.trigger.rules.countdownSeconds))
    }

    // MARK: Tries

    /// Raises the stored call that is due. Each attempt has its own transaction.
    ///
    /// - Parameter isBare: whether to drop its content
    /// - Throws: the error that prevents it
    func retry(isBare: Bool) throws {
        guard let row = try table.next(at: host.now) else { return }
        var call = row.bare
        if !isBare, row.client == nil {
            let parsed = JagaEmergency.read(row.payload.body, received: row.received)
            call.countdownSeconds = parsed.countdownSeconds
            call.note = parsed.note
            call.observation = parsed.observation
        } else if !isBare, let client = row.client {
            let key = row.device.flatMap { runner.keys[$0] }
            let parsed = client.read(
                row.payload, reader.context(received: row.received, key: key, device: row.device))
            let panic = parsed.panics.first
            call.raised = panic?.raised ?? call.raised
            call.observation = panic?.fix.map { fix in
                parsed.observations.first { $0.fix == fix } ?? Observation(fix: fix)
            }
        }
        try runner.handle(
            .emergency(
                EmergencyRequest(
                    request: 0, principal: row.principal, call: call,
                    chance: SecureRandom.id(), trace: row.trace)))
        try table.recordRaised(row.id, at: host.now)
        host.log.error(
            isBare
                ? "stored call for help raised without details"
                : "stored call for help raised",
            [
                "emergency": view(of: row).id, "trace": row.trace,
                "hint": "Report this to the Jaga project and upgrade.",
            ])
    }

    /// Schedules the next retry of the stored call that is due.
    func postpone() throws {
        guard let row = try table.next(at: host.now) else { return }
        try table.postpone(row.id, at: host.now)
    }
}
