import Model

/// One ingredient of an id that is made of its meaning.
///
/// Each part carries its kind and its length into the hash, so that no two lists of parts look
/// alike: ("ab", "c") and ("a", "bc") give different ids.
///
/// ```swift
/// let id = Hash.id("notification", .id(emergency), .number(tier), .id(recipient))
/// ```
public struct HashPart: Hashable, Sendable, ExpressibleByStringLiteral {
    let encoded: [UInt8]

    private init(kind: UInt8, _ content: [UInt8]) {
        var encoded: [UInt8] = [kind]
        encoded.reserveCapacity(content.count + 5)
        encoded.appendLittleEndian(UInt32(content.count))
        encoded += content
        self.encoded = encoded
    }

    /// Nothing, which is something else than an empty text.
    public static let none = HashPart(kind: 0, [])

    public static func bytes(_ bytes: [UInt8]) -> HashPart { HashPart(kind: 1, bytes) }

    public static func text(_ text: String) -> HashPart { HashPart(kind: 2, Array(text.utf8)) }

    /// The 128 bits of an id, without what it is an id of.
    public static func id(_ id: ID128) -> HashPart { HashPart(kind: 3, id.bytes) }

    /// The 128 bits of an id, without what it is an id of.
    public static func id<Kind>(_ id: Identifier<Kind>) -> HashPart { .id(id.raw) }

    /// A whole number from the least of `Int64` to the greatest of `UInt64`.
    public static func number(_ number: some BinaryInteger) -> HashPart {
        var content: [UInt8] = []
        content.appendLittleEndian(UInt64(truncatingIfNeeded: number))
        let isSigned = Int64(exactly: number) != nil
        invariant(isSigned || UInt64(exactly: number) != nil, "a number has at most 64 bits")
        return HashPart(kind: isSigned ? 4 : 6, content)
    }

    /// Several parts where one is asked for.
    public static func parts(_ parts: HashPart...) -> HashPart {
        HashPart(kind: 5, parts.flatMap(\.encoded))
    }

    public init(stringLiteral value: String) { self = .text(value) }
}

extension [UInt8] {
    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
