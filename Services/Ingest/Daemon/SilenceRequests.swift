import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Web

// Phones that are not heard, and what is said of them.
extension IngestService {
    func takeAllRight(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws {
        let person = try parameters.id("person", PersonID.self)
        guard
            try !isRepeated(
                request, by: principal, status: 202, within: FirstAnswers.Window.answer)
        else { return }
        let cause = SecureRandom.id()
        try take(
            .allRight(
                AllRightRequest(
                    request: request.id, principal: principal, person: person, cause: cause,
                    trace: request.trace)))
    }

    /// The operator hears at once that the suite may be deaf.
    func tellHold(since: Timestamp?) {
        guard let since else {
            return outside.log.info("devices are heard again, or are silent by themselves")
        }
        outside.log.error(
            "many devices fell silent together: are reports received? Nobody is taken for lost",
            ["since": since, "silent": core.silentCount, "devices": core.hintedCount])
    }

    var silenceAlarms: [String] {
        guard let since = core.silenceHeldSince else { return [] }
        return [
            "\(core.silentCount) of \(core.hintedCount) devices are silent, many of them since "
                + "\(since): see whether reports arrive (nginx, uplink, certificate); nobody is "
                + "taken for lost meanwhile"
        ]
    }
}

extension Counts {
    func writeSilences(to metrics: Metrics, core: Core) {
        metrics.gauge("jaga_ingest_hinted_devices", "Devices whose silence says something.")
            .set(Double(core.hintedCount))
        let silent = metrics.gauge(
            "jaga_ingest_silent_devices", "Those that are silent, by how far it has come.", "state")
        for state in SilenceState.allCases {
            silent.set(Double(core.silentCount(state)), state.rawValue)
        }
        metrics.gauge(
            "jaga_ingest_deafness_suspected",
            "1 while so many devices are silent together that nobody is taken for lost."
        ).set(core.silenceHeldSince == nil ? 0 : 1)
    }
}
