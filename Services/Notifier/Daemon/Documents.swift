import Directory
import Gateways
import Model
import NotifierCore
import Parsing
import Web

/// JSON documents of the notifier's HTTP API.
enum Documents {
    /// - Parameters:
    ///   - shown: the request and response of a gateway test
    ///   - base: of URLs; nil = only the path is known
    static func response(
        to answer: Answer, in directory: Replica, at now: Timestamp, shown: TestExchange?,
        base: String? = nil
    ) -> Response {
        switch answer {
        case .status(let status): .json(document(status, in: directory))
        case .denied(.notAcknowledged): .problem(.conflict(Denial.notAcknowledged.explanation))
        case .denied(let denial): .problem(.denied(denial.explanation))
        case .unknown: .problem(.notFound("there is no such emergency"))
        case .notYet:
            .problem(
                .conflict(
                    "the emergency is still counting down",
                    hint: "nobody has been notified yet; retry after the countdown"))
        case .notEnded:
            .problem(
                .conflict(
                    "nobody has ended this emergency", hint: "there is nothing to confirm"))
        case .pinNeeded:
            .problem(.denied("the PIN is needed", hint: "Send it: {\"pin\": \"4711\"}."))
        case .wrongPIN:
            .problem(.denied("the PIN is wrong", hint: "Send your PIN: {\"pin\": \"4711\"}."))
        case .tooManyPINs(let seconds):
            .problem(.tooMany("wait after five wrong PINs", retryAfterSeconds: seconds))
        case .notReopenable:
            .problem(
                .conflict(
                    "only an emergency that somebody else ended in the last 10 minutes can be"
                        + " reopened", hint: "call for help again"))
        case .liveLink(let answer): response(to: answer, base: base, in: directory, at: now)
        case .tested(let result): .json(document(result, shown))
        case .wouldSend:
            (shown?.request).map { .json(["request": .string($0)]) }
                ?? .problem(.invalid("the gateway cannot send to this address", field: "to"))
        case .text(let text): .json(Documents.text(text, at: now))
        case .number(let number): .json(Documents.number(number))
        case .drill(let answer): Documents.response(to: answer, in: directory)
        case .expired:
            .problem(
                .conflict(
                    "the draft has expired",
                    hint: "an outdated text is not sent"))
        case .tooMany(let wait):
            .problem(
                .tooMany(
                    "too many wrong codes",
                    retryAfterSeconds: Int(max(1, wait.milliseconds / 1000))))
        case .unknownGateway:
            .problem(.notFound("there is no such gateway", hint: "GET /v1/gateways lists them"))
        case .wrongAddress:
            .problem(
                .invalid(
                    "the gateway does not serve addresses of this kind", field: "to",
                    hint: "use a number with + or a mail address with @"))
        }
    }

    /// Id and name; null for nobody or the operator.
    static func person(_ id: PersonID?, in directory: Replica) -> JSON {
        guard let id else { return nil }
        return [
            "id": .string(id.description),
            "name": directory.person(id).map { .string($0.name) } ?? nil,
        ]
    }

    /// Shows the end of a number, or the domain of a mail address.
    static func masked(_ address: String) -> String {
        if let at = address.lastIndex(of: "@") { return "…" + address[at...] }
        return "…" + address.suffix(3)
    }
}
