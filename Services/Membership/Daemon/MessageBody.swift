import MembershipCore
import Model
import Parsing
import Web

/// Parses the body of a request about a message.
enum MessageBody {
    static func read(_ json: JSON, isNew: Bool) throws(Problem) -> MessagePatch {
        let fields = try Fields(
            json, known: ["senderName", "recipientName", "number", "line", "mode"],
            readOnly: ["id", "circle", "person", "confirmed", "codeExpires", "version"])
        var patch = MessagePatch()
        patch.senderName = try fields.plainText(
            "senderName", charactersMax: Limits.displayNameCharactersMax, emptyAllowed: true)
        patch.recipientName = try fields.plainText(
            "recipientName", charactersMax: Limits.displayNameCharactersMax, emptyAllowed: true)
        patch.line = try fields.plainText(
            "line", charactersMax: Limits.messageLineCharactersMax, emptyAllowed: true)
        patch.mode = try fields.choice("mode", ZoneMessage.Mode.self)
        let hint = "use + and the country code, such as +60123456789"
        if let text = try fields.text("number") {
            guard let number = Addresses.phone(text) else {
                throw fields.invalid("number", "not a phone number", hint)
            }
            patch.number = number
        }
        if isNew, patch.number == nil { throw fields.missing("number", hint) }
        return patch
    }
}

/// Parses the body of a request about a set of zones.
enum SetBody {
    static func name(_ json: JSON, isNew: Bool) throws(Problem) -> String? {
        let fields = try Fields(json, known: ["name"], readOnly: ["id", "zones", "version"])
        let name = try fields.plainText("name", charactersMax: Limits.nameCharactersMax)
        if isNew, name == nil { throw fields.missing("name", "such as Flood areas") }
        return name
    }
}

extension View {
    /// - Parameter codeExpires: when the pending code expires; nil if there is none
    static func message(_ message: ZoneMessage, codeExpires: Timestamp?) -> JSON {
        .object([
            .init("id", .string(message.id.description)), owner(message.owner),
            .init("senderName", .string(message.senderName)),
            .init("recipientName", .string(message.recipientName)),
            .init("number", .string(message.number)), .init("line", .string(message.line)),
            .init("mode", .string(message.mode.rawValue)),
            .init("confirmed", text(message.confirmed?.description)),
            .init("codeExpires", text(codeExpires?.description)),
            .init("version", .integer(message.version)),
        ])
    }

    /// - Parameter zones: number of zones in the set
    static func set(_ set: ZoneSet, zones: Int) -> JSON {
        [
            "id": .string(set.id.description), "name": .string(set.name),
            "zones": .integer(Int64(zones)), "version": .integer(set.version),
        ]
    }
}
