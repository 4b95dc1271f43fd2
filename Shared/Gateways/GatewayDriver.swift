import Model
import Web

/// Sends messages through one gateway: builds its requests and interprets its answers.
///
/// A driver is a value without side effects. The service starts the transfer and passes the outcome
/// and the callbacks back to the driver.
public struct GatewayDriver: Sendable {
    enum Kind: Sendable {
        case http(HTTPGateway)
        case mail(MailGateway)
        case sink(GatewayState.Kind)
    }

    /// What the service has to do to send a message.
    public enum PreparedAttempt: Sendable {
        /// Start this transfer and pass its outcome to ``GatewayDriver/answer(to:)``.
        case transfer(Transfer)
        /// Do nothing: the attempt has already ended.
        case ended(GatewayAnswer)
    }

    /// Name in lists and logs; unique among the drivers of a service.
    public let name: String
    public let channels: [Channel]
    let kind: Kind

    /// Name of the built-in sink in the setting and in lists.
    public static let sinkName = "sink"

    /// Sink that is used if no gateway is configured. It keeps all messages and sends none.
    public static let defaultSink = GatewayDriver(
        name: sinkName, channels: sinkChannels, kind: .sink(.defaultSink))

    /// The channels of a sink that replaces all gateways.
    static let sinkChannels = Channel.allCases.filter(\.rules.hasGateways)

    /// Sink that the operator selected to try Jaga out.
    public static func chosenSink(for channels: [Channel]) -> GatewayDriver {
        GatewayDriver(name: sinkName, channels: channels, kind: .sink(.chosenSink))
    }

    /// A sink with the same name and channels, so that gateway selection does not change.
    public var dryRun: GatewayDriver {
        if case .sink = kind { return self }
        return GatewayDriver(name: name, channels: channels, kind: .sink(.chosenSink))
    }

    /// Whether messages stay in the built-in outbox: a sink or a ``dryRun``.
    public var isSink: Bool { stateKind.isSink }

    /// The kind of gateway that is published to other services.
    public var stateKind: GatewayState.Kind {
        if case .sink(let kind) = kind { kind } else { .external }
    }

    /// Prepares an attempt to send a message.
    ///
    /// - Parameter token: identifies the transfer in its result
    public func prepare(
        _ message: GatewayMessage, token: UInt64, lane: Lane
    ) -> PreparedAttempt {
        switch kind {
        case .http(let gateway):
            guard let call = gateway.call(for: message) else {
                return .ended(GatewayAnswer(.rejected, "the address is not a phone number"))
            }
            return .transfer(
                Transfer(
                    token: token, lane: lane, .http(call),
                    timeoutMilliseconds: gateway.account.timeoutMilliseconds))
        case .mail(let gateway):
            guard let call = gateway.call(for: message) else {
                return .ended(GatewayAnswer(.rejected, "the address is not a mail address"))
            }
            return .transfer(
                Transfer(
                    token: token, lane: lane, .mail(call),
                    timeoutMilliseconds: gateway.timeoutMilliseconds))
        case .sink:
            return .ended(
                GatewayAnswer(.sink, "kept in the built-in outbox; nothing was sent"))
        }
    }

    /// Interprets the outcome of a transfer.
    public func answer(to outcome: TransferOutcome) -> GatewayAnswer {
        switch kind {
        case .http(let gateway): gateway.read(outcome)
        case .mail: MailGateway.read(outcome)
        case .sink: GatewayAnswer(.unknown, "the built-in sink starts no transfers")
        }
    }

    /// Interprets a callback; returns nil if it carries no known delivery state.
    ///
    /// The token in the callback's path identifies the message. The token is unguessable and
    /// authenticates the callback.
    public func receipt(of request: Request) -> GatewayReceipt? {
        if case .http(let gateway) = kind { gateway.receipt(of: request) } else { nil }
    }
}
