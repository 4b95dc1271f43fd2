import Web

/// An incoming text message.
public struct GatewayReply: Hashable, Sendable {
    /// Sender's phone number in E.164.
    public var sender: String
    public var text: String
    /// The text's id at the gateway, for deduplication; nil if the gateway sends none.
    public var id: String?
    /// Whether the text continues an earlier callback. Its first word is then no command.
    public var isContinuation: Bool

    public init(sender: String, text: String, id: String? = nil, isContinuation: Bool = false) {
        self.isContinuation = isContinuation
        self.sender = sender
        self.text = text
        self.id = id
    }
}

/// Describes how a gateway delivers incoming texts, and the response that it expects.
struct ReplyRule: Sendable {
    var senderField: String?
    var text = EncodedText()
    var idField: String?
    /// Content type and body of the response. Nil = empty response, because many gateways send a
    /// body back to the sender as a text.
    var answer: (type: String, body: String)?

    /// Returns nil if the callback lacks the sender or the text.
    func reply(in callback: Query) -> GatewayReply? {
        guard let senderField, let sender = callback[senderField],
            let number = ReplyRule.number(sender), let part = text.part(in: callback)
        else { return nil }
        let id = idField.flatMap { callback[$0] }.flatMap { $0.isEmpty ? nil : $0 }
        return GatewayReply(
            sender: number, text: part.text, id: id, isContinuation: part.isContinuation)
    }

    /// Normalizes a phone number to E.164. Accepts a leading plus, a plus decoded as a blank, `00`,
    /// or no prefix. Returns nil for names and short codes.
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
    /// Whether the gateway delivers incoming texts.
    public var acceptsReplies: Bool {
        guard case .http(let gateway) = kind else { return false }
        let rule = gateway.description.reply
        return rule.senderField != nil && rule.text.isSet
    }

    /// The callback address for incoming texts.
    ///
    /// - Parameter token: unguessable; authenticates callbacks
    public func replyAddress(token: String) -> String? {
        guard case .http(let gateway) = kind, acceptsReplies else { return nil }
        return gateway.account.callbackBase + "/v1/replies/" + token
    }

    /// Parses a callback; returns nil if it is not a text from a phone number.
    public func reply(of request: Request) -> GatewayReply? {
        guard case .http(let gateway) = kind else { return nil }
        return gateway.description.reply.reply(in: HTTPGateway.fields(of: request))
    }

    /// The response that the gateway expects for an incoming text.
    public var replyResponse: Response {
        guard case .http(let gateway) = kind, let answer = gateway.description.reply.answer else {
            return Response(status: 200)
        }
        return HTTPGateway.response(answer)
    }

    /// The response that the gateway expects for a delivery report.
    public var receiptResponse: Response {
        guard case .http(let gateway) = kind, let answer = gateway.description.receiptResponse
        else {
            return .text("ok")
        }
        return HTTPGateway.response(answer)
    }
}
