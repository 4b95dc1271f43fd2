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
        case sink(GatewayState.Kind)
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

    /// The name of the built-in sink, in the setting and in lists.
    public static let sinkName = "sink"

    /// The built-in sink where no gateway is configured: it keeps every message and sends none.
    public static let defaultSink = GatewayDriver(
        name: sinkName, channels: [.sms, .email], kind: .sink(.defaultSink))

    /// The built-in sink as the operator's choice, to try Jaga out.
    public static func chosenSink(for channels: [Channel]) -> GatewayDriver {
        GatewayDriver(name: sinkName, channels: channels, kind: .sink(.chosenSink))
    }

    /// The same to whoever chooses among gateways, and nothing leaves: the sink under its name.
    public var rehearsal: GatewayDriver {
        if case .sink = kind { return self }
        return GatewayDriver(name: name, channels: channels, kind: .sink(.chosenSink))
    }

    /// Whether this is a sink, or a ``rehearsal``: nothing leaves.
    public var isSink: Bool { stateKind.isSink }

    /// What other services are told of it.
    public var stateKind: GatewayState.Kind {
        if case .sink(let kind) = kind { kind } else { .external }
    }

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
        case .sink:
            return .ended(
                GatewayAnswer(.sink, "kept in the built-in outbox; nobody outside was reached"))
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
