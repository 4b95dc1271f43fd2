import Gateways
import Hashing
import Model
import NotifierCore
import Web

// Texts that come in, as gateways tell of them.
extension NotifierService {
    /// Everything with a gateway's token is answered with success, also what is no text of somebody
    /// with a number: a gateway would tell of it again and again. The same text counts once.
    func takeReply(_ request: Request, token: String) throws {
        let known = outgoing.drivers.first { core.replyToken(of: $0.name) == token }
        guard let driver = known, driver.takesReplies else {
            counts.repliesUnknown += 1
            throw Problem.notFound("no gateway tells of texts here")
        }
        outside.answer(request.id, driver.replyAnswer)
        guard let reply = driver.reply(of: request) else {
            counts.repliesUnusable += 1
            outside.log.warning(
                "a text that came in cannot be read",
                [
                    "gateway": driver.name,
                    "hint": "Compare the REPLY_ lines of its description with what it sends.",
                ])
            return
        }
        let id = Hash.id(
            "reply", .text(driver.name), .text(reply.sender), identity(of: reply))
        guard try store.apply(EventID(id), at: outside.now) else { return }
        counts.replies += 1
        let isCommand = !reply.isContinuation && ReplyWord(reply.text) != .other
        if !isCommand { counts.repliesOther += 1 }
        try take(
            .reply(
                Reply(
                    id: id, sender: reply.sender,
                    text: String(reply.text.prefix(Limits.replyCharactersMax)),
                    trace: request.trace, isContinuation: reply.isContinuation)))
    }

    /// The gateway's id of a text; without one, the same words within ten minutes are one.
    private func identity(of reply: GatewayReply) -> HashPart {
        if let id = reply.id { return .parts(.text("id"), .text(id)) }
        let period = outside.now.seconds / (Limits.replyRepeatedWithin.milliseconds / 1000)
        return .parts(.text("words"), .text(reply.text), .number(period))
    }

    /// Where a gateway is to tell of texts that come in; nil where it cannot.
    func replyAddress(of gateway: String) -> String? {
        outgoing.driver(gateway)?.replyAddress(token: core.replyToken(of: gateway))
    }
}
