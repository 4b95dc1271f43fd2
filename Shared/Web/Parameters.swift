import Model

/// Values of the `{names}` in a path's pattern, unescaped.
public struct Parameters: Sendable {
    private let values: [(name: String, value: String)]

    public init(_ values: [(String, String)]) { self.values = values }

    /// The parameters of a pattern without names.
    static let none = Parameters([])

    /// The value of a name. A name that the pattern does not have is a programming error and stops
    /// the process.
    public subscript(name: String) -> String {
        guard let entry = values.first(where: { $0.name == name }) else {
            fatalError("broken invariant: the pattern has no parameter \(name)")
        }
        return entry.value
    }

    /// The id of a name: `parameters.id("circle", CircleID.self)`.
    ///
    /// - Throws: a 404 problem if the value is not such an id
    public func id<Kind: IdentifierKind>(
        _ name: String, _ type: Identifier<Kind>.Type
    ) throws(Problem) -> Identifier<Kind> {
        guard let id = Identifier<Kind>(self[name]) else {
            throw .notFound(
                "there is no such \(name)", hint: "an id looks like \(Kind.prefix)_ + 26 characters"
            )
        }
        return id
    }
}
