import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Web

// Check-ins and the contact-loss hold.
extension IngestService {
    func recordCheckIn(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws {
        let person = try parameters.id("person", PersonID.self)
        guard
            try !isRepeated(
                request, by: principal, status: 202, within: StoredResponses.Window.answer)
        else { return }
        let cause = SecureRandom.id()
        try handle(
            .checkIn(
                CheckInRequest(
                    request: request.id, principal: principal, person: person, cause: cause,
                    trace: request.trace)))
    }

    /// Reports the start and end of a contact-loss hold to the operator.
    func logContactLossHold(since: Timestamp?) {
        guard let since else {
            return host.log.info("contact-loss hold ended")
        }
        host.log.error(
            "intake outage suspected",
            ["since": since, "silent": core.outOfContactCount, "devices": core.expectedCount])
    }

    var contactLossAlarms: [String] {
        guard let since = core.contactLossHeldSince else { return [] }
        return [
            "intake outage suspected since \(since): \(core.outOfContactCount) of "
                + "\(core.expectedCount) devices are out of contact; check whether reports arrive "
                + "(nginx, uplink, certificate); contact losses are held meanwhile"
        ]
    }
}

extension Counts {
    func writeContactStates(to metrics: Metrics, core: Core) {
        metrics.gauge("jaga_ingest_hinted_devices", "Devices with a contact expectation.")
            .set(Double(core.expectedCount))
        let silent = metrics.gauge(
            "jaga_ingest_silent_devices", "Devices out of contact, by contact state.", "state")
        for state in ContactState.allCases {
            silent.set(Double(core.outOfContactCount(state)), state.rawValue)
        }
        metrics.gauge(
            "jaga_ingest_intake_outage_suspected",
            "1 while an intake outage is suspected and contact losses are held."
        ).set(core.contactLossHeldSince == nil ? 0 : 1)
    }
}
