import Model
import Parsing

typealias PersonPatch = Patch<Person>

/// The table of a person's fields. Bodies, patches, views and rights derive from it.
public enum PersonField {
    public static let all: [EditableField<Person>] = [
        EditableField(
            .text("name", \.name, charactersMax: Limits.nameCharactersMax), .editName),
        EditableField(
            .text(
                "locale", \.locale, must: "be a language tag",
                hint: "use a tag such as en, ms or id-ID", check: LanguageTag.normalized),
            .editProfile),
        // The daemon checks whether the time zone exists.
        EditableField(
            .text("timeZone", \.timeZone, charactersMax: Limits.timeZoneCharactersMax),
            .editProfile),
        EditableField(
            Field("contacts", \.contacts, read: readContacts, write: { contacts($0.contacts) }),
            .editContactPoints),
        EditableField(.choice("plan", \.plan), .changePlan),
        EditableField(.choice("billing", \.billing), .administer),
        EditableField(.choice("affiliation", \.affiliation), .administer),
        EditableField(.choice("signIn", \.signIn), .administer),
        EditableField(
            Field(
                "staff", \.staff,
                read: { fields, patch throws(FieldError) in
                    guard fields.contains("staff") else { return }
                    patch.staff = .some(try fields.choice("staff", StaffRole.self))
                },
                write: { $0.staff.map { .string($0.rawValue) } ?? .null }),
            .administer),
        EditableField(
            Field(
                "primaryDevice", \.primaryDevice,
                read: { fields, patch throws(FieldError) in
                    guard fields.contains("primaryDevice") else { return }
                    patch.primaryDevice = .some(
                        try fields.id("primaryDevice", DeviceID.self))
                },
                write: { $0.primaryDevice.map { .string($0.description) } ?? .null }),
            .editProfile),
    ]

    /// The daemon gives new contact points their ids.
    @Sendable private static func readContacts(
        _ fields: Fields, _ patch: inout PersonPatch
    ) throws(FieldError) {
        guard let values = try fields.array("contacts") else { return }
        var contacts: [ContactPoint] = []
        for (index, value) in values.enumerated() {
            let contact = try Fields(
                value, at: "\(fields.path("contacts"))[\(index)]",
                known: ["channel", "address", "rank", "label", "vouched"],
                readOnly: ["id", "verified"])
            guard let channel = try contact.choice("channel", Channel.self) else {
                throw .missing(contact.path("channel"), hint: "use sms or email")
            }
            let rules = channel.rules
            let address = try contact.text(
                "address", must: rules.addressRequirement, hint: rules.addressHint, rules.address)
            guard let address else {
                throw .missing(contact.path("address"), hint: rules.addressHint)
            }
            let rank = try contact.integer("rank", in: 0...Limits.contactRankMax)
            let label = try contact.plainText(
                "label", charactersMax: Limits.contactLabelCharactersMax, emptyAllowed: true)
            contacts.append(
                ContactPoint(
                    id: ContactID(.zero), channel: channel, address: address, rank: rank ?? index,
                    label: label ?? "", vouched: try contact.flag("vouched") ?? false))
        }
        patch.contacts = contacts
    }

    private static func contacts(_ contacts: [ContactPoint]) -> JSON {
        .array(
            contacts.map {
                [
                    "id": .string($0.id.description), "channel": .string($0.channel.rawValue),
                    "address": .string($0.address), "rank": .integer(Int64($0.rank)),
                    "label": .string($0.label),
                    "verified": $0.verified.map { .string($0.description) } ?? .null,
                    "vouched": .bool($0.vouched),
                ]
            })
    }
}

/// Language tags such as `en` or `ms-MY` (BCP 47).
package enum LanguageTag {
    /// Returns nil if the form is invalid.
    @Sendable package static func normalized(_ text: String) -> String? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy({ isAlphanumeric($0) && !(48...57).contains($0) }),
            parts.dropFirst().allSatisfy({
                (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isAlphanumeric)
            }), text.utf8.count <= 35
        else { return nil }
        return text
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }
}
