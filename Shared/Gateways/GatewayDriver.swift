import Model
import Web

/// One way out for messages: what to send for a message, and what an answer means.
///
/// A driver is a value and does nothing by itself: the service starts the transfer, and hands the
/// outcome and the callbacks back.
public struct GatewayDriver: Sendable {
    enum Kind: Sendable {
        case http(HTTPGateway)
        case mail(MailGateway)
        case sink
    }

    /// What is to be done for a message.
    public enum Sending: Sendable {
        /// To be started; its outcome goes to ``GatewayDriver/answer(to:)``.
        case transfer(Transfer)
        /// Nothing: this is the end of the attempt.
        case ended(GatewayAnswer)
    }

    /// In lists and logs; unique among the drivers of a service.
    public let name: String
    public let channels: [Channel]
    let kind: Kind

    /// Takes everything and sends nothing, for trying Jaga out: the service shows what would have
    /// been sent.
    public static let sink = GatewayDriver(
        name: "sink", channels: [.sms, .email], kind: .sink)

    /// The same to whoever chooses among gateways, and nothing leaves: ``sink`` under its name.
    public var rehearsal: GatewayDriver {
        GatewayDriver(name: name, channels: channels, kind: .sink)
    }

    /// Whether this is ``sink``, or a ``rehearsal``.
    public var isSink: Bool { if case .sink = kind { true } else { false } }

    /// - Parameters:
    ///   - token: comes back with the transfer's result
    public func sending(_ message: GatewayMessage, token: UInt64, lane: Lane) -> Sending {
        switch kind {
        case .http(let gateway):
            guard let call = gateway.call(for: message) else {
                return .ended(GatewayAnswer(.refused, "the address is no phone number"))
            }
            return .transfer(
                Transfer(
                    token: token, lane: lane, .http(call),
                    timeoutMilliseconds: gateway.account.timeoutMilliseconds))
        case .mail(let gateway):
            guard let call = gateway.call(for: message) else {
                return .ended(GatewayAnswer(.refused, "the address is no mail address"))
            }
            return .transfer(
                Transfer(
                    token: token, lane: lane, .mail(call),
                    timeoutMilliseconds: gateway.timeoutMilliseconds))
        case .sink: return .ended(GatewayAnswer(.accepted, "kept in the built-in outbox"))
        }
    }

    /// What the outcome of a transfer means.
    public func answer(to outcome: TransferOutcome) -> GatewayAnswer {
        switch kind {
        case .http(let gateway): gateway.read(outcome)
        case .mail: MailGateway.read(outcome)
        case .sink: GatewayAnswer(.unknown, "the outbox transfers nothing")
        }
    }

    /// What a callback means; nil when it says nothing that counts.
    ///
    /// Whose message it is, the token in the callback's path tells: it is unguessable, and it is
    /// what the callback is believed for.
    public func receipt(of request: Request) -> GatewayReceipt? {
        if case .http(let gateway) = kind { gateway.receipt(of: request) } else { nil }
    }
}
