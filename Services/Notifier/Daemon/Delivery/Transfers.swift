import Gateways
import Model
import NotifierCore
import Web

/// Attempts that are in flight at gateways, by transfer token, and gateway tests without a result.
struct Transfers {
    struct InFlightAttempt {
        var notification: NotificationID
        var attempt: Int
        var gateway: String
        var begun: Timestamp

        func result(_ answer: GatewayAnswer) -> AttemptResult {
            AttemptResult(
                notification: notification, number: attempt, outcome: answer.verdict,
                answer: answer.detail, gatewayMessage: answer.messageID,
                retryAfter: answer.retryAfter, isOptOut: answer.isOptOut)
        }
    }

    /// What starting an attempt leads to.
    enum Start {
        case transfer(Transfer)
        /// It ended at once. The built-in sink stores the message in the same transaction.
        case ended(InFlightAttempt, GatewayAnswer, isSink: Bool)
    }

    private(set) var inFlightAttempts: [UInt64: InFlightAttempt] = [:]
    private var exchanges: [NotificationID: TestExchange] = [:]
    private var lastToken: UInt64 = 0

    /// Starts an attempt.
    ///
    /// - Returns: nil if the gateway is not configured any more
    mutating func start(
        _ message: OutgoingMessage, _ registry: GatewayRegistry, at now: Timestamp
    ) -> Start? {
        guard let driver = registry.driver(message.gateway) else { return nil }
        let attempt = InFlightAttempt(
            notification: message.notification, attempt: message.attempt,
            gateway: message.gateway, begun: now)
        lastToken += 1
        let content = GatewayRegistry.message(message, at: now)
        if message.isTest { exchanges[message.notification] = TestExchange(content, by: driver) }
        let lane: Web.Lane = message.isSafety ? .safety : .ordinary
        switch driver.prepare(content, token: lastToken, lane: lane) {
        case .transfer(let transfer):
            inFlightAttempts[lastToken] = attempt
            return .transfer(transfer)
        case .ended(let answer): return .ended(attempt, answer, isSink: driver.isSink)
        }
    }

    /// Handles the end of a transfer.
    ///
    /// - Returns: nil for an unknown transfer
    mutating func completed(
        _ result: TransferResult, _ registry: GatewayRegistry
    ) -> (attempt: InFlightAttempt, answer: GatewayAnswer)? {
        guard let attempt = inFlightAttempts[result.token],
            let driver = registry.answering(attempt.gateway)
        else { return nil }
        if let test = exchanges[attempt.notification] {
            exchanges[attempt.notification]?.answer = driver.maskedAnswer(
                result.outcome, to: test.message)
        }
        return (attempt, driver.answer(to: result.outcome))
    }

    /// Request and response of a gateway test.
    mutating func exchange(
        for answer: Answer, _ registry: GatewayRegistry, at now: Timestamp
    ) -> TestExchange? {
        switch answer {
        case .tested(let result): exchanges.removeValue(forKey: result.notification)
        case .wouldSend(let message):
            registry.driver(message.gateway).map {
                TestExchange(GatewayRegistry.message(message, at: now), by: $0)
            }
        case .status, .denied, .unknown, .notYet, .notEnded, .notReopenable, .text, .number,
            .expired, .unknownGateway, .wrongAddress, .tooMany, .pinNeeded, .wrongPIN,
            .tooManyPINs, .drill, .liveLink:
            nil
        }
    }

    /// Forgets tests after a rolled-back turn.
    mutating func reset(at now: Timestamp) {
        exchanges.removeAll()
        prune(at: now)
    }

    /// Removes old in-flight attempts. Ended ones are kept for a while, because a rolled-back turn
    /// delivers their results again.
    mutating func prune(at now: Timestamp) {
        inFlightAttempts = inFlightAttempts.filter { now - $0.value.begun <= Limits.attemptTimeout }
    }
}
