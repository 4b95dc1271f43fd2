/// Name and value pairs of a query string or of a form, decoded, in order.
public struct Query: Hashable, Sendable {
    /// One pair.
    public struct Item: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Every pair, in order.
    public var items: [Item] = []

    public init(_ items: [Item] = []) { self.items = items }

    /// Reads `a=1&b=two+words&c=%C3%A9`: `+` is a blank, a wrong escape stays as it is written.
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

    /// The first value of a name.
    public subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    /// `a=1&b=two%20words`, escaped for a query string or a form body.
    public var encoded: String {
        items.map { Percent.encode($0.name) + "=" + Percent.encode($0.value) }
            .joined(separator: "&")
    }
}
