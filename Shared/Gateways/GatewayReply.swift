import Web

/// A text that came in over a gateway.
public struct GatewayReply: Hashable, Sendable {
    /// E.164.
    public var sender: String
    public var text: String
    /// The gateway's own id of it: the same when it tells of it again. Nil where it tells none.
    public var id: String?
    /// It goes on a text that began with another callback: its first word is no command.
    public var isContinuation: Bool

    public init(sender: String, text: String, id: String? = nil, isContinuation: Bool = false) {
        self.isContinuation = isContinuation
        self.sender = sender
        self.text = text
        self.id = id
    }
}

/// How a gateway tells of texts that came in, and the answer that it wants.
struct ReplyRule: Sendable {
    var senderField: String?
    var text = EncodedText()
    var idField: String?
    /// Content type and body; nothing, unless the gateway wants more: many send a body back as a
    /// text.
    var answer: (type: String, body: String)?

    /// Nil where the callback does not tell who wrote what.
    func reply(in callback: Query) -> GatewayReply? {
        guard let senderField, let sender = callback[senderField],
            let number = ReplyRule.number(sender), let part = text.part(in: callback)
        else { return nil }
        let id = idField.flatMap { callback[$0] }.flatMap { $0.isEmpty ? nil : $0 }
        return GatewayReply(
            sender: number, text: part.text, id: id, isContinuation: part.isContinuation)
    }

    /// A number as gateways write it: a plus that may have become a blank, `00`, or neither. A name
    /// or a short code is none.
    private static func number(_ text: String) -> String? {
        let digits = text.filter { !" +-".contains($0) }
        let number = digits.hasPrefix("00") ? digits.dropFirst(2) : digits[...]
        guard (7...15).contains(number.utf8.count), number.first != "0",
            number.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return "+\(number)"
    }
}

extension GatewayDriver {
    /// Whether it tells of texts that come in.
    public var takesReplies: Bool {
        guard case .http(let gateway) = kind else { return false }
        let rule = gateway.description.reply
        return rule.senderField != nil && rule.text.isSet
    }

    /// Where it is to tell of them.
    ///
    /// - Parameter token: unguessable; what a callback is believed for
    public func replyAddress(token: String) -> String? {
        guard case .http(let gateway) = kind, takesReplies else { return nil }
        return gateway.account.callbackBase + "/v1/replies/" + token
    }

    /// What a callback tells; nil when it is no text of somebody with a number.
    public func reply(of request: Request) -> GatewayReply? {
        guard case .http(let gateway) = kind else { return nil }
        return gateway.description.reply.reply(in: HTTPGateway.fields(of: request))
    }

    /// What the gateway wants to hear when it has told of one.
    public var replyAnswer: Response {
        guard case .http(let gateway) = kind, let answer = gateway.description.reply.answer else {
            return Response(status: 200)
        }
        return HTTPGateway.response(answer)
    }

    /// What the gateway wants to hear when it has told what became of a message.
    public var receiptAnswer: Response {
        guard case .http(let gateway) = kind, let answer = gateway.description.receiptAnswer else {
            return .text("ok")
        }
        return HTTPGateway.response(answer)
    }
}
