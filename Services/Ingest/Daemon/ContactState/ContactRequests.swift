import Hashing
import Hosting
import IngestCore
import Model
import Parsing
import Runtime
import Web

/// Check-ins.
struct ContactRequests {
    let runner: CoreRunner

    /// `POST /v1/people/{person}/check-in`
    func recordCheckIn(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws {
        let person = try parameters.id("person", PersonID.self)
        guard try !runner.replies.isRepeatedCommand(request, by: principal) else { return }
        let cause = SecureRandom.id()
        let pin = try request.pin()
        runner.replies.pending[request.id]?.delay = PINResponses.delay
        try runner.handle(
            .checkIn(
                CheckInRequest(
                    request: request.id, principal: principal, person: person, cause: cause,
                    pin: pin, trace: request.trace)))
    }
}
