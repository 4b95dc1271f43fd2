import Model
import Parsing
import Web

/// Reads members of a JSON object by name, and reports errors with the path of the field.
///
///     let fields = try Fields(json, known: ["name", "locale"])
///     patch.name = try fields.plainText("name", charactersMax: 100)
///
/// A missing member or `null` reads as nil. Unknown members are rejected: a mistyped name would
/// otherwise change nothing silently.
struct Fields {
    /// Path of the object; empty for the body itself.
    let path: String
    private let members: [JSON.Member]

    /// - Parameters:
    ///   - known: names of allowed members
    ///   - readOnly: names that the API writes, and ignores in requests
    init(
        _ json: JSON, at path: String = "", known: [String], readOnly: [String] = []
    ) throws(Problem) {
        self.path = path
        guard case .object(let members) = json else {
            throw .invalid(
                path.isEmpty ? "the body is not a JSON object" : "this is not a JSON object",
                field: path.isEmpty ? nil : path,
                hint: "send an object with " + known.joined(separator: ", "))
        }
        self.members = members
        var seen: Set<String> = []
        for member in members {
            guard known.contains(member.key) || readOnly.contains(member.key) else {
                throw .invalid(
                    "unknown field", field: self.path(member.key),
                    hint: "known fields: " + known.joined(separator: ", "))
            }
            guard seen.insert(member.key).inserted else {
                throw .invalid("duplicate field", field: self.path(member.key))
            }
        }
    }

    /// The path of a field of this object, such as `contacts[1].address`.
    func path(_ name: String) -> String { path.isEmpty ? name : path + "." + name }

    /// Whether the field is present, even if it is `null`.
    func contains(_ name: String) -> Bool { members.contains { $0.key == name } }

    /// The value of a field; nil if it is missing or `null`.
    func value(_ name: String) -> JSON? {
        guard let member = members.first(where: { $0.key == name }), !member.value.isNull else {
            return Optional.none
        }
        return member.value
    }

    /// The members with some names, unchanged.
    func members(_ names: [String]) -> [JSON.Member] { members.filter { names.contains($0.key) } }

    /// The problem that a required field is missing.
    func missing(_ name: String, _ hint: String? = nil) -> Problem {
        .invalid("this field is required", field: path(name), hint: hint)
    }

    /// The problem that a field is invalid.
    func invalid(_ name: String, _ detail: String, _ hint: String? = nil) -> Problem {
        .invalid(detail, field: path(name), hint: hint)
    }

    func text(_ name: String) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw invalid(name, "not a string") }
        return text
    }

    /// A trimmed text without control characters or hidden characters.
    ///
    /// - Parameter emptyAllowed: false rejects an empty text
    func plainText(
        _ name: String, charactersMax: Int, emptyAllowed: Bool = false
    ) throws(Problem) -> String? {
        guard let text = try text(name)?.trimmed else { return nil }
        guard emptyAllowed || !text.isEmpty else { throw invalid(name, "the text is empty") }
        guard text.unicodeScalars.count <= charactersMax else {
            throw invalid(name, "the text has more than \(charactersMax) characters")
        }
        if let hidden = PlainText.firstHidden(in: text) {
            let isControl = hidden.value < 0xA0
            throw invalid(
                name,
                isControl
                    ? "the text has a line break or another control character"
                    : "the text has an invisible or direction-changing character",
                "remove \(PlainText.name(of: hidden))")
        }
        return text
    }

    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else { throw invalid(name, "not true or false") }
        return flag
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw invalid(
                name, "not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A value of an enumeration.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(Problem) -> Choice? where Choice.RawValue == String {
        guard let value = value(name) else { return nil }
        return try Fields.choice(value, at: path(name), type)
    }

    /// A list of distinct values of an enumeration.
    func choices<Choice: RawRepresentable & CaseIterable & Hashable>(
        _ name: String, _ type: Choice.Type
    ) throws(Problem) -> [Choice]? where Choice.RawValue == String {
        guard let values = try array(name) else { return nil }
        var choices: [Choice] = []
        for (index, value) in values.enumerated() {
            let choice = try Fields.choice(value, at: "\(path(name))[\(index)]", type)
            if !choices.contains(choice) { choices.append(choice) }
        }
        return choices
    }

    func id<Kind: IdentifierKind>(
        _ name: String, _ type: Identifier<Kind>.Type
    ) throws(Problem) -> Identifier<Kind>? {
        guard let value = value(name) else { return nil }
        return try Fields.id(value, at: path(name), type)
    }

    /// A list of distinct ids.
    func ids<Kind: IdentifierKind>(
        _ name: String, _ type: Identifier<Kind>.Type, countMax: Int
    ) throws(Problem) -> [Identifier<Kind>]? {
        guard let values = try array(name, countMax: countMax) else { return nil }
        var ids: [Identifier<Kind>] = []
        for (index, value) in values.enumerated() {
            let id = try Fields.id(value, at: "\(path(name))[\(index)]", type)
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    func array(_ name: String, countMax: Int = 10_000) throws(Problem) -> [JSON]? {
        guard let value = value(name) else { return nil }
        guard let array = value.array else { throw invalid(name, "must be a list") }
        guard array.count <= countMax else {
            throw invalid(name, "the list has more than \(countMax) elements")
        }
        return array
    }

    /// Reads an id at any path.
    static func id<Kind: IdentifierKind>(
        _ json: JSON, at path: String, _ type: Identifier<Kind>.Type
    ) throws(Problem) -> Identifier<Kind> {
        guard let id = json.string.flatMap({ Identifier<Kind>($0) }) else {
            throw .invalid(
                "not a valid id", field: path,
                hint: "use \(Kind.prefix)_ and 26 characters")
        }
        return id
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ json: JSON, at path: String, _ type: Choice.Type
    ) throws(Problem) -> Choice where Choice.RawValue == String {
        guard let choice = json.string.flatMap({ Choice(rawValue: $0) }) else {
            throw .invalid(
                "not an allowed value", field: path,
                hint: "use one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }
}

extension String {
    /// The text without whitespace at both ends.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
