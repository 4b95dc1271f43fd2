/// Responds like Twilio. The number selects the outcome: see `Tests/Gateways/README.md`.
public final class TwilioStub: GatewayKit {
    public static let user = "AC1"
    public static let password = "s3cret"

    public init() throws { try super.init("twilio", ports: ["PORT"]) }

    public var url: String { "http://127.0.0.1:\(port("PORT"))" }

    /// The accepted messages, one line of JSON each.
    public var messages: [String] {
        text(of: "stub.out").split(separator: "\n").map(String.init)
    }
}
