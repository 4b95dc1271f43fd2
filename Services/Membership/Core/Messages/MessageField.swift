import Model
import Parsing

/// Fields of a message that a request sets.
public typealias MessagePatch = Patch<ZoneMessage>

/// The table of a message's fields. Bodies, patches and views derive from it.
public enum MessageField {
    public static let all: [Field<ZoneMessage>] = [
        .text(
            "senderName", \.senderName, charactersMax: Limits.displayNameCharactersMax,
            emptyAllowed: true),
        .text(
            "recipientName", \.recipientName, charactersMax: Limits.displayNameCharactersMax,
            emptyAllowed: true),
        .text(
            "number", \.number, must: Channel.sms.rules.addressRequirement,
            hint: Channel.sms.rules.addressHint, check: Channel.sms.rules.address),
        .text(
            "line", \.line, charactersMax: Limits.messageLineCharactersMax, emptyAllowed: true),
        .choice("mode", \.mode),
    ]
}
