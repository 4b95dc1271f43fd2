import Directory

extension UnreachableReason {
    /// Why nobody can be reached, as part of an error message.
    var explanation: String {
        switch self {
        case .nobodyElse: "nobody else is in your circles"
        case .noContactPoint: "nobody else in your circles has a contact point"
        case .noGateway: "no gateway serves the contact points of the others in your circles"
        case .sinkOnly: "the server has no gateway, so it cannot send messages"
        case .gatewayDown: "the gateway is currently down"
        case .optedOut: "the others in your circles opted out of messages"
        case .dead: "messages to the others in your circles cannot be delivered"
        case .ownContact: "the others in your circles have only your own number or address"
        case .unverified: "the others in your circles have not verified their contact points"
        }
    }

    /// How to fix it.
    var hint: String {
        switch self {
        case .nobodyElse: "Join a circle or invite somebody."
        case .noContactPoint: "Ask somebody in one of your circles to add a phone number."
        case .noGateway:
            "Add a contact point of another channel, or ask the operator for a gateway."
        case .sinkOnly:
            "The operator sets JAGA_SMS_GATEWAY or JAGA_MAIL_URL; to try Jaga out, "
                + "JAGA_NOTIFIER_TRIAL=on."
        case .gatewayDown: "Retry in a few minutes, or ask the operator."
        case .optedOut: "Ask them to send START to the number that messages come from."
        case .dead: "Ask them for their current number or address."
        case .ownContact: "Ask somebody in one of your circles to add their own phone number."
        case .unverified: "Ask them to verify their phone number or address in Jaga."
        }
    }
}
