import API
import Model
import Parsing
import TimerCore
import Web

/// Parses and authorizes requests about the timer of a person.
struct PersonTimerRequests {
    let core: TimerCore
    let access: RequestAccess

    func outcome(
        of request: Request, _ operation: TimerOperation.Timers, _ parameters: Parameters
    ) throws(Problem) -> ParsedRequest {
        let person = try access.person(parameters, for: .watch)
        switch operation {
        case .show:
            guard let timer = core.timer(of: person) else {
                throw TimerRejection.none.problem
            }
            return .respond(.json(timer.json))
        case .start:
            return .input(.startTimer(try timer(of: person, request), request: request.id))
        case .stop: return .input(.stopTimer(person, request: request.id))
        }
    }

    /// Reads `{"seconds": 600, "text": "Pizza"}`.
    private func timer(of person: PersonID, _ request: Request) throws(Problem) -> PersonTimer {
        let seconds: Int
        let text: String
        let range = Int(Limits.timerSeconds.lowerBound)...Int(Limits.timerSeconds.upperBound)
        let json = try request.json()
        do throws(FieldError) {
            let fields = try Fields(
                json, known: ["seconds", "text"], readOnly: ["person", "started", "due"])
            guard let given = try fields.integer("seconds", in: range) else {
                throw .missing("seconds", hint: "add it, such as 600")
            }
            seconds = given
            text =
                try fields.plainText(
                    "text", charactersMax: Limits.timerTextCharactersMax, emptyAllowed: true) ?? ""
        } catch { throw Problem(error) }
        return PersonTimer(
            person: person, text: text, started: access.now,
            due: access.now + .seconds(Int64(seconds)), trace: request.trace)
    }
}

extension PersonTimer {
    /// The API's representation of a timer.
    fileprivate var json: JSON {
        [
            "person": .string(person.description), "text": .string(text),
            "started": .string(started.description), "due": .string(due.description),
        ]
    }
}

extension TimerRejection {
    /// The API's error.
    fileprivate var problem: Problem {
        switch self {
        case .none: .notFound("no timer is running")
        case .tooMany: .unavailable("too many running timers", retryAfterSeconds: 60)
        }
    }
}

extension TimerResult {
    /// The response to the request.
    var response: Response {
        switch self {
        case .started(let timer): .json(timer.json)
        case .stopped: Response(status: 204)
        case .rejected(let rejection): .problem(rejection.problem)
        }
    }
}
