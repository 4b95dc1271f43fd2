import Directory
import Model
import Parsing
import TimerCore
import Web

/// The caller of a request, and what they may do.
struct RequestAccess {
    let replica: Replica
    let principal: Principal
    let reachability: Reachability
    let now: Timestamp

    func allow(_ action: Action, on target: RightsTarget) throws(Problem) {
        if let denial = replica.decide(principal, action, on: target, at: now).denial {
            throw .denied(denial.explanation)
        }
    }

    /// The person of the path, if the caller may act for them.
    ///
    /// - Throws: 404 for somebody whom the caller may not read
    func person(
        _ parameters: Parameters, for action: Action
    ) throws(Problem) -> PersonID {
        let id = try parameters.id("person", PersonID.self)
        guard replica.person(id) != nil,
            replica.decide(principal, .readPerson, on: .person(id), at: now).isAllowed
        else { throw .notFound("person not found") }
        try allow(action, on: .person(id))
        return id
    }

    /// The PIN that a request needs to end something of a person: that in its body, if the caller
    /// is that person.
    func pin(in request: Request, of person: PersonID) throws(Problem) -> PINEntry {
        guard principal.person == person else { return .notNeeded }
        guard !request.body.isEmpty else { return .entered(nil) }
        return .entered(try RequestAccess.pin(in: try request.json()))
    }

    /// The PIN in a body; nil = there is none.
    static func pin(in json: JSON) throws(Problem) -> String? {
        guard let value = json["pin"], !value.isNull else { return nil }
        guard let text = value.string, PersonPIN.isValid(text) else {
            throw .invalid(
                "must be a text of 4 to 8 digits", field: "pin",
                hint: #"Put the digits in quotation marks: "4711"."#)
        }
        return text
    }
}

extension PINRejection {
    /// The API's error.
    var problem: Problem {
        switch self {
        case .needed: .denied("the PIN is needed", hint: #"Send it: {"pin": "4711"}."#)
        case .wrong: .denied("the PIN is wrong", hint: #"Send your PIN: {"pin": "4711"}."#)
        case .wait(let seconds):
            .tooMany("wait after five wrong PINs", retryAfterSeconds: seconds)
        }
    }
}
