import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

/// Parses the body of a request about a message.
enum MessageBody {
    static func read(_ json: JSON, isNew: Bool) throws(Problem) -> MessagePatch {
        do throws(FieldError) {
            return try MessageField.all.parse(
                json,
                readOnly: [
                    "id", "circle", "person", "confirmed", "codeExpires", "version", "wholeCircle",
                ],
                required: isNew ? ("number", Channel.sms.rules.addressHint) : nil)
        } catch {
            throw Problem(error)
        }
    }
}

/// Parses the body of a request about a set of zones.
enum SetBody {
    static func name(_ json: JSON, isNew: Bool) throws(Problem) -> String? {
        let table: [Field<ZoneSet>] = [
            .text("name", \.name, charactersMax: Limits.nameCharactersMax)
        ]
        do throws(FieldError) {
            return try table.parse(
                json, readOnly: ["id", "zones", "version"],
                required: isNew ? ("name", "such as Flood areas") : nil
            ).name
        } catch {
            throw Problem(error)
        }
    }
}

extension View {
    /// - Parameter codeExpires: when the pending code expires; nil if there is none
    static func message(_ message: ZoneMessage, codeExpires: Timestamp?) -> JSON {
        .object(
            [.init("id", .string(message.id.description)), owner(message.owner)]
                + MessageField.all.members(of: message) + [
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
