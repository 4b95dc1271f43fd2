import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// Parses the body of a request about a person.
enum PersonBody {
    static func read(
        _ json: JSON, isNew: Bool, timeZones: TimeZoneFolder
    ) throws(Problem) -> PersonPatch {
        let fields = try Fields(
            json,
            known: [
                "name", "locale", "timeZone", "contacts", "plan", "billing", "affiliation",
                "signIn", "primaryDevice",
            ], readOnly: ["id", "version", "credentials"])
        var patch = PersonPatch()
        patch.name = try fields.plainText("name", charactersMax: Limits.nameCharactersMax)
        if isNew, patch.name == nil {
            throw fields.missing("name", "use the name that others know")
        }
        patch.locale = try checked(
            fields, "locale", Addresses.locale, hint: "use a tag such as en, ms or id-ID")
        patch.timeZone = try checked(
            fields, "timeZone", { Addresses.timeZone($0, in: timeZones) },
            hint: "use an IANA name such as Asia/Kuala_Lumpur")
        patch.contacts = try contacts(fields)
        patch.plan = try fields.choice("plan", Plan.self)
        patch.billing = try fields.choice("billing", BillingSource.self)
        patch.affiliation = try fields.choice("affiliation", Affiliation.self)
        patch.signIn = try fields.choice("signIn", SignInKind.self)
        if fields.contains("primaryDevice") {
            if isNew, fields.value("primaryDevice") != nil {
                throw fields.invalid("primaryDevice", "a new person has no device")
            }
            patch.primaryDevice = .some(try fields.id("primaryDevice", DeviceID.self))
        }
        return patch
    }

    private static func contacts(_ fields: Fields) throws(Problem) -> [ContactPoint]? {
        guard let values = try fields.array("contacts") else { return nil }
        var contacts: [ContactPoint] = []
        for (index, value) in values.enumerated() {
            contacts.append(
                try contact(value, at: "\(fields.path("contacts"))[\(index)]", index: index))
        }
        return contacts
    }

    private static func contact(
        _ json: JSON, at path: String, index: Int
    ) throws(Problem) -> ContactPoint {
        let fields = try Fields(
            json, at: path, known: ["channel", "address", "rank"], readOnly: ["id"])
        guard let channel = try fields.choice("channel", Channel.self) else {
            throw fields.missing("channel", "use sms or email")
        }
        let address: String?
        switch channel {
        case .sms:
            address = try checked(
                fields, "address", Addresses.phone,
                hint: "use + and the country code, such as +60123456789")
        case .email:
            address = try checked(
                fields, "address", Addresses.mail, hint: "use name@domain without a display name")
        case .push:
            address = try checked(
                fields, "address", Addresses.push, hint: "use the endpoint of the push service")
        }
        guard let address else { throw fields.missing("address") }
        let rank = try fields.integer("rank", in: 0...Limits.contactRankMax)
        return ContactPoint(
            id: ContactID(SecureRandom.id()), channel: channel, address: address,
            rank: rank ?? index)
    }

    /// Returns the normalised value of a field.
    private static func checked(
        _ fields: Fields, _ name: String, _ check: (String) -> String?, hint: String
    ) throws(Problem) -> String? {
        guard let text = try fields.text(name) else { return nil }
        guard let value = check(text) else {
            throw fields.invalid(name, "the value is invalid", hint)
        }
        return value
    }
}

/// Parses the body of a request about a device.
enum DeviceBody {
    static func read(_ json: JSON, isNew: Bool) throws(Problem) -> DevicePatch {
        let fields = try Fields(
            json, known: ["name", "platform", "client"],
            readOnly: ["id", "person", "version", "credentials"])
        var patch = DevicePatch()
        patch.name = try fields.plainText("name", charactersMax: Limits.nameCharactersMax)
        if isNew, patch.name == nil { throw fields.missing("name", "such as Anna's Pixel") }
        patch.platform = try fields.choice("platform", Platform.self)
        patch.client = try fields.plainText(
            "client", charactersMax: Limits.clientCharactersMax, emptyAllowed: true)
        return patch
    }
}
