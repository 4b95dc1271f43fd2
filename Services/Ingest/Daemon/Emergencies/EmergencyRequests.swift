import Dialects
import Hosting
import IngestCore
import Model
import Parsing
import Runtime
import Web

/// Requests that raise or cancel calls for help.
struct EmergencyRequests {
    let runner: CoreRunner
    let admission: AdmissionControl
    let batches: BatchRequests

    private var host: any IngestHost { runner.host }
    private var replies: Replies { runner.replies }

    /// `POST /v1/emergencies`
    func raise(_ request: Request, by principal: Principal) throws {
        let call = JagaEmergency.read(request.body, received: host.now)
        guard try !isRepeatedCall(request, by: principal) else { return }
        replies.pending[request.id]?.ignored = call.ignored
        var isWithReport = true
        if let person = principal.person, call.subject == .themselves,
            runner.core.emergencies.signals.joinsUnstored(person, at: host.now)
        {
            runner.counts.joinedCalls += 1
            // Nothing is stored, so there is no response to keep. A report sent along counts for
            // the limits.
            replies.pending[request.id]?.key = nil
            isWithReport = (try? admission.admit(principal, request)) != nil
        }
        var arrival: Arrival?
        // With a replaced secret it may not be the phone, so the position is used for the call
        // only.
        if isWithReport, case .device(let device, _) = principal,
            let observation = call.observation, host.principal(of: request) != nil
        {
            arrival = try batches.arrivals([observation], of: device).first
        }
        try runner.handle(
            .emergency(
                EmergencyRequest(
                    request: request.id, principal: principal, call: call, arrival: arrival,
                    chance: SecureRandom.id(),
                    mayCallForOthers: host.credential(of: request)?.kind.isWholePerson ?? false,
                    trace: request.trace)))
    }

    /// `POST /v1/emergencies/{emergency}/cancellation`
    func cancel(
        _ request: Request, _ emergency: EmergencyID, by principal: Principal
    ) throws {
        guard try !replies.isRepeatedCommand(request, by: principal) else { return }
        let cause = SecureRandom.id()
        let pin = try request.pin()
        replies.pending[request.id]?.delay = PINResponses.delay
        try runner.handle(
            .cancellation(
                CancelRequest(
                    request: request.id, principal: principal, emergency: emergency, cause: cause,
                    pin: pin, trace: request.trace)))
    }

    /// Whether an emergency request is a retry of the last one. In doubt it is a new call: a second
    /// notification is better than none.
    private func isRepeatedCall(_ request: Request, by principal: Principal) throws -> Bool {
        var window = RepetitionWindow.activeEmergency
        if let key = IdempotencyStore.Key(request, by: principal, within: window),
            let first = try replies.stored.response(to: key, at: host.now),
            let id = try? JSON.parse(first.body)["id"]?.string,
            !(EmergencyID(id).map(runner.core.emergencies.signals.isUnanswered) ?? false)
        {
            window = RepetitionWindow.answeredEmergency
        }
        return try replies.isRepeated(request, by: principal, status: 202, within: window)
    }
}
