/// Channel to a person: one row of ``rules`` each.
public enum Channel: String, Sendable, Codable, CaseIterable {
    case sms, email, push

    /// How messages on this channel are addressed and written. Nothing else depends on the channel.
    public var rules: ChannelRules {
        switch self {
        case .sms: .sms
        case .email: .email
        case .push: .push
        }
    }

    /// The channel that an address is for; nil if no channel has such addresses.
    public init?(address: String) {
        guard let found = Channel.allCases.first(where: { $0.rules.address(address) != nil })
        else { return nil }
        self = found
    }
}

/// Rules that one ``Channel`` has, in the file of the channel.
public struct ChannelRules: Sendable {
    /// Form of a message's text.
    public enum Form: Sendable {
        /// One short line, without subject.
        case line
        /// Subject and several lines.
        case letter
    }

    /// Returns the normalised address; nil if it is invalid.
    public let address: @Sendable (String) -> String?
    /// What an address must be, such as `be a phone number`.
    public let addressRequirement: String
    /// How to write an address.
    public let addressHint: String
    public let form: Form
    /// First words, in capital letters, of replies with which people opt out of zone notifications,
    /// and in again; empty if nobody can reply.
    public let optOutWords: Set<String>
    public let optInWords: Set<String>
    /// Whether messages can have a file.
    public let carriesFiles: Bool
    /// Whether there are gateways for it. Without one, a contact point would only look reachable.
    public let hasGateways: Bool
    /// Whether a message rings the phone, as an alarm of the person's own has to.
    public let rings: Bool

    /// Whether people can reply.
    public var acceptsReplies: Bool { !optOutWords.isEmpty }
}

/// Bytes of addresses.
enum AddressByte {
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

extension String {
    /// The text without whitespace at both ends.
    var withoutBlanks: Substring {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
