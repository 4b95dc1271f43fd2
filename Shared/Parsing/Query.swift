/// Decoded name and value pairs of a query string or form, in order.
public struct Query: Hashable, Sendable {
    /// One pair of a name and a value.
    public struct Item: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All pairs in order.
    public var items: [Item] = []

    public init(_ items: [Item] = []) { self.items = items }

    /// Parses `a=1&b=two+words&c=%C3%A9`. `+` is a blank; a malformed escape stays unchanged.
    public init(encoded: some StringProtocol) {
        for part in encoded.utf8.split(separator: UInt8(ascii: "&")) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = part[end...].dropFirst()
            items.append(
                Item(
                    Percent.decode(part[..<end], plusIsBlank: true),
                    Percent.decode(value, plusIsBlank: true)))
        }
    }

    /// The first value of a name, or nil.
    public subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    /// The pairs escaped for a query string or form body: `a=1&b=two%20words`.
    public var encoded: String {
        items.map { Percent.encode($0.name) + "=" + Percent.encode($0.value) }
            .joined(separator: "&")
    }
}
