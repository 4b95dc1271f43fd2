import Dialects
import Directory
import IngestCore
import Model
import Parsing
import Web

/// Answers of the core as responses.
enum Answers {
    /// In Jaga's own API.
    static func response(to answer: Answer, status: Int, ignored: [String] = []) -> Response {
        switch answer {
        case .reports(let reports): .json(body(of: reports), status: status)
        case .redelivered(let answer): .json(body(of: answer), status: status)
        case .emergency(let view): .json(body(of: view, ignored: ignored), status: status)
        case .positions(let members): PositionsText.response(members)
        case .alarm(let view): .json(body(of: view).serialized(), status: status)
        case .policy(let view): .json(body(of: view).serialized(), status: status)
        case .located(let view): .json(body(of: view).serialized(), status: status)
        case .journey: fatalError("a journey is answered with what is stored of it")
        case .allRight(let time):
            .json(
                JSON.object([.init("at", .string(time.description))]).serialized(), status: status)
        case .overloaded: .problem(overloaded)
        case .tooSoon(let seconds):
            .problem(
                .tooMany("you have asked a moment ago", retryAfterSeconds: seconds))
        case .denied(let denial): .problem(.denied(denial.explanation))
        case .notFound: .problem(.notFound("there is nothing with this id"))
        case .tooLate:
            .problem(
                .conflict(
                    "the countdown is over, people are being told",
                    hint: "somebody who was told ends the emergency"))
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
        if answer.locates { members.append(.init("locate", true)) }
        return JSON.object(members).serialized()
    }

    private static func list(of rejections: [Rejection]) -> JSON {
        .array(
            rejections.map { rejection in
                [
                    "index": .integer(Int64(rejection.index)),
                    "reason": .string(rejection.reason.rawValue),
                ]
            })
    }

    private static func body(of answer: RedeliveryAnswer) -> JSON {
        [
            "outcome": .string(
                answer.next != nil ? "partly" : answer.isSpoilt ? "unusable" : "taken"),
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
            .init("told", .string(view.told.rawValue)),
            .init("raised", .string(view.raised.description)),
            .init("received", .string(view.received.description)),
            .init("countdownEnds", .string(view.countdownEnds.description)),
        ]
        if !ignored.isEmpty {
            members.append(.init("ignored", .array(ignored.map { .string($0) })))
        }
        return JSON.object(members).serialized()
    }
}
