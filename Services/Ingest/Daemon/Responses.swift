import Dialects
import Directory
import IngestCore
import Model
import Parsing
import Web

/// Responses of the core as HTTP responses.
enum Responses {
    /// The response in Jaga's own API.
    static func response(to answer: Answer, status: Int, ignored: [String] = []) -> Response {
        switch answer {
        case .reports(let reports): .json(body(of: reports), status: status)
        case .quarantineRetried(let answer): .json(body(of: answer), status: status)
        case .emergency(let view): .json(body(of: view, ignored: ignored), status: status)
        case .positions(let members): PositionsText.response(members)
        case .alarm(let view): .json(body(of: view).serialized(), status: status)
        case .policy(let view): .json(body(of: view).serialized(), status: status)
        case .located(let view): .json(body(of: view).serialized(), status: status)
        case .checkIn(let time):
            .json(
                JSON.object([.init("at", .string(time.description))]).serialized(), status: status)
        case .overloaded: .problem(overloaded)
        case .tooSoon(let seconds):
            .problem(
                .tooMany("the location was requested a moment ago", retryAfterSeconds: seconds))
        case .denied(let denial): .problem(.denied(denial.explanation))
        case .notFound: .problem(.notFound("there is no object with this id"))
        case .tooManyCancels(let seconds):
            .problem(
                .tooMany(
                    "too many calls for help were cancelled; this one continues",
                    retryAfterSeconds: seconds))
        case .pinNeeded:
            .problem(.denied("the PIN is needed", hint: "Send it: {\"pin\": \"4711\"}."))
        case .wrongPIN:
            .problem(.denied("the PIN is wrong", hint: "Send your PIN: {\"pin\": \"4711\"}."))
        case .tooManyPINs(let seconds):
            .problem(.tooMany("wait after five wrong PINs", retryAfterSeconds: seconds))
        case .tooLate:
            .problem(
                .conflict(
                    "the countdown is over, and people are being notified",
                    hint: "A recipient of the emergency can resolve it."))
        case .personNeeded:
            .problem(
                .invalid(
                    "not the id of a person", field: "person",
                    hint: "name the person for whom you call, or omit the trigger guardian"))
        }
    }

    private static let overloaded = Problem.unavailable(
        "too many old reports are waiting", retryAfterSeconds: 5)

    private static func body(of answer: ReportsAnswer) -> [UInt8] {
        var members: [JSON.Member] = [
            .init("accepted", .integer(Int64(answer.accepted))),
            .init("duplicates", .integer(Int64(answer.duplicates))),
            .init(
                "quarantined",
                list(of: answer.rejections)),
        ]
        if let policy = answer.policy { members.append(.init("policy", body(of: policy))) }
        if answer.requestsLocation { members.append(.init("locate", true)) }
        return JSON.object(members).serialized()
    }

    private static func list(of rejections: [Rejection]) -> JSON {
        .array(
            rejections.map { rejection in
                var members: [JSON.Member] = [
                    .init("index", .integer(Int64(rejection.index))),
                    .init("reason", .string(rejection.reason.rawValue)),
                ]
                if let (field, hint) = advice(on: rejection.reason) {
                    members += [.init("field", .string(field)), .init("hint", .string(hint))]
                }
                return .object(members)
            })
    }

    /// The field at fault and what to send instead; nil if the reason says enough.
    private static func advice(on reason: QuarantineReason) -> (field: String, hint: String)? {
        switch reason {
        case .zeroPosition:
            ("lat", "0, 0 is not a position; send no report while there is no fix")
        case .negativeAccuracy:
            (
                "accuracy",
                "a negative accuracy marks an invalid position; send no report for it, and omit "
                    + "an unknown accuracy"
            )
        case .notJSON, .notAnObject, .otherType, .encrypted, .undecryptable, .missingPosition,
            .badPosition, .badTime, .badPicture, .invalidFix, .tooMany:
            nil
        }
    }

    private static func body(of answer: QuarantineRetryAnswer) -> JSON {
        [
            "outcome": .string(
                answer.next != nil ? "partly" : answer.isIncomplete ? "unusable" : "accepted"),
            "next": answer.next.map { .integer(Int64($0)) } ?? .null,
            "accepted": .integer(Int64(answer.accepted)),
            "duplicates": .integer(Int64(answer.duplicates)),
            "calls": .integer(Int64(answer.calls)), "quarantined": list(of: answer.rejections),
        ]
    }

    private static func body(of view: EmergencyView, ignored: [String]) -> [UInt8] {
        var members: [JSON.Member] = [
            .init("id", .string(view.id.description)),
            .init("emergency", .string(view.emergency.description)),
            .init("person", .string(view.person.description)),
            .init("trigger", .string(view.trigger.rawValue)),
            .init("state", .string(view.state.rawValue)),
            .init("deliveryState", .string(view.deliveryState.rawValue)),
            .init("raised", .string(view.raised.description)),
            .init("received", .string(view.received.description)),
            .init("countdownEnds", .string(view.countdownEnds.description)),
            .init("endedCircles", .array(view.endedCircles.map { .string($0.description) })),
            .init("joinedCalls", .integer(Int64(view.joinedCalls))),
            .init("raisedBy", view.raisedBy.map { .string($0.description) } ?? .null),
            .init("asksPerson", .bool(view.asksPerson)),
        ]
        if !ignored.isEmpty {
            members.append(.init("ignored", .array(ignored.map { .string($0) })))
        }
        return JSON.object(members).serialized()
    }
}
