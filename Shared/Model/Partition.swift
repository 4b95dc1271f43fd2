/// One of the 64 partitions of people. The number of partitions never changes.
public struct Partition: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// 0 to 63.
    public var number: UInt8

    public static let count = 64
    public static let all: [Partition] = (0..<UInt8(count)).map { Partition(number: $0) }

    private init(number: UInt8) { self.number = number }

    /// Nil outside 0…63.
    public init?(_ number: Int) {
        guard (0..<Partition.count).contains(number) else { return nil }
        self.number = UInt8(number)
    }

    /// The partition of a person: the low 6 bits of the first byte of SHA-256(person's 16 bytes).
    /// `Hashing` computes the hash.
    public init(firstDigestByte byte: UInt8) { number = byte & 63 }

    public var description: String { String(number) }

    public static func < (left: Partition, right: Partition) -> Bool { left.number < right.number }
}
