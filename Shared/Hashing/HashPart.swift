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

    /// Nothing, which is something else than an empty text.
    public static let none = HashPart(.none)

    public static func bytes(_ bytes: [UInt8]) -> HashPart { HashPart(.bytes(bytes)) }

    public static func text(_ text: String) -> HashPart { HashPart(.text(text)) }

    /// The 128 bits of an id, without what it is an id of.
    public static func id(_ id: ID128) -> HashPart { HashPart(.id(id)) }

    /// The 128 bits of an id, without what it is an id of.
    public static func id<Kind>(_ id: Identifier<Kind>) -> HashPart { .id(id.raw) }

    /// A whole number from the least of `Int64` to the greatest of `UInt64`.
    public static func number(_ number: some BinaryInteger) -> HashPart {
        let bits = UInt64(truncatingIfNeeded: number)
        let isSigned = Int64(exactly: number) != nil
        invariant(isSigned || UInt64(exactly: number) != nil, "a number has at most 64 bits")
        return HashPart(isSigned ? .signed(bits) : .unsigned(bits))
    }

    /// Several parts where one is asked for.
    public static func parts(_ parts: HashPart...) -> HashPart { HashPart(.parts(parts)) }

    public init(stringLiteral value: String) { self = .text(value) }
}

extension HashPart {
    /// Before the content of each part: its kind and its length.
    private static let headBytes = 5

    /// Bytes of the part as it is hashed.
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

    /// Puts the part where it is hashed from; nothing is allocated for it.
    func put(into memory: UnsafeMutableRawBufferPointer, at index: inout Int) {
        memory[index] = kind
        index += 1
        memory.put(UInt32(contentBytes).littleEndian, at: &index)
        switch content {
        case .none: break
        case .bytes(let bytes): bytes.withUnsafeBytes { memory.put($0, at: &index) }
        case .text(var text): text.withUTF8 { memory.put(UnsafeRawBufferPointer($0), at: &index) }
        case .id(let id):
            memory.put(id.high.bigEndian, at: &index)
            memory.put(id.low.bigEndian, at: &index)
        case .signed(let bits), .unsigned(let bits): memory.put(bits.littleEndian, at: &index)
        case .parts(let parts): for part in parts { part.put(into: memory, at: &index) }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func put(_ number: some FixedWidthInteger, at index: inout Int) {
        storeBytes(of: number, toByteOffset: index, as: type(of: number))
        index += number.bitWidth / 8
    }

    fileprivate func put(_ bytes: UnsafeRawBufferPointer, at index: inout Int) {
        UnsafeMutableRawBufferPointer(rebasing: self[index..<index + bytes.count])
            .copyMemory(from: bytes)
        index += bytes.count
    }
}
