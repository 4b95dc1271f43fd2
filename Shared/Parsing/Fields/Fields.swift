import Model

/// Reads members of a JSON object by name, and reports errors with the path of the field.
///
///     let fields = try Fields(json, known: ["name", "locale"])
///     patch.name = try fields.plainText("name", charactersMax: 100)
///
/// A missing member or `null` reads as nil. Unknown members of requests are rejected: a mistyped
/// name would otherwise change nothing silently.
public struct Fields: Sendable {
    /// Where the object comes from.
    public enum Source: Sendable {
        case request
        /// Unknown members are ignored. Values may exceed Jaga's limits, which are checked when
        /// they are stored.
        case file
    }

    /// Path of the object; empty for the body itself.
    public let path: String
    public let source: Source
    /// Members that are neither known nor read-only, in order; empty for requests.
    public let unknown: [String]
    private let members: [JSON.Member]

    /// - Parameters:
    ///   - known: names of allowed members
    ///   - readOnly: names that the API writes, and ignores in requests
    public init(
        _ json: JSON, at path: String = "", known: [String], readOnly: [String] = [],
        from source: Source = .request
    ) throws(FieldError) {
        self.path = path
        self.source = source
        let names = known.joined(separator: ", ")
        guard case .object(let members) = json else {
            throw .must(
                "be a JSON object", at: path, not: json, hint: "send an object with \(names)")
        }
        self.members = members
        var seen: Set<String> = []
        var unknown: [String] = []
        for member in members {
            let memberPath = path.isEmpty ? member.key : path + "." + member.key
            guard known.contains(member.key) || readOnly.contains(member.key) else {
                guard source == .file else {
                    throw FieldError(
                        .value, at: memberPath, "unknown field", hint: "known fields: \(names)")
                }
                unknown.append(member.key)
                continue
            }
            guard seen.insert(member.key).inserted else {
                throw FieldError(
                    .duplicate, at: memberPath, "\(member.key) occurs twice",
                    hint: "remove one of them")
            }
        }
        self.unknown = unknown
    }

    /// The path of a field of this object, such as `contacts[1].address`.
    public func path(_ name: String) -> String { path.isEmpty ? name : path + "." + name }

    /// Whether the field is present, even if it is `null`.
    public func contains(_ name: String) -> Bool { members.contains { $0.key == name } }

    /// The value of a field; nil if it is missing or `null`.
    public func value(_ name: String) -> JSON? {
        members.first { $0.key == name && !$0.value.isNull }?.value
    }

    /// The members with some names, unchanged.
    public func members(_ names: [String]) -> [JSON.Member] {
        members.filter { names.contains($0.key) }
    }

    /// An object in this object; nil if it is missing or `null`.
    public func object(_ name: String, known: [String]) throws(FieldError) -> Fields? {
        guard let value = value(name) else { return nil }
        return try Fields(value, at: path(name), known: known, from: source)
    }

    public func text(_ name: String) throws(FieldError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else {
            throw .must("be a string", at: path(name), not: value)
        }
        return text
    }

    /// A trimmed text without control characters or hidden characters.
    ///
    /// - Parameter emptyAllowed: false rejects an empty text
    public func plainText(
        _ name: String, charactersMax: Int, emptyAllowed: Bool = false
    ) throws(FieldError) -> String? {
        guard let text = try text(name)?.trimmed else { return nil }
        if source == .file { return text.isEmpty && !emptyAllowed ? nil : text }
        guard emptyAllowed || !text.isEmpty else {
            throw .must("not be empty", at: path(name))
        }
        let count = text.unicodeScalars.count
        guard count <= charactersMax else {
            throw .must(
                "have at most \(charactersMax) characters", at: path(name), .range,
                hint: "remove \(count - charactersMax) characters")
        }
        if let hidden = PlainText.firstHidden(in: text) {
            throw .must(
                hidden.value < 0xA0
                    ? "have no line break or other control character"
                    : "have no invisible or direction-changing character", at: path(name),
                hint: "remove \(PlainText.name(of: hidden))")
        }
        return text
    }

    /// A text that a check accepts and normalises.
    ///
    /// - Parameters:
    ///   - requirement: such as `be a phone number`
    ///   - check: returns nil for an invalid text
    public func text(
        _ name: String, must requirement: String, hint: String, _ check: (String) -> String?
    ) throws(FieldError) -> String? {
        guard let text = try text(name) else { return nil }
        guard let value = check(text) else {
            throw .must(requirement, at: path(name), not: .string(text), hint: hint)
        }
        return value
    }

    public func flag(_ name: String) throws(FieldError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else {
            throw .must("be true or false", at: path(name), not: value)
        }
        return flag
    }

