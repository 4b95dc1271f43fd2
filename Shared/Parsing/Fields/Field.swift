import Model

/// One field of an entity in JSON: its name, its property, and how it is read and written.
///
/// An entity has one table of its fields. Bodies of requests, patches, views and files derive from
/// it.
public struct Field<Entity: Sendable>: Sendable {
    public typealias Reader = @Sendable (Fields, inout Patch<Entity>) throws(FieldError) -> Void

    public let name: String
    /// The property that is set.
    public let path: PartialKeyPath<Entity> & Sendable
    private let reader: Reader?
    private let writer: @Sendable (Entity) -> JSON?

    /// - Parameters:
    ///   - read: sets the property if the field is present; nil = something else reads the field
    ///   - write: returns nil if the entity lacks the field
    public init(
        _ name: String, _ path: PartialKeyPath<Entity> & Sendable, read: Reader?,
        write: @escaping @Sendable (Entity) -> JSON?
    ) {
        self.name = name
        self.path = path
        reader = read
        writer = write
    }

    /// Reads a field by a function that returns nil if it is missing.
    private init<Value: Sendable>(
        _ name: String, _ path: WritableKeyPath<Entity, Value> & Sendable,
        _ read: @escaping @Sendable (Fields) throws(FieldError) -> Value?,
        _ write: @escaping @Sendable (Value) -> JSON
    ) {
        self.init(
            name, path,
            read: { fields, patch throws(FieldError) in
                if let value = try read(fields) { patch[dynamicMember: path] = value }
            }, write: { write($0[keyPath: path]) })
    }

    /// A text without hidden characters.
    public static func text(
        _ name: String, _ path: WritableKeyPath<Entity, String> & Sendable, charactersMax: Int,
        emptyAllowed: Bool = false
    ) -> Field {
        Field(
            name, path,
            { fields throws(FieldError) in
                try fields.plainText(
                    name, charactersMax: charactersMax, emptyAllowed: emptyAllowed)
            }, { .string($0) })
    }

    /// A text that a check accepts and normalises.
    public static func text(
        _ name: String, _ path: WritableKeyPath<Entity, String> & Sendable,
        must requirement: String, hint: String, check: @escaping @Sendable (String) -> String?
    ) -> Field {
        Field(
            name, path,
            { fields throws(FieldError) in
                try fields.text(name, must: requirement, hint: hint, check)
            }, { .string($0) })
    }

    public static func flag(
        _ name: String, _ path: WritableKeyPath<Entity, Bool> & Sendable
    ) -> Field {
        Field(name, path, { fields throws(FieldError) in try fields.flag(name) }, { .bool($0) })
    }

    /// - Parameter inFiles: range of values in files
    public static func integer(
        _ name: String, _ path: WritableKeyPath<Entity, Int> & Sendable, in range: ClosedRange<Int>,
        inFiles: ClosedRange<Int>? = nil
    ) -> Field {
        Field(
            name, path,
            { fields throws(FieldError) in
                try fields.integer(name, in: range, inFiles: inFiles)
            }, { .integer(Int64($0)) })
    }

    /// A length in metres, stored in centimetres.
    public static func centimetres(
        _ name: String, _ path: WritableKeyPath<Entity, Int32> & Sendable, metresMax: Int,
        hint: String
    ) -> Field {
        Field(
            name, path,
            { fields throws(FieldError) in
                try fields.centimetres(name, metresMax: metresMax, hint: hint)
            }, { .number(Double($0) / 100) })
    }

    public static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ path: WritableKeyPath<Entity, Choice> & Sendable
    ) -> Field where Choice.RawValue == String {
        Field(
            name, path, { fields throws(FieldError) in try fields.choice(name, Choice.self) },
            { .string($0.rawValue) })
    }

    public static func choices<Choice: RawRepresentable & CaseIterable & Hashable & Sendable>(
        _ name: String, _ path: WritableKeyPath<Entity, [Choice]> & Sendable
    ) -> Field where Choice.RawValue == String {
        Field(
            name, path, { fields throws(FieldError) in try fields.choices(name, Choice.self) },
            { .array($0.map { .string($0.rawValue) }) })
    }

    public static func ids<Kind: IdentifierKind>(
        _ name: String, _ path: WritableKeyPath<Entity, [Identifier<Kind>]> & Sendable,
        countMax: Int
    ) -> Field {
        Field(
            name, path,
            { fields throws(FieldError) in
                try fields.ids(name, Identifier<Kind>.self, countMax: countMax)
            }, { .array($0.map { .string($0.description) }) })
    }

    /// An object whose missing members keep their values.
    public static func object<Part: Sendable>(
        _ name: String, _ path: WritableKeyPath<Entity, Part> & Sendable, _ table: [Field<Part>]
    ) -> Field {
        Field(
            name, path,
            read: { fields, patch throws(FieldError) in
                guard let part = try fields.object(name, known: table.map(\.name)) else { return }
                patch.set(path, try table.read(part))
            }, write: { .object(table.members(of: $0[keyPath: path])) })
    }

    fileprivate func read(_ fields: Fields, _ patch: inout Patch<Entity>) throws(FieldError) {
        try reader?(fields, &patch)
    }

    fileprivate func member(of entity: Entity) -> JSON.Member? {
        writer(entity).map { JSON.Member(name, $0) }
    }
}

extension Array {
    /// Reads the fields that are present.
    public func read<Entity>(
        _ fields: Fields
    ) throws(FieldError) -> Patch<Entity> where Element == Field<Entity> {
        var patch = Patch<Entity>()
        for field in self { try field.read(fields, &patch) }
        return patch
    }

    /// The members of an entity, in the order of the table.
    public func members<Entity>(
        of entity: Entity
    ) -> [JSON.Member] where Element == Field<Entity> {
        compactMap { $0.member(of: entity) }
    }
}
