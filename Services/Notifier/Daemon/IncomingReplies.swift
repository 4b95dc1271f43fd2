import Gateways
import Hashing
import Model
import NotifierCore
import Web

// Incoming SMS reported by gateways.
extension NotifierService {
    /// Receives an SMS.
    ///
    /// Every request with a valid token succeeds, even if its text is unusable; otherwise the
    /// gateway would repeat it. A repeated text counts once.
    func receiveReply(_ request: Request, token: String) throws {
        let known = registry.drivers.first { core.replyToken(of: $0.name) == token }
        guard let driver = known, driver.acceptsReplies else {
            counts.repliesUnknown += 1
            throw Problem.notFound("no gateway has this callback")
        }
        host.answer(request.id, driver.replyResponse)
        guard let reply = driver.reply(of: request) else {
            counts.repliesUnusable += 1
            host.log.warning(
                "incoming SMS not readable",
                [
                    "gateway": driver.name,
                    "hint": "Compare the REPLY_ lines of its description with its requests.",
                ])
            return
        }
        let id = Hash.id(
            "reply", .text(driver.name), .text(reply.sender), identity(of: reply))
        guard try store.apply(EventID(id), at: host.now) else { return }
        counts.replies += 1
        let isCommand = !reply.isContinuation && ReplyWord(reply.text) != .other
        if !isCommand { counts.repliesOther += 1 }
        try submit(
            .reply(
                Reply(
                    id: id, sender: reply.sender,
                    text: String(reply.text.prefix(Limits.replyCharactersMax)),
                    trace: request.trace, isContinuation: reply.isContinuation)))
    }

    /// The gateway's message id. Without one, equal texts within ``Limits/replyRepeatedWithin`` are
    /// one.
    private func identity(of reply: GatewayReply) -> HashPart {
        if let id = reply.id { return .parts(.text("id"), .text(id)) }
        let period = host.now.seconds / (Limits.replyRepeatedWithin.milliseconds / 1000)
        return .parts(.text("words"), .text(reply.text), .number(period))
    }

    /// Callback URL of a gateway for incoming SMS; nil if it does not support them.
    func replyAddress(of gateway: String) -> String? {
        registry.driver(gateway)?.replyAddress(token: core.replyToken(of: gateway))
    }
}
