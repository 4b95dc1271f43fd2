import Model

/// Part of the input of a derived id.
///
/// Each part is hashed with its kind and length, so that different lists of parts have different
/// hashes: ("ab", "c") and ("a", "bc") give different ids.
///
/// ```swift
/// let id = Hash.id("notification", .id(emergency), .number(tier), .id(recipient))
/// ```
public struct HashPart: Hashable, Sendable, ExpressibleByStringLiteral {
    private enum Content: Hashable {
        case none
        case bytes([UInt8])
        case text(String)
        case id(ID128)
        case signed(UInt64)
        case unsigned(UInt64)
        case parts([HashPart])
    }

    private let content: Content

    private init(_ content: Content) { self.content = content }

    /// No value; differs from an empty text.
    public static let none = HashPart(.none)

    public static func bytes(_ bytes: [UInt8]) -> HashPart { HashPart(.bytes(bytes)) }

    public static func text(_ text: String) -> HashPart { HashPart(.text(text)) }

    /// The 128 bits of an id, without its kind.
    public static func id(_ id: ID128) -> HashPart { HashPart(.id(id)) }

    /// The 128 bits of an id, without its kind.
    public static func id<Kind>(_ id: Identifier<Kind>) -> HashPart { .id(id.raw) }

    /// An integer from `Int64.min` to `UInt64.max`.
    public static func number(_ number: some BinaryInteger) -> HashPart {
        let bits = UInt64(truncatingIfNeeded: number)
        let isSigned = Int64(exactly: number) != nil
        invariant(isSigned || UInt64(exactly: number) != nil, "a number has at most 64 bits")
        return HashPart(isSigned ? .signed(bits) : .unsigned(bits))
    }

    /// Several parts as one.
    public static func parts(_ parts: HashPart...) -> HashPart { HashPart(.parts(parts)) }

    public init(stringLiteral value: String) { self = .text(value) }
}

extension HashPart {
    /// Size of kind and length before the content of each part.
    private static let headBytes = 5

    /// Size of the part in the hashed input.
    var bytes: Int { HashPart.headBytes + contentBytes }

    private var contentBytes: Int {
        switch content {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .text(let text): text.utf8.count
        case .id: 16
        case .signed, .unsigned: 8
        case .parts(let parts): parts.reduce(0) { $0 + $1.bytes }
        }
    }

    private var kind: UInt8 {
        switch content {
        case .none: 0
        case .bytes: 1
        case .text: 2
        case .id: 3
        case .signed: 4
        case .parts: 5
        case .unsigned: 6
        }
    }

    /// Writes the part into the hashed input, without allocation.
    func write(into memory: UnsafeMutableRawBufferPointer, at index: inout Int) {
        memory[index] = kind
        index += 1
        memory.write(UInt32(contentBytes).littleEndian, at: &index)
        switch content {
        case .none: break
        case .bytes(let bytes): bytes.withUnsafeBytes { memory.write($0, at: &index) }
        case .text(var text): text.withUTF8 { memory.write(UnsafeRawBufferPointer($0), at: &index) }
        case .id(let id):
            memory.write(id.high.bigEndian, at: &index)
            memory.write(id.low.bigEndian, at: &index)
        case .signed(let bits), .unsigned(let bits): memory.write(bits.littleEndian, at: &index)
        case .parts(let parts): for part in parts { part.write(into: memory, at: &index) }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func write(_ number: some FixedWidthInteger, at index: inout Int) {
        storeBytes(of: number, toByteOffset: index, as: type(of: number))
        index += number.bitWidth / 8
    }

    fileprivate func write(_ bytes: UnsafeRawBufferPointer, at index: inout Int) {
        UnsafeMutableRawBufferPointer(rebasing: self[index..<index + bytes.count])
            .copyMemory(from: bytes)
        index += bytes.count
    }
}
