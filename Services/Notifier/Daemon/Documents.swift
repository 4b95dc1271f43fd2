import Directory
import Gateways
import Model
import NotifierCore
import Parsing
import Web

/// Request and response of a gateway test, as shown to the operator.
struct TestExchange {
    let message: GatewayMessage
    /// Nil if the gateway does not serve the address.
    let request: String?
    /// Nil until the gateway answers, and in a dry run.
    var answer: MaskedAnswer?

    init(_ message: GatewayMessage, by driver: GatewayDriver) {
        self.message = message
        request = driver.maskedRequest(for: message)
    }
}

/// JSON documents of the notifier's HTTP API.
enum Documents {
    /// - Parameter shown: the request and response of a gateway test
    static func response(
        to answer: Answer, in directory: Replica, at now: Timestamp, shown: TestExchange?
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
        case .tested(let result): .json(document(result, shown))
        case .wouldSend:
            (shown?.request).map { .json(["request": .string($0)]) }
                ?? .problem(.invalid("the gateway cannot send to this address", field: "to"))
        case .text(let text): .json(Documents.text(text, at: now))
        case .number(let number): .json(Documents.number(number))
        case .expired:
            .problem(
                .conflict(
                    "the draft has expired",
                    hint: "an outdated text is not sent"))
        case .unknownGateway:
            .problem(.notFound("there is no such gateway", hint: "GET /v1/gateways lists them"))
        case .wrongAddress:
            .problem(
                .invalid(
                    "the gateway does not serve addresses of this kind", field: "to",
                    hint: "use a number with + or a mail address with @"))
        }
    }

    private static func document(_ status: EmergencyStatus, in directory: Replica) -> JSON {
        [
            "emergency": .string(status.emergency.description),
            "state": .string(status.state.rawValue),
            "by": person(status.by, in: directory),
            "at": .string(status.at.description),
            "yours": .bool(status.isYours),
        ]
    }

    private static func document(_ result: TestResult, _ shown: TestExchange?) -> JSON {
        [
            "notification": .string(result.notification.description),
            "outcome": .string(result.outcome.rawValue),
            "answer": .string(result.answer),
            "request": (shown?.request).map { .string($0) } ?? nil,
            "response": (shown?.answer).map { .string($0.text) } ?? nil,
            "rule": (shown?.answer?.rule).map { .string($0) } ?? nil,
        ]
    }

    /// Id and name; null for nobody or the operator.
    static func person(_ id: PersonID?, in directory: Replica) -> JSON {
        guard let id else { return nil }
        return [
            "id": .string(id.description),
            "name": directory.person(id).map { .string($0.name) } ?? nil,
        ]
    }

    /// - Parameter replies: callback address for incoming SMS; operator only
    static func gateway(_ health: GatewayHealth, replies: String?) -> JSON {
        func time(_ time: Timestamp?) -> JSON { time.map { .string($0.description) } ?? nil }
        return [
            "name": .string(health.name), "down": .bool(health.isDown),
            "since": time(health.since),
            "lastOutcome": health.lastOutcome.map { .string($0.rawValue) } ?? nil,
            "lastAnswer": .string(health.lastAnswer), "lastAnswered": time(health.lastAnswered),
            "lastAccepted": time(health.lastAccepted),
            "failures": .integer(Int64(health.failures)),
            "replies": replies.map { .string($0) } ?? nil,
        ]
    }

    /// A message without its text and with a masked address.
    static func notification(_ row: Notification) -> JSON {
        [
            "id": .string(row.id.description), "state": .string(row.state.rawValue),
            "reason": .string(row.reason.rawValue), "severity": .string(row.severity.rawValue),
            "channel": .string(row.channel.rawValue), "to": .string(masked(row.address)),
            "person": row.person.map { .string($0.description) } ?? nil,
            "recipient": row.recipient.map { .string($0.description) } ?? nil,
            "emergency": row.emergency.map { .string($0.description) } ?? nil,
            "circle": row.circle.map { .string($0.description) } ?? nil,
            "created": .string(row.created.description),
            "expires": .string(row.expires.description),
            "attemptsMade": .integer(Int64(row.attempts)),
            "due": row.due.map { .string($0.description) } ?? nil,
            "gateway": .string(row.gateway), "answer": .string(row.answer),
            "trace": .string(row.trace),
        ]
    }

    /// Shows the end of a number, or the domain of a mail address.
    static func masked(_ address: String) -> String {
        if let at = address.lastIndex(of: "@") { return "…" + address[at...] }
        return "…" + address.suffix(3)
    }

    static func timeline(_ row: TimelineRecord, seq: Int64, in directory: Replica) -> JSON {
        var members: [JSON.Member] = [
            .init("id", .string(String(seq))), .init("at", .string(row.at.description)),
            .init("kind", .string(row.kind.rawValue)),
            .init("person", person(row.person, in: directory)),
        ]
        if let zone = row.zone {
            members.append(
                .init(
                    "zone",
                    [
                        "id": .string(zone.description), "name": .string(row.zoneName ?? ""),
                    ]))
        }
        if let emergency = row.emergency {
            members.append(.init("emergency", .string(emergency.description)))
        }
        if row.by != nil { members.append(.init("by", person(row.by, in: directory))) }
        if let text = row.text { members.append(.init("words", .string(text))) }
        if let tier = row.tier { members.append(.init("tier", .integer(Int64(tier)))) }
        if let round = row.round { members.append(.init("round", .integer(Int64(round)))) }
        if row.isSinkOnly == true { members.append(.init("nobodyOutside", .bool(true))) }
        let decisions = row.decisions.map { decision -> JSON in
            [
                "person": person(decision.recipient, in: directory),
                "told": .bool(decision.reason.sendsMessage),
                "reason": .string(decision.reason.rawValue),
            ]
        }
        members.append(.init("decisions", .array(decisions)))
        return .object(members)
    }
}
