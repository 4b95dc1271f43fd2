import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

/// Parses the body of a request about a circle.
enum CircleBody {
    static func read(_ json: JSON, isNew: Bool) throws(Problem) -> CirclePatch {
        do throws(FieldError) {
            return try CircleField.all.map(\.field).parse(
                json,
                // Members and sets of a new circle would differ from the given ones, so they are
                // rejected.
                readOnly: isNew
                    ? ["id", "version"]
                    : ["id", "members", "messages", "sets", "version", "zones"],
                required: isNew ? ("name", "such as Family") : nil)
        } catch {
            throw Problem(error)
        }
    }
}

/// Parses the body of a request about a membership.
enum MemberBody {
    /// - Returns: the person in the body, and the patch
    static func readNew(_ json: JSON) throws(Problem) -> (PersonID, MemberPatch) {
        do throws(FieldError) {
            let fields = try Fields(json, known: ["person", "role", "sharing", "precision"])
            guard let person = try fields.id("person", PersonID.self) else {
                throw .missing("person", hint: "use the id of a person with an account")
            }
            var patch = try shared(fields)
            patch.role = try fields.choice("role", Role.self)
            return (person, patch)
        } catch {
            throw Problem(error)
        }
    }

    static func read(_ json: JSON) throws(Problem) -> MemberPatch {
        do throws(FieldError) {
            let fields = try Fields(
                json, known: ["role", "sharing", "precision", "joinsDrills"],
                readOnly: [
                    "person", "name", "joined", "trackerID", "managed", "membersSeePosition",
                    "historyDays", "withheldFrom",
                ])
            var patch = try shared(fields)
            patch.role = try fields.choice("role", Role.self)
            patch.joinsDrills = try fields.flag("joinsDrills")
            return patch
        } catch {
            throw Problem(error)
        }
    }

    /// What the member shares.
    static func shared(_ fields: Fields) throws(FieldError) -> MemberPatch {
        var patch = MemberPatch()
        patch.sharing = try sharing(fields)
        patch.precision = try fields.choice("precision", Precision.self)
        return patch
    }

    /// `"on"`, `"off"` or `{"pausedUntil": time}`.
    private static func sharing(_ fields: Fields) throws(FieldError) -> Sharing? {
        guard let value = fields.value("sharing") else { return nil }
        switch value {
        case "on": return .on
        case "off": return .off
        case .object:
            let pause = try Fields(value, at: fields.path("sharing"), known: ["pausedUntil"])
            guard let text = try pause.text("pausedUntil") else {
                throw .missing(pause.path("pausedUntil"), hint: "such as 2026-11-20T18:00:00Z")
            }
            guard let end = Timestamp(text) else {
                throw .must(
                    "be a time", at: pause.path("pausedUntil"), not: .string(text),
                    hint: "such as 2026-11-20T18:00:00Z")
            }
            return .pausedUntil(end)
        default:
            throw .must(
                "be a sharing state", at: fields.path("sharing"), not: value,
                hint: #"use "on", "off" or {"pausedUntil": "2026-11-20T18:00:00Z"}"#)
        }
    }
}
