import DirectoryViews
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// Parses the body of a PIN: `{"pin": "4711", "current": "0815"}`; null removes it.
enum PINBody {
    static func read(_ target: PINPatch.Target, _ json: JSON) throws(Problem) -> PINPatch {
        do throws(FieldError) {
            let fields = try Fields(json, known: ["pin", "current"], readOnly: ["set"])
            guard !fields.members(["pin"]).isEmpty else {
                throw .missing("pin", hint: "send null to remove it")
            }
            return PINPatch(
                target, digits: try digits(fields, "pin"), current: try digits(fields, "current"),
                random: SecureRandom.bytes(PINPatch.randomBytes))
        } catch {
            throw Problem(error)
        }
    }

    /// The message of an error never contains what was entered.
    private static func digits(
        _ fields: Fields, _ name: String
    ) throws(FieldError) -> String? {
        guard let value = fields.value(name) else { return nil }
        guard let text = value.string, PersonPIN.isValid(text) else {
            throw .must(
                "be a text of 4 to 8 digits", at: name,
                hint: "put the digits in quotation marks: \"4711\"")
        }
        return text
    }
}

extension View {
    /// Whether a PIN is set, for its person only. Nothing tells whether a duress PIN is.
    static func pin(isSet: Bool) -> JSON { ["set": .bool(isSet)] }
}
