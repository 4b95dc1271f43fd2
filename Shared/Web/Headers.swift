/// Header fields in order. Names are case-insensitive.
public struct Headers: Hashable, Sendable, ExpressibleByDictionaryLiteral, Sequence {
    /// One header line.
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Every line, in order.
    public private(set) var fields: [Field] = []

    public init() {}

    /// Creates an empty list with capacity.
    init(capacity: Int) { fields.reserveCapacity(capacity) }

    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }

    /// The first value of a name. Setting it replaces all fields with that name; nil removes them.
    public subscript(name: String) -> String? {
        get {
            let count = name.utf8.count
            for field in fields
            where field.name.utf8.count == count && equalIgnoringCase(field.name, name) {
                return field.value
            }
            return nil
        }
        set {
            fields.removeAll { equalIgnoringCase($0.name, name) }
            if let newValue { fields.append(Field(name, newValue)) }
        }
    }

    /// All values of a name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { equalIgnoringCase($0.name, name) }.map(\.value)
    }

    /// The last value of a name.
    func last(_ name: String) -> String? {
        fields.last { equalIgnoringCase($0.name, name) }?.value
    }

    /// Appends a field, even if the name exists.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }
}

/// Whether two texts are equal, ignoring the case of ASCII letters.
func equalIgnoringCase(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    // Runs about a dozen times per request, so it compares in place without a copy.
    let isEqual = left.utf8.withContiguousStorageIfAvailable { left in
        right.utf8.withContiguousStorageIfAvailable { right in
            left.indices.allSatisfy { asciiLowercase(left[$0]) == asciiLowercase(right[$0]) }
        }
    }
    return isEqual.flatMap(\.self)
        ?? zip(left.utf8, right.utf8).allSatisfy { asciiLowercase($0) == asciiLowercase($1) }
}

private func asciiLowercase(_ byte: UInt8) -> UInt8 {
    byte >= 65 && byte <= 90 ? byte | 32 : byte
}