    /// - Parameter inFiles: range of values in files
    public func integer(
        _ name: String, in range: ClosedRange<Int>, inFiles: ClosedRange<Int>? = nil
    ) throws(FieldError) -> Int? {
        guard let value = value(name) else { return nil }
        let range = source == .file ? inFiles ?? 0...1_000_000_000 : range
        guard let number = value.int, range.contains(number) else {
            throw .must(
                "be an integer from \(range.lowerBound) to \(range.upperBound)", at: path(name),
                not: value, value.int == nil ? .value : .range)
        }
        return number
    }

    /// A length in metres, as centimetres.
    ///
    /// - Parameter metresMax: maximum magnitude, of requests only
    public func centimetres(
        _ name: String, metresMax: Int? = nil, hint: String = "use metres, such as 150"
    ) throws(FieldError) -> Int32? {
        guard let value = value(name) else { return nil }
        guard let metres = value.double, abs(metres) <= 20_000_000,
            let centimetres = Int32(exactly: (metres * 100).rounded())
        else { throw .must("be a number of metres", at: path(name), not: value, hint: hint) }
        if let metresMax, source == .request, abs(metres) > Double(metresMax) {
            throw .must(
                "be at most \(metresMax) m", at: path(name), not: value, .range, hint: hint)
        }
        return centimetres
    }

    /// A value of an enumeration.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type = Choice.self
    ) throws(FieldError) -> Choice? where Choice.RawValue == String {
        guard let value = value(name) else { return nil }
        return try Fields.choice(value, at: path(name), type)
    }

    /// A list of distinct values of an enumeration.
    public func choices<Choice: RawRepresentable & CaseIterable & Hashable>(
        _ name: String, _ type: Choice.Type = Choice.self
    ) throws(FieldError) -> [Choice]? where Choice.RawValue == String {
        try distinct(name, countMax: 10_000) { json, path throws(FieldError) in
            try Fields.choice(json, at: path, type)
        }
    }

    public func id<Kind: IdentifierKind>(
        _ name: String, _ type: Identifier<Kind>.Type = Identifier<Kind>.self
    ) throws(FieldError) -> Identifier<Kind>? {
        guard let value = value(name) else { return nil }
        return try Fields.id(value, at: path(name), type)
    }

    /// A list of distinct ids.
    public func ids<Kind: IdentifierKind>(
        _ name: String, _ type: Identifier<Kind>.Type = Identifier<Kind>.self, countMax: Int
    ) throws(FieldError) -> [Identifier<Kind>]? {
        try distinct(name, countMax: countMax) { json, path throws(FieldError) in
            try Fields.id(json, at: path, type)
        }
    }

    public func array(_ name: String, countMax: Int = 10_000) throws(FieldError) -> [JSON]? {
        guard let value = value(name) else { return nil }
        guard let array = value.array else { throw .must("be a list", at: path(name), not: value) }
        guard array.count <= countMax else {
            throw .must(
                "have at most \(countMax) elements", at: path(name), .range,
                hint: "remove \(array.count - countMax) elements")
        }
        return array
    }

    private func distinct<Element: Equatable>(
        _ name: String, countMax: Int,
        _ read: (JSON, String) throws(FieldError) -> Element
    ) throws(FieldError) -> [Element]? {
        guard let values = try array(name, countMax: countMax) else { return nil }
        var elements: [Element] = []
        for (index, value) in values.enumerated() {
            let element = try read(value, "\(path(name))[\(index)]")
            if !elements.contains(element) { elements.append(element) }
        }
        return elements
    }

    /// Reads an id at any path.
    public static func id<Kind: IdentifierKind>(
        _ json: JSON, at path: String, _ type: Identifier<Kind>.Type
    ) throws(FieldError) -> Identifier<Kind> {
        guard let id = json.string.flatMap({ Identifier<Kind>($0) }) else {
            throw .must(
                "be an id", at: path, not: json, hint: "use \(Kind.prefix)_ and 26 characters")
        }
        return id
    }

    /// Reads a value of an enumeration at any path.
    public static func choice<Choice: RawRepresentable & CaseIterable>(
        _ json: JSON, at path: String, _ type: Choice.Type
    ) throws(FieldError) -> Choice where Choice.RawValue == String {
        guard let choice = json.string.flatMap({ Choice(rawValue: $0) }) else {
            let allowed = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .must(
                "be an allowed value", at: path, not: json, hint: "use one of \(allowed)")
        }
        return choice
    }
}

extension String {
    /// The text without whitespace at both ends.
    public var trimmed: String {
        let text = unicodeScalars
        guard let first = text.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = text.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}
