import Gateways
import Hashing
import Model
import NotifierCore
import Parsing
import Runtime
import Web

/// Requests of the operator about gateways.
struct GatewayRequests {
    let context: RequestContext

    /// The gateways with their last responses and callback addresses for incoming SMS.
    func list() -> RequestOutcome {
        let delivery = context.core.delivery
        let items = delivery.health.map { health in
            Documents.gateway(
                health,
                replies: context.registry.driver(health.name)?
                    .replyAddress(token: delivery.replyToken(of: health.name)))
        }
        return .respond(.json(["items": .array(items), "next": nil]))
    }

    /// Tests a gateway.
    ///
    /// A request repeated before its answer finds the first message by its idempotency key.
    func test(_ request: Request, gateway: String) throws -> RequestOutcome {
        let body = try request.json()
        guard let to = body["to"]?.string, !to.isEmpty else {
            throw Problem.invalid(
                "a recipient is required", field: "to",
                hint: #"send {"to":"+60…"} or {"to":"name@example.org"}"#)
        }
        let isDry = body["dryRun"]
        guard isDry == nil || isDry?.bool != nil else {
            throw Problem.invalid("not a boolean", field: "dryRun", hint: "true or false")
        }
        var id = SecureRandom.id()
        if isDry?.bool != true, let key = request.headers["Idempotency-Key"] {
            id = Hash.id("test", .text(gateway), .text(to), .text(key))
            if let first = try context.store.notification(NotificationID(id)) {
                return .respond(.json(Documents.notification(first)))
            }
        }
        return .submit(
            .test(
                GatewayTest(
                    request: request.id, gateway: gateway, to: to, id: id,
                    isDry: isDry?.bool == true, trace: request.trace)))
    }
}

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

extension Documents {
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

    static func document(_ result: TestResult, _ shown: TestExchange?) -> JSON {
        [
            "notification": .string(result.notification.description),
            "outcome": .string(result.outcome.rawValue),
            "answer": .string(result.answer),
            "request": (shown?.request).map { .string($0) } ?? nil,
            "response": (shown?.answer).map { .string($0.text) } ?? nil,
            "rule": (shown?.answer?.rule).map { .string($0) } ?? nil,
        ]
    }
}
