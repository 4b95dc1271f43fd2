import DirectoryViews
import MembershipCore
import Model
import Parsing
import Runtime
import Web

extension Array {
    /// Parses the body of a request by a table of fields.
    ///
    /// - Parameters:
    ///   - readOnly: names that the API writes, and ignores in requests
    ///   - required: a field that a new entity needs, and how to choose it
    func parse<Entity>(
        _ json: JSON, readOnly: [String], required: (name: String, hint: String)? = nil
    ) throws(FieldError) -> Patch<Entity> where Element == Field<Entity> {
        let fields = try Fields(json, known: map(\.name), readOnly: readOnly)
        if let required, fields.value(required.name) == nil {
            throw .missing(required.name, hint: required.hint)
        }
        return try read(fields)
    }
}

/// Parses the body of a request about a person.
enum PersonBody {
    static func read(
        _ json: JSON, isNew: Bool, timeZones: TimeZoneFolder
    ) throws(Problem) -> PersonPatch {
        do throws(FieldError) {
            var patch = try PersonField.all.map(\.field).parse(
                json,
                readOnly: [
                    "id", "version", "credentials", "warning", "trialEnds", "guardians",
                    "wardUntil",
                ],
                required: isNew ? ("name", "use the name that others know") : nil)
            if let name = patch.timeZone, !timeZones.isTimeZone(name) {
                throw .must(
                    "be a time zone", at: "timeZone", not: .string(name),
                    hint: "use an IANA name such as Asia/Kuala_Lumpur")
            }
            if isNew, case .some(.some) = patch.primaryDevice {
                throw FieldError(
                    .value, at: "primaryDevice", "a new person has no device", hint: "remove it")
            }
            patch.contacts = patch.contacts?.map { contact in
                var contact = contact
                contact.id = ContactID(SecureRandom.id())
                return contact
            }
            return patch
        } catch {
            throw Problem(error)
        }
    }
}

/// Parses the body of a request about a device.
enum DeviceBody {
    static func read(_ json: JSON, isNew: Bool) throws(Problem) -> DevicePatch {
        do throws(FieldError) {
            return try DeviceField.all.parse(
                json, readOnly: ["id", "person", "version", "credentials"],
                required: isNew ? ("name", "such as Anna's Pixel") : nil)
        } catch {
            throw Problem(error)
        }
    }
}

extension TimeZoneFolder {
    /// Whether a name is in the machine's IANA time zone database. Without a database only the form
    /// is checked.
    func isTimeZone(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.timeZoneCharactersMax else { return false }
        return Files.exists(path)
            ? rules(of: text) != nil : text == "UTC" || text.contains("/") && isName(text)
    }
}
