import Model
import Parsing
import Web

/// The members of a JSON object, read by name; what is wrong is told with the path of its field.
///
///     let fields = try Fields(json, known: ["name", "locale"])
///     patch.name = try fields.name("name")
///
/// A member that is missing or `null` reads as nil. One that nobody knows is refused: a mistyped
/// name would otherwise change nothing in silence.
struct Fields {
    /// Path of the object; empty for the body itself.
    let path: String
    private let members: [JSON.Member]

    /// - Parameters:
    ///   - known: names that may be given
    ///   - readOnly: names that the API itself writes and passes over when they come back
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
                    "there is no field of this name", field: self.path(member.key),
                    hint: "the fields are " + known.joined(separator: ", "))
            }
            guard seen.insert(member.key).inserted else {
                throw .invalid("this field is there twice", field: self.path(member.key))
            }
        }
    }

    /// The path of a field of this object, such as `contacts[1].address`.
    func path(_ name: String) -> String { path.isEmpty ? name : path + "." + name }

    /// Whether the field is there, be it `null`.
    func contains(_ name: String) -> Bool { members.contains { $0.key == name } }

    /// The value of a field; nil where it is missing or `null`.
    func value(_ name: String) -> JSON? {
        guard let member = members.first(where: { $0.key == name }), !member.value.isNull else {
            return Optional.none
        }
        return member.value
    }

    /// Those of some names, as they came.
    func members(_ names: [String]) -> [JSON.Member] { members.filter { names.contains($0.key) } }

    /// Says that a field has to be there.
    func missing(_ name: String, _ hint: String? = nil) -> Problem {
        .invalid("this field is needed", field: path(name), hint: hint)
    }

    /// Says what is wrong with a field.
    func wrong(_ name: String, _ detail: String, _ hint: String? = nil) -> Problem {
        .invalid(detail, field: path(name), hint: hint)
    }

    func text(_ name: String) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw wrong(name, "this is not a text") }
        return text
    }

    /// A text for people: without blanks around it, without control and hidden characters.
    ///
    /// - Parameter emptyAllowed: false refuses a text of blanks alone
    func words(
        _ name: String, charactersMax: Int, emptyAllowed: Bool = false
    ) throws(Problem) -> String? {
        guard let text = try text(name)?.trimmed else { return nil }
        guard emptyAllowed || !text.isEmpty else { throw wrong(name, "this text is empty") }
        guard text.unicodeScalars.count <= charactersMax else {
            throw wrong(name, "this text has more than \(charactersMax) characters")
        }
        if let hidden = PlainText.firstHidden(in: text) {
            let isControl = hidden.value < 0xA0
            throw wrong(
                name,
                isControl
                    ? "this text has a line break or another control character"
                    : "this text has a character that is not seen, or that changes how others are",
                "leave out \(PlainText.name(of: hidden))")
        }
        return text
    }

    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else { throw wrong(name, "this is neither true nor false") }
        return flag
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw wrong(
                name, "this is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of the words of an enumeration.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(Problem) -> Choice? where Choice.RawValue == String {
        guard let value = value(name) else { return nil }
        return try Fields.choice(value, at: path(name), type)
    }

    /// A list of different words of an enumeration.
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

    /// A list of different ids.
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
        guard let array = value.array else { throw wrong(name, "this is not a list") }
        guard array.count <= countMax else {
            throw wrong(name, "this list has more than \(countMax) elements")
        }
        return array
    }

    /// An id at any place.
    static func id<Kind: IdentifierKind>(
        _ json: JSON, at path: String, _ type: Identifier<Kind>.Type
    ) throws(Problem) -> Identifier<Kind> {
        guard let id = json.string.flatMap({ Identifier<Kind>($0) }) else {
            throw .invalid(
                "this is not an id of the right kind", field: path,
                hint: "it looks like \(Kind.prefix)_ + 26 characters")
        }
        return id
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ json: JSON, at path: String, _ type: Choice.Type
    ) throws(Problem) -> Choice where Choice.RawValue == String {
        guard let choice = json.string.flatMap({ Choice(rawValue: $0) }) else {
            throw .invalid(
                "this is none of the words that are allowed here", field: path,
                hint: "use one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }
}

extension String {
    /// Without blanks at both ends.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
