import Gateways
import Hashing
import Model
import NotifierCore
import Runtime
import Web

/// Callbacks of gateways: delivery receipts and incoming SMS. Their tokens authenticate them.
struct GatewayCallbacks {
    let context: RequestContext

    private var registry: GatewayRegistry { context.registry }

    // MARK: Receipts

    /// Receives a delivery receipt.
    ///
    /// Every request with a known token succeeds, because gateways repeat requests that fail.
    func receipt(
        _ request: Request, token: String, _ counts: inout Counts
    ) throws -> (Response, Input?) {
        guard let stored = try context.store.notification(token: token) else {
            counts.receiptsUnknown += 1
            throw Problem.notFound("there is no such message")
        }
        let driver = registry.driver(stored.gateway) ?? registry.drivers.first
        let response = driver?.receiptResponse ?? .text("ok")
        guard let receipt = receipt(of: request, for: stored) else { return (response, nil) }
        counts.receipts[receipt.kind, default: 0] += 1
        let isInMemory = context.core.delivery.isInMemory(stored.id)
        let input = Input.receipt(
            Receipt(
                notification: stored.id, stored: isInMemory ? nil : stored, kind: receipt.kind,
                address: receipt.address, answer: receipt.detail, isOptOut: receipt.isOptOut))
        return (response, input)
    }

    /// Reads a receipt with the driver of the last attempt, then with the others: any gateway that
    /// got the message may report it.
    private func receipt(of request: Request, for message: Notification) -> GatewayReceipt? {
        let others = registry.drivers.filter { $0.name != message.gateway }
        let first = registry.driver(message.gateway).map { [$0] } ?? []
        return (first + others).lazy.compactMap { $0.receipt(of: request) }.first
    }

    // MARK: Replies

    /// Receives an SMS.
    ///
    /// Every request with a valid token succeeds, even if its text is unusable; otherwise the
    /// gateway would repeat it. A repeated text counts once.
    func reply(
        _ request: Request, token: String, _ counts: inout Counts, _ log: Log
    ) throws -> (Response, Input?) {
        let delivery = context.core.delivery
        let known = registry.drivers.first { delivery.replyToken(of: $0.name) == token }
        guard let driver = known, driver.acceptsReplies else {
            counts.repliesUnknown += 1
            throw Problem.notFound("no gateway has this callback")
        }
        let response = driver.replyResponse
        guard let reply = driver.reply(of: request) else {
            counts.repliesUnusable += 1
            log.warning(
                "incoming SMS not readable",
                [
                    "gateway": driver.name,
                    "hint": "Compare the REPLY_ lines of its description with its requests.",
                ])
            return (response, nil)
        }
        let id = Hash.id(
            "reply", .text(driver.name), .text(reply.sender), identity(of: reply))
        guard try context.store.apply(EventID(id), at: context.now) else { return (response, nil) }
        counts.replies += 1
        let isCommand = !reply.isContinuation && ReplyWord(reply.text) != .other
        if !isCommand { counts.repliesOther += 1 }
        let input = Input.reply(
            Reply(
                id: id, sender: reply.sender,
                text: String(reply.text.prefix(Limits.replyCharactersMax)), trace: request.trace,
                isContinuation: reply.isContinuation))
        return (response, input)
    }

    /// The gateway's message id. Without one, equal texts within ``Limits/replyRepeatedWithin`` are
    /// one.
    private func identity(of reply: GatewayReply) -> HashPart {
        if let id = reply.id { return .parts(.text("id"), .text(id)) }
        let period = context.now.seconds / (Limits.replyRepeatedWithin.milliseconds / 1000)
        return .parts(.text("words"), .text(reply.text), .number(period))
    }
}
